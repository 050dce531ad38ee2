//! What is refused before anybody looks at the message.

use jackfield_http::HttpConfig;
use serde_json::json;

use crate::client::{Ask, Client};
use crate::fixture::Fixture;

/// T-020, HTTP-007, HTTP-008: Host and Origin are checked on every path and method, before anything else.
#[tokio::test]
async fn strange_hosts_and_origins_are_refused_everywhere() {
    let fixture = Fixture::start().await;
    for path in ["/mcp", "/sse", "/message?sessionId=x", "/healthz", "/elsewhere"] {
        for verb in ["GET", "POST", "DELETE", "OPTIONS", "PUT"] {
            for (name, value) in [
                ("host", "evil.example.com"),
                ("host", "localhost.evil.com:80"),
                ("host", "127.0.0.1@evil.com"),
                ("origin", "null"),
                ("origin", "http://evil.example.com"),
                ("origin", "http://localhost.evil.com"),
                ("origin", "http://localhost@evil.com"),
                ("origin", "http://evil.com?localhost"),
            ] {
                let answer = fixture.ask(&Ask::new(verb, path).with("content-length", "0").with(name, value)).await;
                assert_eq!(answer.status, 403, "{verb} {path} {name}: {value}");
                let message = answer.json()["error"]["message"].as_str().unwrap().to_owned();
                assert!(message.contains("allowed_hosts") || message.contains("allowed_origins"), "{message}");
                assert!(answer.json().get("id").is_none());
            }
        }
    }
    for host in ["127.0.0.1:1", "[::1]:99", "LocalHost"] {
        assert_eq!(fixture.ask(&Ask::tool("echo", json!({})).with("host", host)).await.status, 200);
    }
    let answer = fixture.ask(&Ask::tool("echo", json!({})).with("origin", "http://localhost:6274")).await;
    assert_eq!(answer.status, 200);
    assert_eq!(fixture.ask(&Ask::tool("echo", json!({})).without("host")).await.status, 403);
    assert_eq!(fixture.ask(&Ask::tool("echo", json!({})).path("http://evil.com/mcp")).await.status, 403);
    assert_eq!(fixture.ask(&Ask::tool("echo", json!({})).and("host", "evil.com")).await.status, 400);
}

/// T-020: configured names pass.
#[tokio::test]
async fn configured_hosts_and_origins_pass() {
    let config = HttpConfig::default().allow_host("mcp.example.com").allow_origin("https://app.example.com");
    let fixture = Fixture::with(config).await;
    let ask =
        Ask::tool("echo", json!({})).with("host", "mcp.example.com:8080").with("origin", "https://app.example.com");
    let answer = fixture.ask(&ask).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), None, "T-022: allowed is not the same as readable");
}

/// T-021: what a page may send anywhere without asking is not read.
#[tokio::test]
async fn only_json_is_read() {
    let fixture = Fixture::start().await;
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json, text/plain",
    ] {
        let answer = fixture.ask(&Ask::tool("echo", json!({})).with("content-type", kind)).await;
        assert_eq!(answer.status, 415, "{kind}");
    }
    assert_eq!(fixture.ask(&Ask::tool("echo", json!({})).without("content-type")).await.status, 415);
    let answer =
        fixture.ask(&Ask::tool("echo", json!({})).with("content-type", "application/json; charset=utf-8")).await;
    assert_eq!(answer.status, 200);
}

/// T-022: no CORS headers unless configured; a preflight from elsewhere is refused.
#[tokio::test]
async fn cors_is_off_unless_configured() {
    let fixture = Fixture::start().await;
    let preflight = Ask::new("OPTIONS", "/mcp").with("access-control-request-method", "POST");
    let answer = fixture.ask(&preflight.clone().with("origin", "http://localhost:1")).await;
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (405, None));

    let mut config = HttpConfig::default();
    config.cors_origins = vec!["https://app.example.com".to_owned(), "*".to_owned(), "null".to_owned()];
    let fixture = Fixture::with(config).await;
    let answer = fixture.ask(&preflight.clone().with("origin", "https://app.example.com")).await;
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (204, Some("https://app.example.com")));
    assert_eq!((answer.header("vary"), answer.header("access-control-allow-credentials")), (Some("origin"), None));
    for origin in ["https://evil.com", "null", "*"] {
        let answer = fixture.ask(&preflight.clone().with("origin", origin)).await;
        assert!(answer.header("access-control-allow-origin").is_none(), "{origin}");
    }
    let answer = fixture.ask(&Ask::tool("echo", json!({})).with("origin", "https://app.example.com")).await;
    let exposed = "mcp-session-id, www-authenticate, dpop-nonce, retry-after";
    assert_eq!(answer.header("access-control-expose-headers"), Some(exposed));
}

