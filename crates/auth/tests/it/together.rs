//! Servers that share a store are one server: what one of them counted or took, the others know.

use std::sync::Arc;

use bytes::Bytes;
use http::Request;
use jackfield_auth::dpop::{ProofRules, Proven, prove};
use jackfield_auth::jose::SigningKey;
use jackfield_auth::resource::{DpopUse, ResourceServer, TokenVerifier as _};
use jackfield_auth::server::{AuthorizationServer, SharedStore};
use jackfield_auth::{AuthStore, Clock, MemoryStore, StoreError, Storing};
use jackfield_store::Redis;
use jackfield_testkit::RedisServer;
use serde_json::json;

use crate::guarded::{Answer, Guarded, Inner, pass};
use crate::restarts::File;
use crate::visitor::{ISSUER, NOW, RESOURCE, Start, Visitor, builder, server};

const ROBOT: (&str, &str) = ("robot", "s3cret of the robot");

/// Asks for a token that is bound to a key.
async fn bound_token(server: &AuthorizationServer, proof: &str) -> crate::visitor::Answer {
    let form = [("grant_type", "client_credentials"), ("resource", RESOURCE)];
    Visitor::new(server).basic(ROBOT.0, ROBOT.1).with("dpop", proof).post("/token", &form).await
}

async fn show(door: &ResourceServer, token: &str, proof: &str) -> Answer {
    let request = Request::post("/mcp").header("authorization", format!("DPoP {token}")).header("dpop", proof);
    pass(door, &Inner::default(), request.body(Bytes::new()).unwrap()).await
}

/// Five passwords of a user are looked at, whichever servers are asked; a right one makes all of them forget. T-090
#[tokio::test]
async fn attempts_are_counted_by_all_servers_together() {
    let file = File::new();
    let (one, other) = (file.server().await, file.server().await);
    let mut visitor = five_attempts(&one, &other).await;
    file.clock.advance(301);
    let page = visitor.get(&Start::new().path()).await;
    assert_eq!(visitor.login_as(&page, "ann", &long()).await.status, 200, "five minutes later");
}

/// A password that nobody can have is not even looked at, which makes this fast; it counts all the same.
fn long() -> String {
    "x".repeat(1025)
}

async fn five_attempts(one: &AuthorizationServer, other: &AuthorizationServer) -> Visitor {
    let mut visitor = Visitor::new(one);
    let page = visitor.get(&Start::new().path()).await;
    for number in 0..5 {
        visitor.server = if number % 2 == 0 { one.clone() } else { other.clone() };
        assert_eq!(visitor.login_as(&page, "ann", &long()).await.status, 200, "attempt {number}");
    }
    for server in [one, other] {
        visitor.server = server.clone();
        assert_eq!(visitor.login_as(&page, "ann", &long()).await.status, 429);
    }
    visitor
}

/// A client that guesses secrets from one address is stopped at all servers after twenty. T-090
#[tokio::test]
async fn guesses_of_a_secret_are_counted_by_all_servers_together() {
    let file = File::new();
    let (one, other) = (file.server().await, file.server().await);
    let form = [("grant_type", "client_credentials"), ("resource", RESOURCE)];
    for number in 0..20 {
        let server = if number % 2 == 0 { &one } else { &other };
        assert_eq!(Visitor::new(server).basic("robot", "a guess").post("/token", &form).await.status, 401);
    }
    for server in [&one, &other] {
        assert_eq!(Visitor::new(server).basic(ROBOT.0, ROBOT.1).post("/token", &form).await.status, 429);
    }
}

/// A proof that one server took is taken by none again, neither for a token nor with one. RFC 9449, section 11.1
#[tokio::test]
async fn a_proof_is_taken_once_by_all_servers() {
    let file = File::new();
    one_proof(&file.server().await, &file.server().await).await;
}

async fn one_proof(one: &AuthorizationServer, other: &AuthorizationServer) {
    let key = SigningKey::generate().unwrap();
    let url = format!("{ISSUER}/token");
    let proof = prove(&key, Proven { method: "POST", url: &url, token: None }, None, NOW).unwrap();
    let answer = bound_token(one, &proof).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(bound_token(other, &proof).await.error(), "invalid_dpop_proof");

    let token = answer.json()["access_token"].as_str().unwrap().to_owned();
    let doors = [one, other].map(|server| server.protect(RESOURCE).unwrap().build().unwrap());
    let proof = prove(&key, Proven { method: "POST", url: RESOURCE, token: Some(&token) }, None, NOW).unwrap();
    assert_eq!(show(&doors[1], &token, &proof).await.status, 200);
    assert_eq!(show(&doors[0], &token, &proof).await.status, 401);
}

