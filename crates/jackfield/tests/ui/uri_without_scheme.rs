use jackfield::resource;

#[resource("readme")]
fn readme() -> String {
    String::new()
}

fn main() {}
