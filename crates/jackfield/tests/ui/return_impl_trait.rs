use jackfield::tool;

#[tool]
fn name() -> impl Into<String> {
    "name"
}

fn main() {}
