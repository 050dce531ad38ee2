//! `rmcp` as a client: `interop-rmcp-client ERA stdio COMMAND…` or `interop-rmcp-client ERA http URL`; ERA is `modern` or
//! `legacy`.

mod checks;
mod peer;

use std::time::{Duration, Instant};

use serde_json::json;

use peer::{Era, Peer};

/// A client waits this long for the end of a server before it kills it.
const KILLED_AFTER: Duration = Duration::from_millis(1800);

fn report(check: &str, ok: Option<bool>, detail: &str) {
    let first_line: String = detail.lines().next().unwrap_or_default().chars().take(200).collect();
    println!("{}", json!({ "check": check, "ok": ok, "detail": first_line }));
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [era, transport, target @ ..] = words.as_slice() else {
        panic!("usage: ERA TRANSPORT TARGET…");
    };
    let era = if era == "modern" { Era::Modern } else { Era::Legacy };
    let peer = match tokio::time::timeout(checks::PATIENCE, Peer::connect(era, transport, target)).await {
        Ok(Ok(peer)) => peer,
        Ok(Err(error)) => return report("connect", Some(false), &format!("{error:#}")),
        Err(_) => return report("connect", Some(false), "no connection in time"),
    };
    report("connect", Some(true), &peer.revision());
    // The roots and the tools that depend on what a client can do arrive after the handshake.
    tokio::time::sleep(Duration::from_millis(600)).await;
    checks::run_all(&peer, report).await;
    let leaving = Instant::now();
    let ended = peer.close().await;
    let took = leaving.elapsed();
    let detail = ended.as_ref().map_or_else(|error| format!("{error:#}"), |()| format!("{:.1} s", took.as_secs_f64()));
    report("shutdown", Some(ended.is_ok() && took < KILLED_AFTER), &detail);
}
