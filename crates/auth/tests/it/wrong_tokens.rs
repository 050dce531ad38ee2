//! Tokens that must not be accepted, and how the refusal reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode};
use jackfield_auth::jose::{Algorithm, Header, RemoteKeys, SigningKey};
use jackfield_auth::resource::{
    AccessToken, Introspection, IntrospectionClient, JwtVerifier, ResourceServer, TokenVerifier, Verifying,
};
use jackfield_auth::{Clock, ScopeHierarchy};
use jackfield_http::fetch::{Document, Fetch, FetchError, FetchFuture, FetchRequest};
use ring::hmac;
use serde_json::{Value, json};

use crate::guarded::{Guarded, ISSUER, NOW, RESOURCE, claims, request};

fn part(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

/// Signs with a header of one's own, as a forger would.
fn signed(key: &SigningKey, header: Value, claims: &Value) -> String {
    // The signature has to be over this very header, so it is made by hand from a key of the same kind.
    let pair = ring::signature::EcdsaKeyPair::from_pkcs8(
        &ring::signature::ECDSA_P256_SHA256_FIXED_SIGNING,
        key.to_pkcs8(),
        &ring::rand::SystemRandom::new(),
    )
    .unwrap();
    let message = format!("{}.{}", part(&header), part(claims));
    let signature = pair.sign(&ring::rand::SystemRandom::new(), message.as_bytes()).unwrap();
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
}

fn hmac_signed(secret: &[u8], header: Value, claims: &Value) -> String {
    let message = format!("{}.{}", part(&header), part(claims));
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), message.as_bytes());
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(tag))
}

