use jackfield::prompt;

fn languages(typed: u32) -> Vec<String> {
    vec![typed.to_string()]
}

#[prompt]
fn review(#[complete(languages)] language: String) -> String {
    language
}

fn main() {}
