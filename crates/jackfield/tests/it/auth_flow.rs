//! The whole way, over real sockets: register, authorize, log in, consent, call, refresh, be found out, give back.

use std::net::SocketAddr;
use std::sync::Arc;

use jackfield::auth::pkce::Verifier;
use jackfield::auth::resource::ScopeRules;
use jackfield::auth::server::{AuthorizationServer, Registration, Resource, Users};
use jackfield::auth::{Clock, Protect as _, Secret};
use jackfield::http::{HttpConfig, HttpServer};
use jackfield::transport::Shutdown;
use jackfield::{Server, Value, json, tool, tools};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

const ISSUER: &str = "http://127.0.0.1:8000";
const RESOURCE: &str = "http://127.0.0.1:8000/mcp";
const REDIRECT: &str = "http://127.0.0.1:9999/cb";

/// Whisper.
#[tool]
fn whisper() -> String {
    "psst".to_owned()
}

/// A client of a few lines, with cookies.
struct Client {
    address: SocketAddr,
    cookies: Vec<String>,
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    fn field(&self, name: &str) -> String {
        let start = format!("name=\"{name}\" value=\"");
        self.body.split(&start).nth(1).unwrap().split('"').next().unwrap().to_owned()
    }

    fn param(&self, name: &str) -> String {
        let location = self.header("location").unwrap();
        let start = format!("{name}=");
        let query = location.split('?').nth(1).unwrap();
        query.split('&').find_map(|pair| pair.strip_prefix(&start)).unwrap().to_owned()
    }
}

impl Client {
    async fn send(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut text = format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:8000\r\nconnection: close\r\ncontent-length: {}\r\n",
            body.len()
        );
        if !self.cookies.is_empty() {
            text += &format!("cookie: {}\r\n", self.cookies.join("; "));
        }
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(format!("{text}\r\n{body}").as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        for line in head.lines().filter_map(|line| line.strip_prefix("set-cookie: ")) {
            self.cookies.push(line.split(';').next().unwrap().to_owned());
        }
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    async fn post(&mut self, path: &str, form: &str) -> Answer {
        self.send("POST", path, &[("content-type", "application/x-www-form-urlencoded")], form).await
    }

    async fn call(&mut self, token: Option<&str>) -> Answer {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "whisper", "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} } } });
        let authorization = token.map(|token| format!("Bearer {token}"));
        let mut headers = vec![
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "whisper"),
        ];
        headers.extend(authorization.as_deref().map(|value| ("authorization", value)));
        self.send("POST", "/mcp", &headers, &body.to_string()).await
    }
}

async fn start(clock: &Clock) -> (Client, JoinSet<()>) {
    let users = Users::new().unwrap();
    users.add_user("ann", &Secret::new("correct horse battery")).unwrap();
    let authorization = AuthorizationServer::builder(ISSUER)
        .resource(Resource::new(RESOURCE).scope("whisper", "Whisper to you"))
        .users(users)
        .registration(Registration::default())
        .clock(clock.clone())
        .build()
        .unwrap();
    let door = authorization.protect(RESOURCE).unwrap().build().unwrap();
    let server = Server::new("secret").tools(tools![whisper]).protect(ScopeRules::new().tool("whisper", "whisper"));
    let config = HttpConfig::default().with_authenticator(door).with_routes(authorization);
    let bound =
        HttpServer::new(Arc::new(server.start().await.unwrap())).config(config).bind("127.0.0.1:0").await.unwrap();
    let client = Client { address: bound.local_addr(), cookies: Vec::new() };
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        let (_trigger, shutdown) = Shutdown::new();
        bound.serve(shutdown).await.unwrap();
    });
    (client, serving)
}