/// T-080, T-081: the wrong-token matrix. AUTH-078, AUTH-079, AUTH-081, AUTH-083, AUTH-123, SEC-010, XCC-006
#[tokio::test]
async fn wrong_tokens_are_refused() {
    let guarded = Guarded::new(|builder| builder);
    let other = SigningKey::generate().unwrap();
    let good = guarded.token(json!({}));
    let kid = guarded.key.id();
    let head = |changes: Value| {
        let mut header = json!({ "alg": "ES256", "typ": "at+jwt", "kid": kid });
        for (name, value) in changes.as_object().unwrap() {
            header[name] = value.clone();
        }
        header
    };
    let plain = claims(json!({}));
    let with = |header: Value| signed(&guarded.key, head(header), &plain);
    let parts: Vec<&str> = good.split('.').collect();
    let public = guarded.key.public();
    let x = URL_SAFE_NO_PAD.decode(public.x.as_ref().unwrap()).unwrap();
    let jwk_text = serde_json::to_vec(public).unwrap();
    let forged_claims = part(&claims(json!({ "sub": "root" })));
    let wrong: Vec<(&str, String)> = vec![
        // For somebody else, or of somebody else.
        ("no audience", guarded.token(json!({ "aud": null }))),
        ("empty audience", guarded.token(json!({ "aud": [] }))),
        ("another audience", guarded.token(json!({ "aud": "https://other.example.com/mcp" }))),
        ("audience of the host alone", guarded.token(json!({ "aud": "https://mcp.example.com" }))),
        ("audience with a longer path", guarded.token(json!({ "aud": "https://mcp.example.com/mcp/x" }))),
        ("audience with user information", guarded.token(json!({ "aud": "https://mcp.example.com@evil.example/mcp" }))),
        ("audience over http", guarded.token(json!({ "aud": "http://mcp.example.com/mcp" }))),
        ("audience that is a client id", guarded.token(json!({ "aud": "client" }))),
        ("no issuer", guarded.token(json!({ "iss": null }))),
        ("another issuer", guarded.token(json!({ "iss": "https://evil.example.com" }))),
        ("issuer with a slash more", guarded.token(json!({ "iss": "https://auth.example.com/" }))),
        ("issuer in upper case", guarded.token(json!({ "iss": "https://AUTH.example.com" }))),
        ("no subject", guarded.token(json!({ "sub": null }))),
        ("empty subject", guarded.token(json!({ "sub": "" }))),
        // At another time.
        ("no expiry", guarded.token(json!({ "exp": null }))),
        ("expired", guarded.token(json!({ "exp": NOW - 31 }))),
        ("expired long ago", guarded.token(json!({ "exp": 1 }))),
        ("expiry as text", guarded.token(json!({ "exp": "1900000000" }))),
        ("negative expiry", guarded.token(json!({ "exp": -1 }))),
        ("not valid yet", guarded.token(json!({ "nbf": NOW + 31 }))),
        // Signed by nobody, or by somebody else.
        ("alg none", format!("{}.{}.", part(&json!({ "alg": "none" })), part(&plain))),
        ("alg None", format!("{}.{}.", part(&json!({ "alg": "None" })), part(&plain))),
        ("alg missing", format!("{}.{}.AA", part(&json!({})), part(&plain))),
        ("alg as a number", format!("{}.{}.AA", part(&json!({ "alg": 7 })), part(&plain))),
        ("no signature", format!("{}.{}.", parts[0], parts[1])),
        ("two parts", format!("{}.{}", parts[0], parts[1])),
        ("four parts", format!("{good}.AA")),
        ("claims exchanged", format!("{}.{forged_claims}.{}", parts[0], parts[2])),
        ("signature of zeros", format!("{}.{}.{}", parts[0], parts[1], URL_SAFE_NO_PAD.encode([0; 64]))),
        ("signature cut", format!("{}.{}.{}", parts[0], parts[1], &parts[2][..40])),
        ("padding", format!("{good}==")),
        ("another key under our name", signed(&other, head(json!({})), &plain)),
        ("unknown key", signed(&other, head(json!({ "kid": "other" })), &plain)),
        ("key named by a path", signed(&other, head(json!({ "kid": "../../../../dev/null" })), &plain)),
        ("key named by SQL", signed(&other, head(json!({ "kid": "x' UNION SELECT 'key" })), &plain)),
        // Confusion of algorithms: the public key as a shared secret.
        ("HS256 with the public key", hmac_signed(&jwk_text, head(json!({ "alg": "HS256" })), &plain)),
        ("HS256 with the coordinate", hmac_signed(&x, head(json!({ "alg": "HS256" })), &plain)),
        ("HS256 with nothing", hmac_signed(b"", head(json!({ "alg": "HS256" })), &plain)),
        ("RS256 on an EC key", with(json!({ "alg": "RS256" }))),
        ("ES384 on a P-256 key", with(json!({ "alg": "ES384" }))),
        ("EdDSA on a P-256 key", with(json!({ "alg": "EdDSA" }))),
        ("algorithm in lower case", with(json!({ "alg": "es256" }))),
        // A key that the token brings itself.
        ("key in the header", signed(&other, head(json!({ "kid": "x", "jwk": other.public() })), &plain)),
        ("key at a URL", signed(&other, head(json!({ "kid": "x", "jku": "https://evil.example/keys" })), &plain)),
        (
            "certificate at a URL",
            signed(&other, head(json!({ "kid": "x", "x5u": "https://evil.example/cert" })), &plain),
        ),
        // Extensions and other kinds of tokens.
        ("crit", with(json!({ "crit": ["exp"] }))),
        ("crit, empty", with(json!({ "crit": [] }))),
        ("b64 false", with(json!({ "b64": false }))),
        ("an identity token", with(json!({ "typ": "id+jwt" }))),
        ("a proof", with(json!({ "typ": "dpop+jwt" }))),
        ("an assertion", with(json!({ "typ": "oauth-id-jag+jwt" }))),
        // Bindings that are not kept.
        ("bound to a key, without proof", guarded.token(json!({ "cnf": { "jkt": "x" } }))),
        ("bound to a certificate", guarded.token(json!({ "cnf": { "x5t#S256": "x" } }))),
        ("bound to nothing known", guarded.token(json!({ "cnf": {} }))),
        // Not tokens at all.
        ("claims that are no object", signed(&guarded.key, head(json!({})), &json!([1]))),
        ("doubled claims", {
            let text = r#"{"iss":"https://auth.example.com","iss":"https://evil.example","sub":"ann"}"#;
            format!("{}.{}.AA", parts[0], URL_SAFE_NO_PAD.encode(text))
        }),
        ("JSON in JSON", guarded.token(json!({ "aud": "[\"https://mcp.example.com/mcp\"]" }))),
        ("opaque", "0123456789abcdef".to_owned()),
        ("dots", "..".to_owned()),
        ("huge", format!("{}.{}", "A".repeat(20_000), "A".repeat(20_000))),
        ("nested", format!("{}.AA.AA", URL_SAFE_NO_PAD.encode("[".repeat(4000)))),
    ];
    assert!(wrong.len() >= 30);
    assert_eq!(guarded.with_token(&good).await.status, 200);
    for (name, token) in &wrong {
        let answer = guarded.with_token(token).await;
        assert_eq!((answer.status, answer.error().as_deref()), (401, Some("invalid_token")), "{name}: {answer:?}");
        assert!(!String::from_utf8_lossy(&answer.body).contains(token.as_str()), "{name}");
    }
    assert_eq!(guarded.inner.0.lock().unwrap().len(), 1, "only the good one came in");
}

