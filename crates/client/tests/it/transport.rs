//! The seam for other transports: a connector that is not a byte stream, restarts, and arguments as headers.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jackfield_client::{
    BoxFuture, Client, Connector, EndReason, Failure, Inbox, Link, NotSent, OpenConnection, Outgoing, OutgoingKind,
    Timeouts,
};
use jackfield_protocol::Revision;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::script::{discovery, end_reason, name, paused};

/// A server that answers inside of `send`, as a transport with a stream per request may.
#[derive(Debug, Default)]
struct Direct {
    connections: AtomicU32,
    /// The headers and names of the last request.
    seen: Arc<Mutex<Vec<(String, String)>>>,
    /// The first connections that fail.
    failing: u32,
    /// How often the tools were listed.
    lists: Arc<AtomicU32>,
}

#[derive(Debug)]
struct DirectLink {
    inbox: Inbox,
    closed: watch::Sender<Option<&'static str>>,
    seen: Arc<Mutex<Vec<(String, String)>>>,
    lists: Arc<AtomicU32>,
}

impl Connector for Direct {
    fn connect(&self, inbox: Inbox) -> BoxFuture<'_, io::Result<OpenConnection>> {
        let number = self.connections.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            if number > 0 && number <= self.failing {
                return Err(io::ErrorKind::ConnectionRefused.into());
            }
            let (closed, mut ended) = watch::channel(None);
            let link = Arc::new(DirectLink { inbox, closed, seen: self.seen.clone(), lists: self.lists.clone() });
            let run = Box::pin(async move {
                let why = ended.wait_for(Option::is_some).await.ok().and_then(|why| *why);
                EndReason::new(why.unwrap_or("gone"))
            });
            Ok(OpenConnection { link, run })
        })
    }

    fn can_reconnect(&self) -> bool {
        true
    }
}

impl Link for DirectLink {
    fn send(&self, message: Outgoing<'_>) -> Result<(), NotSent> {
        if self.closed.borrow().is_some() {
            return Err(NotSent::Ended);
        }
        let OutgoingKind::Request(facts) = message.kind else { return Ok(()) };
        let request: Value = serde_json::from_slice(message.text).unwrap();
        assert_eq!((request["id"].as_u64(), request["method"].as_str()), (Some(facts.id), Some(facts.method)));
        *self.seen.lock().unwrap() = facts.headers.to_vec();
        if facts.method == "tools/list" {
            self.lists.fetch_add(1, Ordering::SeqCst);
        }
        let result = match facts.method {
            "server/discover" => discovery(),
            "tools/list" => json!({"resultType": "complete", "ttlMs": 60_000, "tools": [
                {"name": "good", "inputSchema": {"type": "object", "properties": {
                    "region": {"type": "string", "x-mcp-header": "Region"}, "n": {"type": "integer", "x-mcp-header": "Count"}}}},
                {"name": "bad", "inputSchema": {"type": "object", "properties": {"o": {"type": "object", "x-mcp-header": "O"}}}},
                {"name": "twice", "inputSchema": {"type": "object", "properties": {
                    "a": {"type": "string", "x-mcp-header": "X"}, "b": {"type": "string", "x-mcp-header": "x"}}}},
            ]}),
            _ => match facts.name.unwrap_or_default() {
                "refused" => {
                    self.inbox.fail(facts.id, Failure::Refused("HTTP status 500".into()));
                    return Ok(());
                }
                "broken" => {
                    self.inbox.fail(facts.id, Failure::Lost(EndReason::new("the stream broke")));
                    return Ok(());
                }
                "end" => {
                    self.closed.send_replace(Some("the server restarts"));
                    return Ok(());
                }
                _ => json!({"resultType": "complete", "content": []}),
            },
        };
        let answer = json!({"jsonrpc": "2.0", "id": facts.id, "result": result});
        self.inbox.receive(answer.to_string().into_bytes().into());
        Ok(())
    }

    fn wants_param_headers(&self) -> bool {
        true
    }

    fn agreed(&self, revision: Revision) {
        assert_eq!(revision, Revision::LATEST);
    }

    fn close(&self) {
        self.closed.send_replace(Some("closed"));
    }
}

/// STDIO-020, STDIO-021: a transport that is no byte stream carries the same messages; its failures end single requests.
#[test]
fn another_transport_carries_the_same_messages() {
    paused(async {
        let client = Client::builder().through(Direct::default()).await.unwrap();
        assert_eq!(name(&client.call("fine", ()).await), "ok");
        let refused = client.call("refused", ()).await.unwrap_err();
        assert!(refused.server_error().is_none() && refused.is_protocol_violation());
        let broken = client.call("broken", ()).await.unwrap_err();
        assert!(broken.is_closed());
        assert_eq!(name(&client.call("fine", ()).await), "ok");
        client.close().await;
    });
}

