//! A calculator tool and a greeting resource.

use jackfield::{Server, resource, resources, tool, tools};

/// Add two numbers.
#[tool(read_only)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Greet somebody by name.
#[resource("greeting://{name}")]
fn greeting(name: String) -> String {
    format!("Hello, {name}!")
}

#[tokio::main]
async fn main() -> jackfield::Result {
    Server::new("demo").tools(tools![add]).resources(resources![greeting]).run_cli().await
}
