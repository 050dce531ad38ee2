use jackfield::serde::Deserialize;
use jackfield::{Cx, JsonSchema};

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "jackfield::serde")]
#[schemars(crate = "jackfield::schemars")]
struct Trip {
    city: String,
}

async fn book(cx: Cx) {
    let _ = cx.elicit::<Trip>("trip", "Where to?").await;
}

fn main() {}
