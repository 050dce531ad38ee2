//! Servers and callers that do not keep to the protocol.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jackfield::middleware::MethodName;
use jackfield::protocol::{Method, Revision};
use jackfield::testing::TestClient;
use jackfield_client::ByteStream;
use jackfield_gateway::Gateway;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::task::JoinSet;

use crate::backend::{Place, behind, demo};

#[derive(Clone, Copy, Debug)]
enum Bad {
    /// Never says anything.
    Silent,
    /// Says nothing that is a message.
    Garbled,
    /// Says what it has to, and never stops telling of changes.
    Flooding,
}

const GARBAGE: &[u8] = b"\xff\xfe\n{]}\n[]\nnull\n{\"jsonrpc\":\"2.0\",\"id\":1}\n\xef\xbb\xbf{}\n[[[[[[\n";

impl Bad {
    async fn serve(self, stream: DuplexStream) {
        let (read, mut write) = tokio::io::split(stream);
        let mut lines = BufReader::new(read).lines();
        loop {
            match self {
                Self::Silent => {}
                Self::Garbled => drop(write.write_all(GARBAGE).await),
                Self::Flooding => {
                    let notice = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n".repeat(50);
                    drop(write.write_all(&notice).await);
                }
            }
            let line = match self {
                Self::Silent => Ok(lines.next_line().await),
                _ => tokio::time::timeout(Duration::ZERO, lines.next_line()).await,
            };
            let Ok(line) = line else { continue };
            let Ok(Some(line)) = line else { return };
            let message: Value = serde_json::from_str(&line).unwrap();
            let result = match message["method"].as_str().unwrap() {
                "initialize" => {
                    json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": true}},
                    "serverInfo": {"name": "bad", "version": "1"}})
                }
                "tools/list" => json!({"tools": []}),
                _ => continue,
            };
            if matches!(self, Self::Flooding) {
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
                drop(write.write_all(format!("{answer}\n").as_bytes()).await);
            }
        }
    }
}

/// T-130, T-133: a server that hangs, floods or talks nonsense costs the others nothing, and nothing of the nonsense reaches a caller.
#[tokio::test(start_paused = true)]
async fn a_bad_server_hurts_nobody_else() {
    for bad in [Bad::Silent, Bad::Garbled, Bad::Flooding] {
        let good = Place::new(demo(), Revision::LATEST);
        let serving: Arc<Mutex<JoinSet<()>>> = Arc::default();
        let gateway = behind(Gateway::new("gateway"), "good", &good).patience(Duration::from_millis(100));
        let tasks = serving.clone();
        let gateway = gateway.reach("bad", move |builder| {
            let (ours, theirs) = tokio::io::duplex(16 * 1024);
            tasks.lock().unwrap().spawn(bad.serve(theirs));
            let (read, write) = tokio::io::split(ours);
            builder.revision(Revision::V2025_11_25).over(ByteStream::new(read, write))
        });
        let client = TestClient::of(gateway.server().unwrap());
        for _ in 0..50 {
            let said = client.call_tool("good__echo", json!({"text": "x"})).await.unwrap();
            assert_eq!(said.content[0].as_text(), Some("x"), "{bad:?}");
        }
        let tools = client.list_tools().await.unwrap();
        assert!(tools.iter().all(|tool| tool.name.starts_with("good__")), "{bad:?}: {tools:?}");
        serving.lock().unwrap().abort_all();
    }
}

/// T-130: what a caller sends that can be read in more than one way, or not at all, is refused here and reaches no server.
#[tokio::test]
async fn what_can_not_be_read_reaches_no_server() {
    let calls: Arc<AtomicUsize> = Arc::default();
    let count = calls.clone();
    let server = demo().middleware(move |incoming, next| {
        if incoming.method == MethodName::Known(Method::CallTool) {
            count.fetch_add(1, Ordering::SeqCst);
        }
        async move { next.run(incoming).await }
    });
    let place = Place::new(server, Revision::LATEST);
    let built = behind(Gateway::new("gateway"), "demo", &place).server().unwrap().start().await.unwrap();
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    let connection = jackfield_peer::Connection::new(Arc::new(built.clone()));
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { drop(connection.serve(ByteStream::new(read, write)).await) });
    let (read, mut write) = tokio::io::split(ours);
    let mut lines = BufReader::new(read).lines();

    let info = json!({"name": "odd", "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "demo__echo", "arguments": {"text": "x"}}});
    let call = call.to_string();
    let doubled = call.replace("\"method\"", "\"method\":\"ping\",\"method\"");
    let inside = call.replace("\"name\"", "\"name\":\"demo__hang\",\"name\"");
    assert!(doubled != call && inside != call);
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}).to_string();
    for odd in [hello, format!("\u{feff}{call}"), format!("[{call}]"), call[1..].to_owned(), doubled, inside] {
        write.write_all(format!("{odd}\n").as_bytes()).await.unwrap();
        let answer: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
        assert_eq!(answer["error"].is_object(), !odd.contains("initialize"), "{odd}: {answer}");
    }
    assert_eq!(calls.load(Ordering::SeqCst), 0);
    write.write_all(format!("{call}\n").as_bytes()).await.unwrap();
    let answer = lines.next_line().await.unwrap().unwrap();
    assert!(answer.contains("\"text\":\"x\"") && calls.load(Ordering::SeqCst) == 1, "{answer}");
    built.stop().await;
}
