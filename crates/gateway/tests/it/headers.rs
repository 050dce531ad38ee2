//! What HTTP adds: headers on their way in, and on their way on to the next server.

// The client of the transport's own tests.
#[expect(dead_code, reason = "the transport's tests need more of it")]
#[path = "../../../http/tests/it/client.rs"]
mod client;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use http::request::Parts;
use jackfield::protocol::{CallToolResult, Schema, Tool};
use jackfield::{RunningServer, Server};
use jackfield_client::Http;
use jackfield_gateway::Gateway;
use jackfield_http::{Authentication, Authenticator, HttpConfig, HttpServer};
use jackfield_peer::{Shutdown, ShutdownTrigger};
use serde_json::json;
use tokio::task::JoinSet;

use client::{Ask, Client, Session};

/// Writes down the headers of each request, before anything is taken out of them.
#[derive(Clone, Debug, Default)]
struct Record(Arc<Mutex<Vec<http::HeaderMap>>>);

impl Authenticator for Record {
    fn authenticate<'a>(&'a self, request: &'a mut Parts) -> Authentication<'a> {
        self.0.lock().unwrap().push(request.headers.clone());
        Box::pin(async { Ok(()) })
    }
}

impl Record {
    /// The headers of the requests about one tool since the last look.
    fn of_calls(&self) -> Vec<http::HeaderMap> {
        let mut seen = std::mem::take(&mut *self.0.lock().unwrap());
        seen.retain(|headers| headers.get("mcp-method").is_some_and(|method| method == "tools/call"));
        seen
    }
}

/// A server that listens until it is dropped.
struct Listening {
    address: SocketAddr,
    built: RunningServer,
    _trigger: ShutdownTrigger,
    _task: JoinSet<()>,
}

impl Listening {
    async fn start(server: Server, config: HttpConfig) -> Self {
        let built = server.start().await.unwrap();
        let bound = HttpServer::new(Arc::new(built.clone())).config(config).bind("127.0.0.1:0").await.unwrap();
        let (trigger, shutdown) = Shutdown::new();
        let address = bound.local_addr();
        let mut task = JoinSet::new();
        task.spawn(async move { bound.serve(shutdown).await.unwrap() });
        Self { address, built, _trigger: trigger, _task: task }
    }
}