/// AUTH-003, AUTH-013, AUTH-021, AUTH-102, BASE-037, HTTP-010; T-088
#[tokio::test]
async fn the_whole_way_of_a_client() {
    let clock = Clock::manual(1_800_000_000);
    let (mut client, _serving) = start(&clock).await;

    let refused = client.call(None).await;
    assert_eq!(refused.status, 401);
    let challenge = refused.header("www-authenticate").unwrap();
    assert!(
        challenge.contains("resource_metadata=\"http://127.0.0.1:8000/.well-known/oauth-protected-resource/mcp\""),
        "{challenge}"
    );
    let resource = client.send("GET", "/.well-known/oauth-protected-resource/mcp", &[], "").await.json();
    assert_eq!(resource["authorization_servers"][0], ISSUER);
    let metadata = client.send("GET", "/.well-known/oauth-authorization-server", &[], "").await.json();
    assert_eq!(metadata["registration_endpoint"], "http://127.0.0.1:8000/register");

    let about = json!({ "redirect_uris": [REDIRECT], "client_name": "Test", "application_type": "native",
        "token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"] });
    let registered =
        client.send("POST", "/register", &[("content-type", "application/json")], &about.to_string()).await;
    assert_eq!(registered.status, 201, "{}", registered.body);
    let id = registered.json()["client_id"].as_str().unwrap().to_owned();

    let verifier = Verifier::random().unwrap();
    let challenge = verifier.challenge();
    let query = format!(
        "response_type=code&client_id={id}&redirect_uri={REDIRECT}&state=s1&scope=whisper&resource={RESOURCE}&code_challenge={}&code_challenge_method=S256",
        challenge.as_str()
    );
    let login = client.send("GET", &format!("/authorize?{query}"), &[], "").await;
    let hidden = |page: &Answer| format!("request={}&csrf={}", page.field("request"), page.field("csrf"));
    let consent =
        client.post("/login", &format!("{}&username=ann&password=correct+horse+battery", hidden(&login))).await;
    assert!(consent.body.contains("Whisper to you") && consent.body.contains("your own computer"), "{}", consent.body);
    let back = client.post("/consent", &format!("{}&decision=allow", hidden(&consent))).await;
    assert!(back.header("location").unwrap().starts_with(REDIRECT) && back.param("state") == "s1");

    let form = format!(
        "grant_type=authorization_code&client_id={id}&code={}&redirect_uri={REDIRECT}&resource={RESOURCE}&code_verifier={}",
        back.param("code"),
        verifier.expose()
    );
    let tokens = client.post("/token", &form).await.json();
    let access = tokens["access_token"].as_str().unwrap().to_owned();
    assert!(client.call(Some(&access)).await.body.contains("psst"));
    clock.advance(700);
    assert_eq!(client.call(Some(&access)).await.status, 401, "it expired");

    let refresh =
        |token: &Value| format!("grant_type=refresh_token&client_id={id}&refresh_token={}", token.as_str().unwrap());
    let second = client.post("/token", &refresh(&tokens["refresh_token"])).await.json();
    let access = second["access_token"].as_str().unwrap().to_owned();
    assert!(client.call(Some(&access)).await.body.contains("psst"));
    clock.advance(11);
    let reused = client.post("/token", &refresh(&tokens["refresh_token"])).await;
    assert_eq!((reused.status, reused.json()["error"].as_str()), (400, Some("invalid_grant")));
    assert_eq!(client.call(Some(&access)).await.status, 401, "a stolen refresh token ends everything");

    let page = client.send("GET", &format!("/authorize?{query}"), &[], "").await;
    let back = client.post("/consent", &format!("{}&decision=allow", hidden(&page))).await;
    let form = format!(
        "grant_type=authorization_code&client_id={id}&code={}&code_verifier={}",
        back.param("code"),
        verifier.expose()
    );
    let third = client.post("/token", &form).await.json();
    let access = third["access_token"].as_str().unwrap().to_owned();
    assert!(client.call(Some(&access)).await.body.contains("psst"));
    let given_back =
        client.post("/revoke", &format!("client_id={id}&token={}", third["refresh_token"].as_str().unwrap())).await;
    assert_eq!(given_back.status, 200);
    assert_eq!(client.call(Some(&access)).await.status, 401);
}
