//! Measures what a bearer check adds to a call, in one run: the same call without and with a token, in turns.
//!
//! `cargo xtask bench --auth` builds and runs it. It prints medians and fails above 60 µs, and when a token that was never seen costs
//! much more than the one thing that cannot be left out, which is to check its signature.

#![expect(clippy::print_stdout, reason = "this program talks to a person, not to a protocol peer")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use jackfield::auth::jose::{Jwk, JwkSet, Jws, SigningKey};
use jackfield::auth::resource::{JwtVerifier, ResourceServer};
use jackfield::http::{Body, HttpConfig, StreamableService};
use jackfield::{Revision, Server, json, tool, tools};

const ISSUER: &str = "https://auth.example.com";
const RESOURCE: &str = "https://mcp.example.com/mcp";
const LIMIT: Duration = Duration::from_micros(60);
const CALLS: usize = 5000;
/// How much more than the signature alone a token may cost that was never seen: reading it, finding the key, remembering it.
const AROUND: Duration = Duration::from_micros(30);

/// Give a text back.
#[tool]
fn echo(text: String) -> String {
    text
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let key = SigningKey::generate()?;
    let keys = Arc::new(JwkSet { keys: vec![key.public().clone()] });
    let door = ResourceServer::builder(RESOURCE).issuer(ISSUER, JwtVerifier::new(ISSUER, keys)).build()?;
    let now = jackfield::auth::Clock::system().now();
    let token = |number: usize| {
        let claims =
            json!({ "iss": ISSUER, "sub": "ann", "aud": RESOURCE, "exp": now + 3600, "jti": number.to_string() });
        key.sign("at+jwt", &claims)
    };
    let open = Server::new("open").tools(tools![echo]).build()?.start().await?.http_service(HttpConfig::default());
    let guarded = Server::new("guarded")
        .tools(tools![echo])
        .build()?
        .start()
        .await?
        .http_service(HttpConfig::default().with_authenticator(door));
    let same = token(0)?;
    let (mut plain, mut known, mut fresh, mut alone) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for number in 0..CALLS {
        let never_seen = token(number + 1)?;
        plain.push(call(&open, None).await?);
        known.push(call(&guarded, Some(&same)).await?);
        fresh.push(call(&guarded, Some(&never_seen)).await?);
        alone.push(signature(&never_seen, key.public())?);
    }
    let (plain, known, fresh, alone) = (median(plain), median(known), median(fresh), median(alone));
    let ratio = |time: Duration| time.as_secs_f64() / plain.as_secs_f64();
    println!("a call without a token          {plain:>10.1?}");
    println!("with a token that was seen      {known:>10.1?}  {:.2} times", ratio(known));
    println!("with a token never seen before  {fresh:>10.1?}  {:.2} times", ratio(fresh));
    println!("the signature of one, alone     {alone:>10.1?}");
    let added = known.saturating_sub(plain);
    let around = fresh.saturating_sub(plain).saturating_sub(alone);
    println!("a bearer check adds {added:.1?}; the limit is {LIMIT:.1?}");
    println!("a token never seen adds {around:.1?} to its signature; the limit is {AROUND:.1?}");
    if added > LIMIT || around > AROUND { Err("a bearer check costs too much".into()) } else { Ok(()) }
}

/// What checking a signature takes, and nothing else.
fn signature(token: &str, key: &Jwk) -> Result<Duration, Box<dyn std::error::Error>> {
    let jws = Jws::parse(token)?;
    let begin = Instant::now();
    jws.verify(key)?;
    Ok(begin.elapsed())
}

async fn call(service: &StreamableService, token: Option<&str>) -> Result<Duration, Box<dyn std::error::Error>> {
    let revision = Revision::LATEST.as_str();
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": revision, "io.modelcontextprotocol/clientCapabilities": {} });
    let params = json!({ "name": "echo", "arguments": { "text": "x" }, "_meta": meta });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let mut request = ::http::Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", revision)
        .header("mcp-method", "tools/call")
        .header("mcp-name", "echo");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let request = request.body(Body::full(body))?;
    let begin = Instant::now();
    let response = service.serve(request).await;
    let time = begin.elapsed();
    if response.status() == 200 { Ok(time) } else { Err(format!("status {}", response.status()).into()) }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
