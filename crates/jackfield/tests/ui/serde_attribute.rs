use jackfield::tool;

#[tool]
fn add(a: i64, #[serde(flatten)] b: i64) -> i64 {
    a + b
}

fn main() {}
