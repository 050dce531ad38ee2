//! The server whose sessions and streams `cargo xtask bench --memory` and `cargo xtask soak` hold by the thousand:
//! `bench_streams --http 127.0.0.1:8000`.

use jackfield::http::HttpConfig;
use jackfield::transport::CallLimits;
use jackfield::{Cx, Server, tool, tools};

/// Count to a number, with an event for each that names the counter.
#[tool]
async fn count(counter: u64, to: u64, cx: &Cx) -> String {
    for number in 1..=to {
        cx.info(format!("{counter}/{number}"));
        // Readers have their turn in between.
        tokio::task::yield_now().await;
    }
    format!("{counter} is done")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> jackfield::Result {
    let address = std::env::args().nth(2).unwrap_or_else(|| "127.0.0.1:8000".to_owned());
    // All clients come from one address here.
    let config = HttpConfig::default().with_limits(|limits| {
        limits.connections = 65_536;
        limits.connections_per_address = 65_536;
        limits.requests_per_address = 65_536;
    });
    let mut calls = CallLimits::default();
    calls.listen_streams = 65_536;
    Server::new("streams").tools(tools![count]).limits(calls).serve_http_with(address, config).await
}
