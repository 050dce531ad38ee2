use jackfield::{JsonSchema, tool};

#[derive(serde::Deserialize, JsonSchema)]
struct Sum {
    a: i64,
}

#[tool(deny_unknown)]
fn add(#[args] sum: Sum) -> i64 {
    sum.a
}

fn main() {}
