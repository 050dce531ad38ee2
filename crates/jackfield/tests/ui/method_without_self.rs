use jackfield::server;

struct Notes;

#[server]
impl Notes {
    #[tool]
    fn count(text: String) -> u64 {
        text.len() as u64
    }
}

fn main() {}