/// BASE-083, T-051, HTTP-085: arguments that the tool marks travel as headers too, and tools with bad marks are left out.
#[test]
fn marked_arguments_travel_as_headers() {
    paused(async {
        let direct = Direct::default();
        let seen = direct.seen.clone();
        let client = Client::builder().through(direct).await.unwrap();
        let names: Vec<_> = client.tools().all().await.unwrap().into_iter().map(|tool| tool.name).collect();
        assert_eq!(names, ["good"]);
        client.call("good", json!({"region": "Köln", "n": 3})).await.unwrap();
        let headers = seen.lock().unwrap().clone();
        assert_eq!(headers[0].0, "Mcp-Param-Count");
        assert_eq!(headers[0].1, "3");
        assert_eq!(headers[1].0, "Mcp-Param-Region");
        assert!(headers[1].1.starts_with("=?base64?"), "{headers:?}");
    });
}

/// HTTP-086: that a tool is left out is logged, with its name and the reason.
#[test]
fn tools_that_are_left_out_are_logged() {
    let log = crate::careful::Log::default();
    let _default = tracing::subscriber::set_default(log.clone());
    paused(async {
        let client = Client::builder().through(Direct::default()).await.unwrap();
        client.tools().all().await.unwrap();
    });
    let lines = log.0.lock().unwrap().clone();
    for (tool, reason) in [("tool=bad", "not a string"), ("tool=twice", "twice")] {
        let found = lines.iter().find(|line| line.starts_with("WARN") && line.contains(tool));
        assert!(
            found.is_some_and(|line| line.contains("error=") && line.contains(reason)),
            "{tool} {reason}: {lines:?}"
        );
    }
    assert!(!lines.iter().any(|line| line.contains("tool=good")));
}

/// STDIO-015: a connection that ends is opened again, with growing waits; calls made meanwhile wait for it.
#[test]
fn connections_are_opened_again() {
    paused(async {
        let client = Client::builder().through(Direct { failing: 5, ..Direct::default() }).await.unwrap();
        assert_eq!(end_reason(client.call("end", ()).await), "the server restarts");
        assert_eq!(client.revision(), None);
        let call = client.call("fine", ()).timeout(Duration::from_secs(300));
        assert_eq!(name(&call.await), "ok");
        assert_eq!(client.revision(), Some(Revision::LATEST));
    });
}

/// STDIO-015: a server that cannot be reached any more is given up after some attempts.
#[test]
fn attempts_have_a_limit() {
    paused(async {
        let client = Client::builder().through(Direct { failing: 1000, ..Direct::default() }).await.unwrap();
        assert_eq!(name(&client.call("end", ()).await), "lost");
        let call = client.call("fine", ()).timeout(Duration::from_secs(3600));
        assert_eq!(name(&call.await), "closed");
        assert!(client.is_closed());
    });
}

/// Opens the first connections, then never another one.
#[derive(Debug)]
struct Stuck(Direct, u32);

impl Connector for Stuck {
    fn connect(&self, inbox: Inbox) -> BoxFuture<'_, io::Result<OpenConnection>> {
        if self.0.connections.load(Ordering::SeqCst) < self.1 {
            return self.0.connect(inbox);
        }
        Box::pin(std::future::pending())
    }

    fn can_reconnect(&self) -> bool {
        true
    }
}

/// A connection that is never opened has a deadline, and does not keep the client from being closed.
#[test]
fn a_connection_that_is_never_opened_is_not_waited_for() {
    paused(async {
        let begun = Instant::now();
        let error = Client::builder().through(Stuck(Direct::default(), 0)).await.unwrap_err();
        assert!(error.is_timeout(), "{error:?}");
        assert_eq!(begun.elapsed(), Duration::from_secs(60));

        let mut timeouts = Timeouts::default();
        timeouts.connect = Duration::from_secs(24 * 60 * 60);
        let client = Client::builder().timeouts(timeouts).through(Stuck(Direct::default(), 1)).await.unwrap();
        assert!(client.call("end", ()).await.unwrap_err().is_closed());
        // By now it is being connected again.
        jackfield_testkit::pass(Duration::from_secs(1)).await;
        let begun = Instant::now();
        client.close().await;
        assert_eq!(begun.elapsed(), Duration::ZERO);
    });
}

/// What was kept of a server is not believed after it was connected to again: it may have been started with other tools.
#[test]
fn nothing_is_kept_across_connections() {
    paused(async {
        let direct = Direct::default();
        let lists = direct.lists.clone();
        let client = Client::builder().without_output_check().through(direct).await.unwrap();
        for _ in 0..2 {
            client.tools().all().await.unwrap();
            assert_eq!(lists.load(Ordering::SeqCst), 1);
        }
        assert!(client.call("end", ()).await.unwrap_err().is_closed());
        client.tools().all().await.unwrap();
        assert_eq!(lists.load(Ordering::SeqCst), 2);
    });
}