/// T-022: a page may send what calls need, such as arguments that are marked as headers, and nothing else it names; origins are
/// the same however they are written.
#[tokio::test]
async fn a_preflight_allows_what_calls_need() {
    let mut config = HttpConfig::default();
    config.cors_origins = vec!["https://App.example.com/".to_owned()];
    let fixture = Fixture::with(config).await;
    let preflight = Ask::new("OPTIONS", "/mcp")
        .with("origin", "https://app.example.com")
        .with("access-control-request-method", "POST")
        .with("access-control-request-headers", "content-type,mcp-param-region, Mcp-Param-Count,x-evil,mcp-param-a b");
    let answer = fixture.ask(&preflight).await;
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (204, Some("https://app.example.com")));
    let allowed: Vec<_> = answer.header("access-control-allow-headers").unwrap().split(", ").collect();
    for name in ["content-type", "authorization", "dpop", "mcp-method", "mcp-param-region", "mcp-param-count"] {
        assert!(allowed.contains(&name), "{name}: {allowed:?}");
    }
    assert!(!allowed.iter().any(|name| name.contains("evil") || name.contains("param-a")), "{allowed:?}");
}

/// T-024, HTTP-009: without flags only this machine is served.
#[tokio::test]
async fn other_machines_need_flags() {
    use jackfield_http::{Error, HttpServer};
    let bind = |config: HttpConfig| async {
        let (tools, _) = crate::fixture::Tools::new();
        HttpServer::new(tools).config(config).bind("0.0.0.0:0").await
    };
    assert!(matches!(bind(HttpConfig::default()).await, Err(Error::Remote(_))));
    let mut remote = HttpConfig::default();
    remote.allow_remote = true;
    assert!(matches!(bind(remote.clone()).await, Err(Error::Unauthenticated(_))));
    assert!(bind(remote.clone().with_authenticator(crate::fixture::Users)).await.is_ok());
    remote.allow_unauthenticated = true;
    assert!(bind(remote).await.is_ok());
    let (tools, _) = crate::fixture::Tools::new();
    assert!(HttpServer::new(tools).bind("127.0.0.1:0").await.unwrap().local_addr().ip().is_loopback());
}

/// T-003: a body above the limit gets 413 while it comes, however it is sent; at the limit it is served.
#[tokio::test]
async fn bodies_are_bounded() {
    let fixture = Fixture::with(HttpConfig::default().with_limits(|limits| limits.body_bytes = 1000)).await;
    let sized = |length: usize| {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover" }).to_string();
        let filled = format!("{body}{}", " ".repeat(length - body.len()));
        Ask::post(filled).with("mcp-protocol-version", "2026-07-28")
    };
    for (length, status) in [(999, 400), (1000, 400), (1001, 413)] {
        assert_eq!(fixture.ask(&sized(length)).await.status, status, "{length}");
    }
    // Announced, but never sent.
    let mut client = Client::connect(fixture.address).await;
    client
        .send(
            Ask::new("POST", "/mcp")
                .with("content-type", "application/json")
                .with("content-length", "64000000")
                .bytes(),
        )
        .await;
    assert_eq!(client.answer().await.status, 413);
    // In chunks, without an end.
    let mut client = Client::connect(fixture.address).await;
    client
        .send(
            Ask::new("POST", "/mcp")
                .with("content-type", "application/json")
                .with("transfer-encoding", "chunked")
                .bytes(),
        )
        .await;
    for _ in 0..11 {
        client.try_send(format!("64\r\n{}\r\n", " ".repeat(100))).await;
    }
    assert_eq!(client.answer().await.status, 413);
}

