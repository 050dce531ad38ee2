use jackfield::server;

struct Notes;

#[server]
impl Notes {
    fn save(&self) {}
}

fn main() {}
