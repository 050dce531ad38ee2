//! Prints to standard output by accident. The protocol is not disturbed: what is printed arrives on standard error.

use std::io::Write;

use jackfield::{Server, tool, tools};

/// Say hello, noisily.
#[tool]
#[expect(clippy::print_stdout, reason = "the accident that this example shows")]
fn hello(name: String) -> String {
    println!("about to greet {name}");
    print!("{{\"jsonrpc\":\"2.0\",\"method\":\"no message at all\"");
    #[expect(clippy::disallowed_methods, reason = "the accident that this example shows")]
    let flushed = std::io::stdout().flush();
    format!("Hello, {name}! ({})", if flushed.is_ok() { "said" } else { "unsaid" })
}

#[tokio::main]
async fn main() -> jackfield::Result {
    Server::new("noisy").tools(tools![hello]).run_cli().await
}