/// Clocks may differ a little, names of the resource in spelling. AUTH-073, AUTH-074
#[tokio::test]
async fn good_tokens_are_accepted() {
    let guarded = Guarded::new(|builder| builder.also_known_as("https://old.example.com/mcp"));
    for changes in [
        json!({ "exp": NOW - 29 }),
        json!({ "nbf": NOW + 29 }),
        json!({ "exp": 1_800_000_100.5 }),
        json!({ "aud": ["https://x.example", RESOURCE] }),
        json!({ "aud": "HTTPS://MCP.example.com/mcp/" }),
        json!({ "aud": "https://old.example.com/mcp" }),
        json!({ "scope": null, "scp": ["read", "write"] }),
    ] {
        let answer = guarded.with_token(&guarded.token(changes.clone())).await;
        assert_eq!(answer.status, 200, "{changes}: {answer:?}");
    }
    let header = Header::new(Algorithm::Es256);
    let without_names = guarded.key.sign_with(&header, &claims(json!({}))).unwrap();
    assert_eq!(guarded.with_token(&without_names).await.status, 200);
    guarded.clock.advance(700);
    assert_eq!(
        guarded.with_token(&without_names).await.status,
        401,
        "a token that was good before expires all the same"
    );
}

/// AUTH-013, AUTH-021, AUTH-022, AUTH-055, AUTH-080, AUTH-088, AUTH-089, AUTH-122, HTTP-010, SEC-018, SEC-022
#[tokio::test]
async fn what_is_wrong_with_a_request_decides_the_answer() {
    let guarded = Guarded::new(|builder| builder.require("read offline_access"));
    let bare = Request::post("/mcp").body(Bytes::new()).unwrap();
    let answer = guarded.send(bare).await;
    let challenge = &answer.challenges()[0];
    assert_eq!((answer.status, challenge.scheme.as_str(), challenge.get("error")), (401, "Bearer", None));
    assert_eq!(
        challenge.get("resource_metadata"),
        Some("https://mcp.example.com/.well-known/oauth-protected-resource/mcp")
    );
    assert_eq!(challenge.get("scope"), Some("read"));
    assert_eq!(answer.headers["cache-control"], "no-store");

    let token = guarded.token(json!({}));
    for (name, request, status) in [
        ("another scheme", request("Basic YTpi"), 401),
        ("no token", request("Bearer"), 400),
        ("no token either", request("Bearer   "), 400),
        ("characters that no token has", request("Bearer a,b"), 400),
        (
            "two headers",
            {
                let mut twice = request(&format!("Bearer {token}"));
                twice.headers_mut().append("authorization", "Bearer x".parse().unwrap());
                twice
            },
            400,
        ),
        ("in the address", Request::post(format!("/mcp?access_token={token}")).body(Bytes::new()).unwrap(), 400),
        (
            "in the address, encoded",
            Request::post("/mcp?x=1&access%5Ftoken=x&access_token=y").body(Bytes::new()).unwrap(),
            400,
        ),
        ("too few scopes", request(&format!("Bearer {}", guarded.token(json!({ "scope": "other" })))), 403),
        ("lower case", request(&format!("bearer {token}")), 200),
    ] {
        assert_eq!(guarded.send(request).await.status, status, "{name}");
    }
}

