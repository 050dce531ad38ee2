use std::collections::HashMap;

use jackfield::serde::Deserialize;
use jackfield::{Form, JsonSchema};

#[derive(Deserialize, JsonSchema, Form)]
#[serde(crate = "jackfield::serde")]
#[schemars(crate = "jackfield::schemars")]
struct Order {
    amounts: HashMap<String, u32>,
}

fn main() {}
