use jackfield::serde::Deserialize;
use jackfield::{Form, JsonSchema};

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "jackfield::serde")]
#[schemars(crate = "jackfield::schemars")]
struct Address {
    street: String,
}

#[derive(Deserialize, JsonSchema, Form)]
#[serde(crate = "jackfield::serde")]
#[schemars(crate = "jackfield::schemars")]
struct Order {
    #[serde(flatten)]
    address: Address,
}

fn main() {}