/// AUTH-003, AUTH-020, AUTH-022, AUTH-088
#[tokio::test]
async fn the_metadata_of_the_resource_is_for_everybody() {
    let guarded = Guarded::new(|builder| {
        builder.scopes_supported("read write offline_access").name("Files").open_path("/healthz")
    });
    for path in ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"] {
        let answer = guarded.send(Request::get(path).body(Bytes::new()).unwrap()).await;
        let document = answer.json();
        assert_eq!((answer.status, &document["resource"]), (200, &json!(RESOURCE)));
        assert_eq!(document["authorization_servers"], json!([ISSUER]));
        assert_eq!(document["scopes_supported"], json!(["read", "write"]));
        assert_eq!(document["bearer_methods_supported"], json!(["header"]));
        assert_eq!(answer.headers["access-control-allow-origin"], "*");
        assert_eq!(guarded.send(Request::post(path).body(Bytes::new()).unwrap()).await.status, 405);
    }
    assert_eq!(guarded.send(Request::get("/healthz").body(Bytes::new()).unwrap()).await.status, 200);
    assert_eq!(guarded.send(Request::get("/.well-known/other").body(Bytes::new()).unwrap()).await.status, 401);
}

/// T-091 in part; AUTH-090, AUTH-091, AUTH-092, AUTH-098
#[tokio::test]
async fn a_demand_for_scopes_becomes_a_challenge_that_names_them_all() {
    let guarded =
        Guarded::new(|builder| builder.require("read").hierarchy(ScopeHierarchy::flat().implies("admin", "read")));
    let at = |path: &str, scope: &str| {
        let token = guarded.token(json!({ "scope": scope }));
        Request::post(path).header("authorization", format!("Bearer {token}")).body(Bytes::new()).unwrap()
    };
    let answer = guarded.send(at("/needs/write+delete", "read")).await;
    let challenge = &answer.challenges()[0];
    assert_eq!((answer.status, challenge.get("error")), (403, Some("insufficient_scope")));
    assert_eq!(challenge.get("scope"), Some("delete read write"));
    assert!(challenge.get("resource_metadata").is_some());
    assert_eq!(guarded.send(at("/needs/write", "read write")).await.status, 200);
    assert_eq!(guarded.send(at("/mcp", "admin")).await.status, 200);
}

/// T-082 in part; AUTH-084, AUTH-124: what stands behind the gate never sees the token.
#[tokio::test]
async fn the_token_goes_no_further() {
    let guarded = Guarded::new(|builder| builder.open_path("/healthz"));
    let token = guarded.token(json!({}));
    guarded.with_token(&token).await;
    let open = Request::get("/healthz").header("authorization", format!("Bearer {token}")).body(Bytes::new()).unwrap();
    guarded.send(open).await;
    let seen = guarded.inner.0.lock().unwrap();
    assert_eq!(seen.len(), 2);
    assert!(seen.iter().all(|(headers, _)| !headers.contains_key("authorization")));
    let principal = seen[0].1.as_ref().unwrap();
    assert_eq!((principal.issuer.as_str(), principal.subject.as_str()), (ISSUER, "ann"));
}

