//! A node for tests of several: `testkit-node ADDRESS --store URL`.

use std::time::Duration;

use jackfield::protocol::LoggingMessageParams;
use jackfield::{
    Cx, Elicited, Error, Form, JsonSchema, LoggingLevel, RawJson, Result, Server, Tasks, resource, resources, tool,
    tools,
};
use serde::Deserialize;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

#[tokio::main]
async fn main() -> Result {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, "--store", url] = *arguments.iter().map(String::as_str).collect::<Vec<_>>() else {
        return Err(Error::new("usage: testkit-node ADDRESS --store URL"));
    };
    log_to_standard_error();
    let stores = jackfield::store::open(url).map_err(|error| Error::new(error.to_string()))?;
    let server = Server::new("testkit-node")
        .tools(tools![echo, count, wait, ask, work, post, touch])
        .resources(resources![note])
        // A task whose node died is found to have failed soon.
        .tasks(Tasks::new().lease(Duration::from_secs(2)).per_owner(10_000).running(10_000));
    server.store(stores).serve_http(address).await
}

/// Logs what `RUST_LOG` asks for, and in any case when it listens: `NodeProcess` waits for that line.
fn log_to_standard_error() {
    let asked = std::env::var("RUST_LOG").unwrap_or_else(|_| "warn".to_owned());
    let filter: Targets = format!("{asked},jackfield_server::serve=info").parse().unwrap_or_default();
    tracing_subscriber::registry()
        .with(tracing_subscriber::fmt::layer().with_writer(std::io::stderr))
        .with(filter)
        .init();
}

/// Says the same.
#[tool]
fn echo(text: String) -> String {
    text
}

/// Counts, and tells of each number.
#[tool]
async fn count(to: u32, text: String, cx: &Cx) -> String {
    for number in 1..=to {
        cx.progress(number, f64::from(to), "counting");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    text
}

/// Tells that it has begun, and waits.
#[tool]
async fn wait(milliseconds: u64, cx: &Cx) -> String {
    cx.progress(1, 2.0, "waiting");
    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    "waited".to_owned()
}

#[derive(Debug, Deserialize, JsonSchema, Form)]
struct Name {
    name: String,
}

/// Asks for a name.
#[tool]
async fn ask(cx: &Cx) -> Result<String> {
    match cx.elicit::<Name>("name", "Who are you?").await? {
        Elicited::Accepted(name) => Ok(name.name),
        _ => Ok("nobody".to_owned()),
    }
}

/// Works for a while.
#[tool(task)]
async fn work(text: String, milliseconds: Option<u64>) -> String {
    tokio::time::sleep(Duration::from_millis(milliseconds.unwrap_or(50))).await;
    text
}

/// Sends a message that belongs to no request.
#[tool]
async fn post(text: String, cx: &Cx) -> Result<String> {
    cx.client().notify(LoggingMessageParams::new(LoggingLevel::Info, RawJson::new(&text)?)).await?;
    Ok(text)
}

/// A note of any name.
#[resource("note://{name}")]
fn note(name: String) -> String {
    name
}

/// Says that a resource has changed.
#[tool]
fn touch(uri: String, cx: &Cx) -> String {
    cx.notify_resource_updated(uri.clone());
    uri
}