/// A server whose tool wants its region in a header too.
fn upstream() -> Server {
    let schema = json!({"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}});
    let server = Server::new("up");
    let tool = Tool::new("search", Schema::new(&schema).unwrap());
    server.registry().tools().insert(tool, |_, _| async { CallToolResult::text("found") }).unwrap().keep();
    server
}

/// The server and the gateway before it, both over HTTP.
async fn chain() -> (Listening, Listening, Record) {
    let record = Record::default();
    let upstream = Listening::start(upstream(), HttpConfig::default().with_authenticator(record.clone())).await;
    let url = format!("http://{}/mcp", upstream.address);
    let gateway = Gateway::new("gateway").reach("up", move |builder| builder.connect(Http::new(&url).bearer("own")));
    let gateway = Listening::start(gateway.server().unwrap(), HttpConfig::default()).await;
    (upstream, gateway, record)
}

/// HTTP-096, T-082, T-131, T-135: headers with arguments go on, those that are known checked and made anew, others as they came. What says
/// who the caller is, or where it comes from, stays here; the server gets the credentials of the gateway.
#[tokio::test]
async fn only_headers_with_arguments_go_on() {
    let (_upstream, gateway, record) = chain().await;
    let ask = Ask::tool("up__search", json!({"region": "eu"}))
        .with("mcp-param-region", "eu")
        .with("Mcp-Param-Tenant", "acme")
        .with("mcp-param-odd", "=?base64?w6Q=?=")
        .with("authorization", "Bearer of-the-caller")
        .with("cookie", "id=of-the-caller")
        .with("forwarded", "for=192.0.2.1")
        .with("x-forwarded-for", "192.0.2.1")
        .with("x-internal", "yes");
    let answer = Client::connect(gateway.address).await.ask(&ask).await;
    assert_eq!((answer.status, answer.text().as_str()), (200, "found"), "{answer:?}");
    let calls = record.of_calls();
    let [headers] = calls.as_slice() else { panic!("{calls:?}") };
    for (name, value) in [
        ("mcp-param-region", "eu"),
        ("mcp-param-tenant", "acme"),
        ("mcp-param-odd", "=?base64?w6Q=?="),
        ("mcp-name", "search"),
        ("authorization", "Bearer own"),
    ] {
        assert_eq!(headers.get_all(name).iter().collect::<Vec<_>>(), [value], "{name}: {headers:?}");
    }
    for name in ["cookie", "forwarded", "x-forwarded-for", "x-internal"] {
        assert!(!headers.contains_key(name), "{name}: {headers:?}");
    }
    assert!(!format!("{headers:?}").contains("of-the-caller"), "{headers:?}");
    gateway.built.stop().await;
}

/// HTTP-108, T-050 in part: what the headers of a request say and its body does not is refused with an HTTP error, before any server
/// behind the gateway hears of it.
#[tokio::test]
async fn headers_that_contradict_the_body_are_refused_here() {
    let (_upstream, gateway, record) = chain().await;
    let search = || Ask::tool("up__search", json!({"region": "eu"})).with("mcp-param-region", "eu");
    for ask in [
        search().with("mcp-param-region", "us"),
        search().without("mcp-param-region"),
        search().with("mcp-param-region", "=?base64?!?="),
        search().with("mcp-name", "up__other"),
        search().with("mcp-name", "search"),
        search().without("mcp-name"),
        search().with("mcp-method", "tools/list"),
        search().without("mcp-protocol-version"),
    ] {
        let answer = Client::connect(gateway.address).await.ask(&ask).await;
        assert_eq!((answer.status, answer.code()), (400, -32020), "{ask:?}");
    }
    assert_eq!(record.of_calls().len(), 0);
    assert_eq!(Client::connect(gateway.address).await.ask(&search()).await.status, 200);
    gateway.built.stop().await;
}

/// HTTP-109, T-136: in revisions that do not bind headers to bodies nothing is decided by these headers, and none of them goes on to
/// a server that would believe it had been checked.
#[tokio::test]
async fn headers_that_nobody_checked_decide_nothing() {
    let (_upstream, gateway, record) = chain().await;
    let session = Session::open(gateway.address, "2025-11-25").await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "up__search", "arguments": {"region": "eu"}}});
    let ask = session.post(body).with("mcp-method", "tools/list").with("mcp-name", "up__other");
    let ask = ask.with("mcp-param-region", "us").with("mcp-param-tenant", "acme");
    let answer = Client::connect(gateway.address).await.ask(&ask).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let body = String::from_utf8(answer.body).unwrap();
    assert!(body.contains("found"), "{body}");
    let calls = record.of_calls();
    let [headers] = calls.as_slice() else { panic!("{calls:?}") };
    assert_eq!(
        (&headers["mcp-name"], &headers["mcp-param-region"]),
        (&"search".parse().unwrap(), &"eu".parse().unwrap())
    );
    assert!(!headers.contains_key("mcp-param-tenant"), "{headers:?}");
    gateway.built.stop().await;
}

/// T-132: each server gets the credentials of its own entry, however much its name or its address is like another's.
#[tokio::test]
async fn each_server_gets_its_own_credentials() {
    let (mut gateway, mut servers) = (Gateway::new("gateway"), Vec::new());
    for name in ["up", "up-1", "u"] {
        let record = Record::default();
        let listening = Listening::start(upstream(), HttpConfig::default().with_authenticator(record.clone())).await;
        let (url, secret) = (format!("http://{}/mcp", listening.address), format!("of-{name}"));
        gateway = gateway.reach(name, move |builder| builder.connect(Http::new(&url).bearer(&secret)));
        servers.push((name, record, listening));
    }
    let gateway = Listening::start(gateway.server().unwrap(), HttpConfig::default()).await;
    for (name, ..) in &servers {
        let ask = Ask::tool(&format!("{name}__search"), json!({"region": "eu"})).with("mcp-param-region", "eu");
        assert_eq!(Client::connect(gateway.address).await.ask(&ask).await.text(), "found", "{name}");
    }
    for (name, record, _) in &servers {
        let seen = record.0.lock().unwrap();
        let own = format!("Bearer of-{name}");
        assert!(
            seen.len() > 1 && seen.iter().all(|headers| headers["authorization"] == own.as_str()),
            "{name}: {seen:?}"
        );
    }
    gateway.built.stop().await;
}
