use jackfield::resource;

#[resource]
fn readme() -> String {
    String::new()
}

fn main() {}
