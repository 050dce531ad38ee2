use jackfield::tool;

#[tool(deny_unknown)]
fn add(#[args] numbers: std::collections::BTreeMap<String, i64>) -> i64 {
    numbers.values().sum()
}

fn main() {}
