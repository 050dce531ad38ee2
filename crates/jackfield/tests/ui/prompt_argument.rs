use jackfield::prompt;

struct Language;

#[prompt]
fn review(language: Language) -> String {
    let _ = language;
    String::new()
}

fn main() {}
