use jackfield::tool;

struct Sum {
    total: i64,
}

#[tool]
fn add(a: i64, b: i64) -> Sum {
    Sum { total: a + b }
}

fn main() {}