/// Answers every request in the same way.
#[derive(Debug)]
pub(crate) struct Canned(pub(crate) Option<(StatusCode, Value)>);

impl Fetch for Canned {
    fn fetch(&self, _: FetchRequest) -> FetchFuture<'_> {
        let answer = match &self.0 {
            Some((status, body)) => Ok(Document::new(*status, HeaderMap::new(), body.to_string())),
            None => Err(FetchError::TimedOut),
        };
        Box::pin(std::future::ready(answer))
    }
}

fn opaque(answer: Option<(StatusCode, Value)>) -> ResourceServer {
    let client = IntrospectionClient { id: "rs".into(), secret: "s3cret".into() };
    let verifier = Introspection::new(ISSUER, "https://auth.example.com/introspect", client, Arc::new(Canned(answer)));
    ResourceServer::builder(RESOURCE)
        .issuer(ISSUER, verifier.clock(Clock::manual(NOW)))
        .clock(Clock::manual(NOW))
        .build()
        .unwrap()
}

/// Says of every token that it is not good, and counts the questions.
#[derive(Debug, Default)]
struct Refusing(AtomicUsize);

impl Fetch for Refusing {
    fn fetch(&self, _: FetchRequest) -> FetchFuture<'_> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let body = json!({ "active": false }).to_string();
        Box::pin(async {
            tokio::task::yield_now().await;
            Ok(Document::new(StatusCode::OK, HeaderMap::new(), body))
        })
    }
}

/// Who shows the same bad token again and again, or many at once, does not make us ask the issuer as often.
#[tokio::test]
async fn a_bad_token_is_asked_about_once_in_a_while() {
    let (fetch, clock) = (Arc::new(Refusing::default()), Clock::manual(NOW));
    let client = IntrospectionClient { id: "rs".into(), secret: "s3cret".into() };
    let verifier = Introspection::new(ISSUER, "https://auth.example.com/introspect", client, fetch.clone());
    let verifier = verifier.clock(clock.clone());
    for _ in 0..5 {
        assert!(verifier.verify("junk").await.is_err());
    }
    assert_eq!(fetch.0.load(Ordering::SeqCst), 1);
    assert!(verifier.verify("other junk").await.is_err());
    clock.advance(11);
    assert!(verifier.verify("junk").await.is_err());
    assert_eq!(fetch.0.load(Ordering::SeqCst), 3);
}

/// Never answers, and counts the questions.
#[derive(Debug, Default)]
struct Hanging(AtomicUsize);

impl Fetch for Hanging {
    fn fetch(&self, _: FetchRequest) -> FetchFuture<'_> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(async {
            jackfield_testkit::pass(std::time::Duration::from_secs(10)).await;
            Err(FetchError::TimedOut)
        })
    }
}

/// An issuer that hangs keeps nobody waiting for longer than one question may take, however many ask.
#[tokio::test(start_paused = true)]
async fn an_issuer_that_hangs_is_not_queued_for() {
    let (fetch, clock) = (Arc::new(Hanging::default()), Clock::manual(NOW));
    let client = IntrospectionClient { id: "rs".into(), secret: "s3cret".into() };
    let verifier = Introspection::new(ISSUER, "https://auth.example.com/introspect", client, fetch.clone());
    let verifier = Arc::new(verifier.clock(clock.clone()));
    let (begin, mut asking) = (tokio::time::Instant::now(), tokio::task::JoinSet::new());
    for number in 0..500 {
        let verifier = verifier.clone();
        asking.spawn(async move { verifier.verify(&format!("token-{number}")).await.is_err() });
    }
    assert!(asking.join_all().await.into_iter().all(|refused| refused));
    assert!(begin.elapsed() <= std::time::Duration::from_secs(11), "{:?}", begin.elapsed());
    let asked = fetch.0.load(Ordering::SeqCst);
    assert!(verifier.verify("one more").await.is_err());
    assert_eq!(fetch.0.load(Ordering::SeqCst), asked, "it is left alone for a moment");
    clock.advance(3);
    assert!(verifier.verify("one more").await.is_err());
    assert_eq!(fetch.0.load(Ordering::SeqCst), asked + 1);
}

