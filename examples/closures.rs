//! Tools, a resource and a prompt of closures and plain functions, without macros.

use std::sync::atomic::{AtomicU64, Ordering};

use jackfield::server::{prompt_fn, resource_fn, tool_fn};
use jackfield::{Cx, Json, Server, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Add {
    /// The first number.
    a: i64,
    /// The second number.
    b: i64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

#[derive(Deserialize, JsonSchema)]
struct Review {
    /// The code to review.
    code: String,
    /// How strict to be, from 1 to 5.
    strictness: Option<u8>,
}

#[derive(Deserialize)]
struct Greeting {
    name: String,
}

#[derive(Default)]
struct Calls(AtomicU64);

async fn count(calls: State<Calls>, cx: Cx) -> u64 {
    cx.info("counting");
    calls.0.0.fetch_add(1, Ordering::Relaxed) + 1
}

#[tokio::main]
async fn main() -> jackfield::Result {
    let add = tool_fn("add", |Add { a, b }: Add| Json(Sum { sum: a + b }));
    let greeting = resource_fn("greeting://{name}", |greeting: Greeting| format!("Hello, {}!", greeting.name));
    let review = prompt_fn("review", |review: Review| {
        let strictness = review.strictness.unwrap_or(3);
        format!("Review this code with strictness {strictness}: {}", review.code)
    });
    Server::new("closures")
        .tool(add.description("Add two numbers.").read_only(true))
        .tool_fn("count", count)
        .resource(greeting.name("greeting").mime_type("text/plain"))
        .prompt(review.description("Review code."))
        .state(Calls::default())
        .run_cli()
        .await
}