/// The same in Redis, which is where several servers usually meet.
#[tokio::test]
async fn servers_meet_in_redis() {
    let Some(redis) = RedisServer::start() else { return };
    let clock = Clock::manual(NOW);
    let node = async || {
        let store = SharedStore::new(Arc::new(Redis::open(&redis.url()).unwrap())).with_clock(clock.clone());
        builder(&clock).store(Arc::new(store)).build_shared().await.unwrap()
    };
    let (one, other) = (node().await, node().await);
    one_proof(&one, &other).await;
    five_attempts(&one, &other).await;
    let form = [("grant_type", "client_credentials"), ("resource", RESOURCE)];
    let tokens = Visitor::new(&one).basic(ROBOT.0, ROBOT.1).post("/token", &form).await.json();
    let token = tokens["access_token"].as_str().unwrap();
    assert!(other.verifier().verify(token).await.is_ok(), "they sign with the same keys");
}

/// Anybody can make proofs, so that what is written of them has a bound, whatever the store has.
#[tokio::test]
async fn proofs_do_not_fill_the_store() {
    let store: Arc<dyn AuthStore> = Arc::new(MemoryStore::new(Clock::manual(NOW)));
    let mut rules = ProofRules::default();
    rules.remembered = 2;
    let guarded = Guarded::new(|builder| builder.dpop(DpopUse::Accepted, rules).share_proofs(store));
    let key = SigningKey::generate().unwrap();
    let token = guarded.token(json!({ "cnf": { "jkt": key.public().thumbprint() } }));
    for status in [200, 200, 503] {
        let proof = prove(&key, Proven { method: "POST", url: RESOURCE, token: Some(&token) }, None, NOW).unwrap();
        assert_eq!(show(&guarded.server, &token, &proof).await.status, status);
    }
}

/// The nonce that one node asked for is taken by another.
#[tokio::test]
async fn a_nonce_of_one_node_is_good_at_another() {
    let store: Arc<dyn AuthStore> = Arc::new(MemoryStore::new(Clock::manual(NOW)));
    let mut rules = ProofRules::default();
    rules.nonce = true;
    let one = Guarded::new(|builder| builder.dpop(DpopUse::Required, rules.clone()).share_proofs(store.clone()));
    let other = one.another(|builder| builder.dpop(DpopUse::Required, rules.clone()).share_proofs(store.clone()));
    let alone = one.another(|builder| builder.dpop(DpopUse::Required, rules.clone()));
    let key = SigningKey::generate().unwrap();
    let token = one.token(json!({ "cnf": { "jkt": key.public().thumbprint() } }));
    let proof = |nonce: Option<&str>| {
        prove(&key, Proven { method: "POST", url: RESOURCE, token: Some(&token) }, nonce, NOW).unwrap()
    };
    let answer = show(&one.server, &token, &proof(None)).await;
    assert_eq!(answer.error().as_deref(), Some("use_dpop_nonce"));
    let nonce = answer.headers["dpop-nonce"].to_str().unwrap();
    assert_eq!(show(&other, &token, &proof(Some(nonce))).await.status, 200);
    assert_eq!(show(&alone, &token, &proof(Some(nonce))).await.status, 401, "it shares nothing");
}

/// A store that nobody can reach.
#[derive(Debug)]
struct Gone;

fn gone<T: Send + 'static>() -> Storing<'static, T> {
    Box::pin(std::future::ready(Err(StoreError::Failed("the line is dead".into()))))
}

impl AuthStore for Gone {
    fn put<'a>(&'a self, _: &'a str, _: Vec<u8>, _: u64) -> Storing<'a, ()> {
        gone()
    }

    fn add<'a>(&'a self, _: &'a str, _: Vec<u8>, _: u64) -> Storing<'a, bool> {
        gone()
    }

    fn get<'a>(&'a self, _: &'a str) -> Storing<'a, Option<Vec<u8>>> {
        gone()
    }

    fn take<'a>(&'a self, _: &'a str) -> Storing<'a, Option<Vec<u8>>> {
        gone()
    }

    fn replace<'a>(&'a self, _: &'a str, _: &'a [u8], _: Vec<u8>, _: u64) -> Storing<'a, bool> {
        gone()
    }
}

/// Without its store a server refuses, in words that say it is not the visitor's fault: nothing is tried for free.
#[tokio::test]
async fn without_the_store_nothing_is_taken() {
    let (server, _) = server(|builder| builder.store(Arc::new(Gone)));
    let mut visitor = Visitor::new(&server);
    assert_eq!(visitor.get(&Start::new().path()).await.status, 503);
    let form = [("grant_type", "client_credentials"), ("resource", RESOURCE)];
    let answer = Visitor::new(&server).basic(ROBOT.0, ROBOT.1).post("/token", &form).await;
    assert_eq!((answer.status, answer.error().as_str()), (503, "temporarily_unavailable"));

    let guarded = Guarded::new(|builder| builder.share_proofs(Arc::new(Gone)));
    let key = SigningKey::generate().unwrap();
    let token = guarded.token(json!({ "cnf": { "jkt": key.public().thumbprint() } }));
    let proof = prove(&key, Proven { method: "POST", url: RESOURCE, token: Some(&token) }, None, NOW).unwrap();
    let answer = show(&guarded.server, &token, &proof).await;
    assert_eq!((answer.status, &answer.json()["error"]), (503, &json!("temporarily_unavailable")));
    let unbound = guarded.token(json!({}));
    assert_eq!(guarded.with_token(&unbound).await.status, 200, "what needs no store goes on");
}
