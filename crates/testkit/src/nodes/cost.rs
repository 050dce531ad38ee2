//! What sharing costs: calls of a known session with the store and without, in turns.

use std::io;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::{NodeProcess, Session, Wire};

/// Connections at once.
const CONNECTIONS: usize = 16;
/// Turns of each node, and how long a turn is.
const TURNS: usize = 7;
const TURN: Duration = Duration::from_millis(700);

/// What was measured.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Calls per second with sessions in memory.
    pub memory: f64,
    /// Calls per second with sessions in the shared store.
    pub shared: f64,
    /// The middle of the ratios of the turns: how much more a call costs with the store.
    pub ratio: f64,
}

/// Measures two nodes in turns, so that a busy machine is as unfair to one as to the other.
///
/// # Errors
/// A node cannot be started, or does not answer.
pub async fn cost(program: &Path, store: &str) -> io::Result<Cost> {
    let memory = NodeProcess::start(program, "memory:").await?;
    let shared = NodeProcess::start(program, store).await?;
    let mut turns = Vec::new();
    for _ in 0..TURNS {
        turns.push((turn(&memory).await?, turn(&shared).await?));
    }
    Ok(Cost {
        memory: median(turns.iter().map(|turn| turn.0)),
        shared: median(turns.iter().map(|turn| turn.1)),
        ratio: median(turns.iter().map(|(memory, shared)| memory / shared)),
    })
}

async fn turn(node: &NodeProcess) -> io::Result<f64> {
    let mut senders = JoinSet::new();
    let start = Instant::now();
    for _ in 0..CONNECTIONS {
        senders.spawn(send(Session::open(node.address()).await?, Instant::now() + TURN));
    }
    let mut count = 0;
    while let Some(sent) = senders.join_next().await {
        count += sent.map_err(io::Error::other)??;
    }
    Ok(f64::from(count) / start.elapsed().as_secs_f64())
}

async fn send(session: Session, end: Instant) -> io::Result<u32> {
    let mut wire = Wire::connect(session.address).await?;
    let params = json!({ "name": "echo", "arguments": { "text": "The quick brown fox" } });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let headers = [
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
        ("mcp-session-id", session.id.as_str()),
    ];
    let mut count = 0;
    while Instant::now() < end {
        let answer = wire.ask("POST", "/mcp", &headers, Some(&call)).await?;
        if answer.head.status != 200 {
            return Err(io::Error::other(format!("it answered {}", answer.head.status)));
        }
        count += 1;
    }
    Ok(count)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
