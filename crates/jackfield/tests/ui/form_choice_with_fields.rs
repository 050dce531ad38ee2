use jackfield::serde::Deserialize;
use jackfield::{Form, JsonSchema};

#[derive(Deserialize, JsonSchema, Form)]
#[serde(crate = "jackfield::serde")]
#[schemars(crate = "jackfield::schemars")]
enum Payment {
    Cash,
    Card { number: String },
}

fn main() {}
