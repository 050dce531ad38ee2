use jackfield::{prompt, tool};

#[tool(read_only = "yes")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[tool(validate = "sometimes")]
fn subtract(a: i64, b: i64) -> i64 {
    a - b
}

#[prompt(title)]
fn hello() -> &'static str {
    "hello"
}

fn main() {}
