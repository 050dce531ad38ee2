use jackfield::serde::Deserialize;
use jackfield::{Form, JsonSchema};

#[derive(Deserialize, JsonSchema, Form)]
#[serde(crate = "jackfield::serde")]
#[schemars(crate = "jackfield::schemars")]
struct Address {
    street: String,
}

#[derive(Deserialize, JsonSchema, Form)]
#[serde(crate = "jackfield::serde")]
#[schemars(crate = "jackfield::schemars")]
struct Order {
    name: String,
    address: Address,
}

fn main() {}
