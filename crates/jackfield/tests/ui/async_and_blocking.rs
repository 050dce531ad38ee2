use jackfield::tool;

#[tool(blocking)]
async fn read(path: String) -> String {
    path
}

fn main() {}