/// The paths: the endpoint, health, and nothing else.
#[tokio::test]
async fn paths_and_methods() {
    let fixture = Fixture::start().await;
    let answer = fixture.ask(&Ask::new("GET", "/healthz")).await;
    assert_eq!((answer.status, answer.json()), (200, json!({ "status": "ok" })));
    for (verb, path, status, allow) in [
        ("GET", "/", 404, None),
        ("GET", "/mcp/", 404, None),
        ("PUT", "/mcp", 405, Some("GET, POST, DELETE")),
        ("OPTIONS", "/mcp", 405, Some("GET, POST, DELETE")),
        ("GET", "/message", 405, Some("POST")),
        ("POST", "/sse", 405, Some("GET")),
        ("POST", "/healthz", 405, Some("GET")),
    ] {
        let answer = fixture.ask(&Ask::new(verb, path).with("content-length", "0")).await;
        assert_eq!((answer.status, answer.header("allow")), (status, allow), "{verb} {path}");
    }
    let mut config = HttpConfig::default();
    (config.path, config.sse, config.health_path) = ("/".to_owned(), None, None);
    let fixture = Fixture::with(config).await;
    assert_eq!(fixture.ask(&Ask::tool("echo", json!({})).path("/")).await.status, 200);
    for path in ["/mcp", "/sse", "/healthz"] {
        assert_eq!(fixture.ask(&Ask::new("GET", path)).await.status, 404);
    }
}

/// T-028: listen streams per address are bounded, and given back.
#[tokio::test]
async fn listen_streams_are_bounded() {
    let mut fixture = Fixture::limited(HttpConfig::default(), |calls| calls.listen_streams = 2).await;
    let listen = Ask::modern("subscriptions/listen", json!({ "notifications": {} }));
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut client = Client::connect(fixture.address).await;
        assert_eq!(client.open(&listen).await.status, 200);
        open.push(client);
    }
    let answer = fixture.ask(&listen).await;
    assert_eq!((answer.status, answer.header("retry-after")), (429, Some("5")));
    assert_eq!((answer.code(), &answer.json()["id"]), (429, &json!(1)));
    assert_eq!(fixture.ask(&Ask::tool("echo", json!({}))).await.status, 200, "others are served");
    open.pop();
    fixture.see("dropped").await;
    // The permit goes with the response, a moment after the handler; there is no event for it.
    jackfield_testkit::eventually("there is room for another stream", async || {
        Client::connect(fixture.address).await.open(&listen).await.status == 200
    })
    .await;
}

/// T-028: connections are bounded, in all and per address.
#[tokio::test]
async fn connections_are_bounded() {
    for per_address in [true, false] {
        let config = HttpConfig::default().with_limits(|limits| match per_address {
            true => limits.connections_per_address = 2,
            false => limits.connections = 2,
        });
        let fixture = Fixture::with(config).await;
        let mut clients = Vec::new();
        for _ in 0..2 {
            let mut client = Client::connect(fixture.address).await;
            assert_eq!(client.ask(&Ask::tool("echo", json!({}))).await.status, 200);
            clients.push(client);
        }
        assert!(Client::connect(fixture.address).await.is_closed().await);
        assert_eq!(clients[0].ask(&Ask::tool("echo", json!({}))).await.status, 200);
    }
}

/// T-023: no path becomes a socket that a page could open across origins: a stranger's page is refused, and nobody else gets an
/// upgrade either.
#[tokio::test]
async fn connections_are_never_upgraded() {
    let fixture = Fixture::start().await;
    for path in ["/mcp", "/sse", "/message", "/healthz", "/", "/ws"] {
        let upgrade = |protocol: &str| {
            Ask::new("GET", path)
                .with("accept", "text/event-stream")
                .with("connection", "upgrade")
                .with("upgrade", protocol)
                .with("sec-websocket-version", "13")
                .with("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
        };
        let mut client = Client::connect(fixture.address).await;
        let refused = client.open(&upgrade("websocket").with("origin", "https://evil.example.com")).await;
        assert_eq!(refused.status, 403, "{path}");
        for protocol in ["websocket", "h2c", "TLS/1.0"] {
            let mut client = Client::connect(fixture.address).await;
            let answer = client.open(&upgrade(protocol)).await;
            assert!(answer.status != 101 && answer.header("upgrade").is_none(), "{path}: {answer:?}");
        }
    }
}