/// T-080: opaque tokens need an audience too, and nothing is accepted while the issuer cannot be asked.
#[tokio::test]
async fn opaque_tokens_are_as_good_as_the_issuer_says() {
    let good = json!({ "active": true, "sub": "ann", "aud": RESOURCE, "exp": NOW + 60, "scope": "read" });
    let without = |name: &str| {
        let mut body = good.clone();
        body.as_object_mut().unwrap().remove(name);
        body
    };
    for (name, answer, status) in [
        ("good", Some((StatusCode::OK, good.clone())), 200),
        ("not active", Some((StatusCode::OK, json!({ "active": false }))), 401),
        ("no audience", Some((StatusCode::OK, without("aud"))), 401),
        ("no expiry", Some((StatusCode::OK, without("exp"))), 401),
        ("no verdict", Some((StatusCode::OK, without("active"))), 503),
        (
            "another issuer",
            Some((StatusCode::OK, {
                let mut b = good.clone();
                b["iss"] = json!("https://x");
                b
            })),
            401,
        ),
        ("server error", Some((StatusCode::BAD_GATEWAY, good.clone())), 503),
        ("unreachable", None, 503),
    ] {
        let guarded = Guarded { server: opaque(answer), ..Guarded::new(|builder| builder) };
        assert_eq!(guarded.with_token("opaque-token").await.status, status, "{name}");
    }
}

/// T-080: while the keys cannot be fetched, nobody comes in, and nobody is told that the token is bad.
#[tokio::test]
async fn nothing_is_accepted_while_keys_are_missing() {
    let keys = Arc::new(RemoteKeys::at("https://auth.example.com/jwks", Arc::new(Canned(None))));
    let verifier = JwtVerifier::with_clock(ISSUER, keys, Clock::manual(NOW));
    let server = ResourceServer::builder(RESOURCE).issuer(ISSUER, verifier).clock(Clock::manual(NOW)).build().unwrap();
    let guarded = Guarded { server, ..Guarded::new(|builder| builder) };
    let answer = guarded.with_token(&guarded.token(json!({}))).await;
    assert_eq!((answer.status, answer.headers.get("retry-after").is_some()), (503, true));
}

#[derive(Debug)]
struct Anyone;

impl TokenVerifier for Anyone {
    fn verify<'a>(&'a self, token: &'a str) -> Verifying<'a> {
        let mut accepted = AccessToken::new(ISSUER, token, "https://elsewhere.example");
        accepted.expires_at = Some(u64::MAX);
        Box::pin(std::future::ready(Ok(Arc::new(accepted))))
    }
}

/// T-080: a verifier of one's own cannot forget the audience.
#[tokio::test]
async fn the_audience_is_checked_for_every_verifier() {
    let server = ResourceServer::builder(RESOURCE).issuer(ISSUER, Anyone).build().unwrap();
    let guarded = Guarded { server, ..Guarded::new(|builder| builder) };
    assert_eq!(guarded.with_token("x").await.status, 401);
}

#[test]
fn a_server_that_can_not_be_protected_is_not_built() {
    for resource in ["http://mcp.example.com", "mcp.example.com", "https://a.example/#x"] {
        assert!(ResourceServer::builder(resource).issuer(ISSUER, Anyone).build().is_err(), "{resource}");
    }
    assert!(ResourceServer::builder(RESOURCE).build().is_err());
    assert!(ResourceServer::builder("http://127.0.0.1:8000/mcp").issuer(ISSUER, Anyone).build().is_ok());
}
