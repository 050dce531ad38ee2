use jackfield::tool;

struct Notes;

impl Notes {
    #[tool]
    fn save(&self, text: String) -> String {
        text
    }
}

fn main() {}
