use jackfield::tool;

#[tool]
struct Add;

fn main() {}
