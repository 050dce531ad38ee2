//! A client that calls, one call after the other, and looks at what comes back.

use std::error::Error;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::Uri;
use jackfield::client::{Http, Timeouts};
use jackfield::http::client::{Agent, AgentConfig, Boxed, Dial};
use jackfield::transport::ByteStream;
use jackfield::{Client, Revision, json};
use tokio::time::{Instant, timeout};
use turmoil::net::TcpStream;

use super::{NODES, Run, node};

const TO: u32 = 5;
/// How long a call may take; what is known by then is said.
const PATIENCE: Duration = Duration::from_secs(4);
/// How long to wait after a call that failed: a node that is down refuses at once.
const PAUSE: Duration = Duration::from_millis(100);
/// How long anything may take before it counts as hanging.
const HANGS: Duration = Duration::from_secs(40);
/// How soon everything works when the faults are over.
const RECOVERY: Duration = Duration::from_secs(60);

pub(super) fn name(number: u64) -> String {
    format!("caller-{number}")
}

/// Connects to one node after the other.
#[derive(Debug, Default)]
struct Simulated(AtomicUsize);

impl Dial for Simulated {
    fn dial<'a>(&'a self, _: &'a Uri) -> Boxed<'a, io::Result<ByteStream>> {
        let node = NODES[self.0.fetch_add(1, Ordering::Relaxed) % NODES.len()];
        Box::pin(async move { Ok(ByteStream::both(TcpStream::connect((node, node::PORT)).await?)) })
    }
}

fn target() -> Http {
    let mut config = AgentConfig::default();
    config.connect_timeout = Duration::from_secs(2);
    config.dial = Some(Arc::new(Simulated::default()));
    Http::new("http://localhost/mcp").agent(Agent::new(config)).eras(Default::default())
}

async fn connect(revision: Revision) -> Result<Client, jackfield::client::Error> {
    let mut timeouts = Timeouts::default();
    timeouts.connect = PATIENCE;
    timeouts.request = PATIENCE;
    timeouts.maximum = 2 * PATIENCE;
    timeouts.close = Duration::from_millis(500);
    let connecting = Client::builder().revision(revision).timeouts(timeouts).connect(target());
    timeout(HANGS, connecting).await.expect("connecting hangs")
}

/// Calls while there are faults, then until a call succeeds.
pub(super) async fn call_all(run: Run, number: u64, revision: Revision) -> Result<(), Box<dyn Error>> {
    let (mut client, mut call) = (None, number * 1000);
    while !run.is_calm.load(Ordering::Relaxed) {
        let answered = one(&mut client, revision, &run, call).await;
        let counter = if answered { &run.answered } else { &run.failed };
        counter.fetch_add(1, Ordering::Relaxed);
        call += 1;
    }
    let start = Instant::now();
    while !one(&mut client, revision, &run, call).await {
        assert!(start.elapsed() < RECOVERY, "nothing works, although the network does");
        call += 1;
    }
    if let Some(client) = client {
        timeout(HANGS, client.close()).await.expect("closing hangs");
    }
    Ok(())
}

/// Calls once; says whether it was answered.
async fn one(client: &mut Option<Client>, revision: Revision, run: &Run, call: u64) -> bool {
    if client.is_none() {
        *client = connect(revision).await.ok();
    }
    let Some(connected) = client else {
        tokio::time::sleep(PAUSE).await;
        return false;
    };
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hear = heard.clone();
    let calling = connected
        .call("count", json!({ "call": call, "to": TO }))
        .on_progress(move |notice| hear.lock().unwrap_or_else(PoisonError::into_inner).push(notice.progress));
    let answer = timeout(HANGS, calling).await.expect("a call hangs");
    let heard = heard.lock().unwrap_or_else(PoisonError::into_inner).clone();
    assert!(heard.is_sorted_by(|one, next| one < next), "call {call} heard {heard:?}");
    assert!(heard.iter().all(|progress| (1.0..=f64::from(TO)).contains(progress)), "call {call} heard {heard:?}");
    let Ok(result) = answer else {
        tokio::time::sleep(PAUSE).await;
        return false;
    };
    let text = result.content.first().and_then(|block| block.as_text()).unwrap_or_default();
    assert_eq!(text, format!("{call} is done"), "an answer for somebody else");
    assert!(run.ledger.has(call), "call {call} was answered, but never begun");
    true
}
