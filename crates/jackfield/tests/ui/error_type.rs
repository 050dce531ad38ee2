use jackfield::tool;

enum Problem {
    TooLarge,
}

#[tool]
fn double(number: i64) -> Result<i64, Problem> {
    number.checked_mul(2).ok_or(Problem::TooLarge)
}

fn main() {}
