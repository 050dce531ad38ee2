//! The same message as a tool, a resource and a prompt.

use jackfield::{Server, prompt, prompts, resource, resources, tool, tools};

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
    Server::new("Echo")
        .tools(tools![echo_tool])
        .resources(resources![echo_resource])
        .prompts(prompts![echo_prompt])
        .run_cli()
        .await
}
