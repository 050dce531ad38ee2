//! Measures whether the time that a refusal takes tells something: an unknown user beside a known one, a secret that is wrong at once
//! beside one that is wrong at its end. The two take turns, so that a busy machine is as unfair to one as to the other.
//!
//! `cargo xtask bench --auth` builds and runs it. It prints medians and fails when they differ by more than a quarter.

#![expect(clippy::print_stdout, reason = "this program talks to a person, not to a protocol peer")]

use std::time::{Duration, Instant};

use ::http::{Request, Response};
use http_body::Body as _;
use jackfield::Server;
use jackfield::auth::server::{AuthorizationServer, Client, Resource, Users};
use jackfield::auth::{Clock, Secret};
use jackfield::http::{Body, HttpConfig, StreamableService};

type Failure = Box<dyn std::error::Error>;

const ISSUER: &str = "http://127.0.0.1:8000";
const REDIRECT: &str = "http://127.0.0.1/cb";
const LOGINS: usize = 60;
const GUESSES: usize = 3000;
const SECRET: &str = "0123456789abcdef0123456789abcdef";
/// By how much the slower of two may exceed the faster.
const MOST: f64 = 1.25;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let clock = Clock::manual(1_800_000_000);
    let users = Users::new()?;
    users.add_user("ann", &Secret::new("correct horse battery"))?;
    let authorization = AuthorizationServer::builder(ISSUER)
        .resource(Resource::new(format!("{ISSUER}/mcp")))
        .users(users)
        .client(Client::public("app", [REDIRECT]))
        .client(Client::with_secret("robot", &SECRET.into()))
        .clock(clock.clone())
        .build()?;
    let service =
        Server::new("timing").build()?.start().await?.http_service(HttpConfig::default().with_routes(authorization));

    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for _ in 0..LOGINS {
        // Each attempt begins with nothing counted against it.
        clock.advance(1000);
        known.push(log_in(&service, "ann").await?);
        unknown.push(log_in(&service, "bob").await?);
    }
    let users = compare("a wrong password", ("of a user", known), ("of nobody", unknown));

    let (mut first, mut last) = (Vec::new(), Vec::new());
    for _ in 0..GUESSES {
        clock.advance(1000);
        first.push(guess(&service, "X123456789abcdef0123456789abcdef").await?);
        last.push(guess(&service, "0123456789abcdef0123456789abcdeX").await?);
    }
    let secrets = compare("a wrong secret", ("at its beginning", first), ("at its end", last));
    if users && secrets { Ok(()) } else { Err("the time of a refusal tells too much".into()) }
}

async fn log_in(service: &StreamableService, user: &str) -> Result<Duration, Failure> {
    let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    let path = format!(
        "/authorize?response_type=code&client_id=app&redirect_uri={REDIRECT}&code_challenge={challenge}&code_challenge_method=S256"
    );
    let page = service.serve(Request::get(path).header("host", "127.0.0.1:8000").body(Body::full(""))?).await;
    let cookie = page.headers().get("set-cookie").and_then(|cookie| cookie.to_str().ok()).unwrap_or_default();
    let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
    let text = text(page).await;
    let field = |name: &str| {
        let rest = text.split(&format!("name=\"{name}\" value=\"")).nth(1).unwrap_or_default();
        rest.split('"').next().unwrap_or_default().to_owned()
    };
    let form =
        format!("request={}&csrf={}&username={user}&password=wrong+all+the+time", field("request"), field("csrf"));
    timed(service, post("/login").header("cookie", cookie).body(Body::full(form))?, 200).await
}

async fn guess(service: &StreamableService, secret: &str) -> Result<Duration, Failure> {
    let form = format!("grant_type=client_credentials&client_id=robot&client_secret={secret}");
    timed(service, post("/token").body(Body::full(form))?, 401).await
}

fn post(path: &str) -> ::http::request::Builder {
    let request = Request::post(path).header("host", "127.0.0.1:8000");
    request.header("content-type", "application/x-www-form-urlencoded")
}

async fn timed(service: &StreamableService, request: Request<Body>, status: u16) -> Result<Duration, Failure> {
    let begin = Instant::now();
    let answer = service.serve(request).await;
    let time = begin.elapsed();
    if answer.status() == status { Ok(time) } else { Err(format!("status {}", answer.status()).into()) }
}

async fn text(answer: Response<Body>) -> String {
    let mut body = answer.into_body();
    let mut text = Vec::new();
    while let Some(Ok(frame)) = std::future::poll_fn(|cx| std::pin::Pin::new(&mut body).poll_frame(cx)).await {
        text.extend_from_slice(&frame.into_data().unwrap_or_default());
    }
    String::from_utf8_lossy(&text).into_owned()
}

fn compare(what: &str, one: (&str, Vec<Duration>), other: (&str, Vec<Duration>)) -> bool {
    let (first, second) = (median(one.1), median(other.1));
    let ratio = first.max(second).as_secs_f64() / first.min(second).as_secs_f64().max(f64::MIN_POSITIVE);
    println!("{what}: {} {first:.1?}, {} {second:.1?}; {ratio:.2} times, the limit is {MOST}", one.0, other.0);
    ratio <= MOST
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
