//! A server process that is killed in the middle of calls, over HTTP.

use std::future::IntoFuture;
use std::process::Stdio;
use std::time::{Duration, Instant};

use jackfield_client::{Client, EraCache, Http, Restarts};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::script::{discovery, name};

/// A modern server. The tool `kill` kills it; the tool `begin` says half of its answer first.
const SERVER: &str = r#"
import json, os, signal, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
DISCOVERY = json.loads(sys.argv[2])
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *args): pass
    def do_POST(self):
        m = json.loads(self.rfile.read(int(self.headers["content-length"])))
        tool = m.get("params", {}).get("name")
        if tool == "kill": os.kill(os.getpid(), signal.SIGKILL)
        result = DISCOVERY if m["method"] == "server/discover" else {"resultType": "complete", "content": [], "tools": []}
        body = json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if tool == "begin":
            self.wfile.write(body[:10])
            self.wfile.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        self.wfile.write(body)
server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"#;

/// Starts the server; returns when it listens.
async fn start(port: u16) -> Child {
    let mut command = Command::new("python3");
    command.args(["-c", SERVER, &port.to_string(), &discovery().to_string()]).stdout(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).await.unwrap();
    assert_eq!(line.trim(), port.to_string());
    child
}

/// T-116: killed in mid-call, the caller knows each time, and the next call finds the server that was started instead. Five times unless
/// the variable `JACKFIELD_KILLS` says how often.
#[tokio::test]
async fn every_death_is_noticed() {
    let kills = std::env::var("JACKFIELD_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(5);
    // It is killed and started again at the same address, which has to stay reserved meanwhile.
    let reserved = jackfield_testkit::ReservedPort::new().unwrap();
    let port = reserved.address().port();
    let mut child = start(port).await;
    let mut restarts = Restarts::default();
    (restarts.first, restarts.longest) = (Duration::from_millis(1), Duration::from_millis(5));
    restarts.limit = u32::MAX;
    let http = Http::new(format!("http://127.0.0.1:{port}/mcp")).eras(EraCache::default());
    let client = Client::builder().restarts(restarts).connect(http).await.unwrap();
    let mut longest = Duration::ZERO;
    for round in 0..kills {
        let tool = if round % 2 == 0 { "kill" } else { "begin" };
        let begun = Instant::now();
        let outcome = tokio::time::timeout(Duration::from_secs(60), client.call(tool, ()).into_future()).await;
        longest = longest.max(begun.elapsed());
        assert_eq!(name(&outcome.expect("the call hangs")), "lost", "{round}");
        child.wait().await.unwrap();
        child = start(port).await;
        client.call("t", ()).await.unwrap();
    }
    println!("{kills} deaths over HTTP; the caller knew after {longest:?} at most");
    client.close().await;
    child.kill().await.unwrap();
}
