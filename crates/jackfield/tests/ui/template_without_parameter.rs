use jackfield::resource;

#[resource("notes://{folder}/{name}")]
fn note(folder: String) -> String {
    folder
}

fn main() {}
