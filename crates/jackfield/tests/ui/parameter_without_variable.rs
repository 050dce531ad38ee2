use jackfield::resource;

#[resource("notes://{name}")]
fn note(name: String, page: u32) -> String {
    format!("{name} {page}")
}

#[resource("notes://all")]
fn all(page: u32) -> String {
    page.to_string()
}

fn main() {}
