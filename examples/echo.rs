//! The same message as a tool, a resource and a prompt.

use jackfield::{Server, prompt, resource, tool};

/// Echo a message as a tool.
#[tool(read_only)]
fn echo_tool(message: String) -> String {
    format!("Tool echo: {message}")
}

/// Echo a message as a resource.
#[resource("echo://{message}")]
fn echo_resource(message: String) -> String {
    format!("Resource echo: {message}")
}

/// Ask the model to process a message.
#[prompt]
fn echo_prompt(message: String) -> String {
    format!("Please process this message: {message}")
}

#[tokio::main]
async fn main() -> jackfield::Result {
    Server::new("Echo").tool(echo_tool).resource(echo_resource).prompt(echo_prompt).run_cli().await
}
