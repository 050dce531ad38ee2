//! A server behind real tokens.

use std::sync::Arc;

use http_body::Body as _;
use jackfield::auth::Clock;
use jackfield::auth::jose::{JwkSet, SigningKey};
use jackfield::auth::resource::{JwtVerifier, ResourceServer};
use jackfield::http::{Body, HttpConfig, StreamableService};
use jackfield::{Server, Value, json};

const ISSUER: &str = "https://auth.example.com";
const RESOURCE: &str = "https://mcp.example.com/mcp";
const NOW: u64 = 1_800_000_000;

/// A server that wants tokens, and the key that signs them.
pub(crate) struct Guarded {
    key: SigningKey,
    service: StreamableService,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: http::HeaderMap,
    pub(crate) body: Value,
}

impl Guarded {
    pub(crate) async fn new(server: Server) -> Self {
        let key = SigningKey::generate().unwrap();
        let keys = Arc::new(JwkSet { keys: vec![key.public().clone()] });
        let clock = Clock::manual(NOW);
        let verifier = JwtVerifier::with_clock(ISSUER, keys, clock.clone());
        let door = ResourceServer::builder(RESOURCE).issuer(ISSUER, verifier).clock(clock).build().unwrap();
        let service = server.start().await.unwrap().http_service(HttpConfig::default().with_authenticator(door));
        Self { key, service }
    }

    /// The same without anybody at the door.
    pub(crate) async fn open(server: Server) -> Self {
        let service = server.start().await.unwrap().http_service(HttpConfig::default());
        Self { key: SigningKey::generate().unwrap(), service }
    }

    /// Signs a token that is good for a minute, with these claims besides.
    pub(crate) fn token(&self, mut claims: Value) -> String {
        (claims["iss"], claims["aud"], claims["exp"]) = (ISSUER.into(), RESOURCE.into(), (NOW + 60).into());
        self.key.sign("at+jwt", &claims).unwrap()
    }

    /// Sends a request; what is answered as a stream is not read.
    pub(crate) async fn send(&self, request: http::request::Builder, token: Option<String>, body: &Value) -> Answer {
        let mut request = request.header("host", "localhost").header("accept", "application/json, text/event-stream");
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let response = self.service.serve(request.body(Body::full(body)).unwrap()).await;
        let (parts, mut body) = response.into_parts();
        let mut text = Vec::new();
        let is_json = parts.headers.get("content-type").is_some_and(|kind| kind == "application/json");
        while is_json && let Some(frame) = std::future::poll_fn(|cx| std::pin::Pin::new(&mut body).poll_frame(cx)).await
        {
            text.extend_from_slice(&frame.unwrap().into_data().unwrap());
        }
        let body = serde_json::from_slice(&text).unwrap_or_default();
        Answer { status: parts.status.as_u16(), headers: parts.headers, body }
    }
}

/// A POST of the modern era; `params` is completed by what the client says about itself.
pub(crate) fn modern(method: &str, params: &mut Value, capabilities: Value) -> http::request::Builder {
    params["_meta"] = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities });
    let request = post().header("mcp-protocol-version", "2026-07-28").header("mcp-method", method);
    match ["name", "uri", "taskId"].iter().find_map(|key| params[*key].as_str()) {
        Some(name) => request.header("mcp-name", name),
        None => request,
    }
}

/// A POST of the legacy era, in a session if one is named.
pub(crate) fn legacy(session: &str) -> http::request::Builder {
    if session.is_empty() { post() } else { post().header("mcp-session-id", session) }
}

fn post() -> http::request::Builder {
    http::Request::post("/mcp").header("content-type", "application/json")
}
