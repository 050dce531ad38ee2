//! What the servers on other crates have in common with `bench_server` of the examples.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Echo {
    pub message: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Pair {
    pub a: i64,
    pub b: i64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Sum {
    pub sum: i64,
}

/// The arguments of `tool_02` to `tool_49`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Search {
    /// What to look for.
    pub query: String,
    /// How many results at most.
    pub limit: Option<i64>,
    /// Only results with these tags.
    pub tags: Option<Vec<String>>,
}

/// 10,240 bytes of text.
pub fn document() -> String {
    let lines = (0..200).map(|number| format!("The quick brown fox jumps over the lazy dog, line {number:04} of it.\n"));
    let mut text: String = lines.collect();
    text.truncate(10_240);
    text
}

/// The address behind `--http`; none means standard input and output.
pub fn http_address() -> Option<String> {
    let mut words = std::env::args().skip(1);
    words.next().filter(|word| word == "--http").and_then(|_| words.next())
}
