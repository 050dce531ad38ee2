//! A plain tool, and one that waits for something.

use jackfield::{Json, Server, tool, tools};
use schemars::JsonSchema;
use serde::Serialize;

/// Calculate the body mass index from weight in kilograms and height in metres.
#[tool(read_only)]
fn calculate_bmi(#[arg(range(min = 0.0))] weight_kg: f64, #[arg(range(min = 0.3, max = 3.0))] height_m: f64) -> f64 {
    weight_kg / (height_m * height_m)
}

/// What is in a text file.
#[derive(Serialize, JsonSchema)]
struct Counts {
    lines: usize,
    words: usize,
    bytes: usize,
}

/// Count the lines, words and bytes of a text file.
#[tool(read_only)]
async fn count(
    /** Path of the file. */
    path: String,
) -> std::io::Result<Json<Counts>> {
    let text = tokio::fs::read_to_string(path).await?;
    Ok(Json(Counts { lines: text.lines().count(), words: text.split_whitespace().count(), bytes: text.len() }))
}

#[tokio::main]
async fn main() -> jackfield::Result {
    Server::new("health").tools(tools![calculate_bmi, count]).run_cli().await
}
