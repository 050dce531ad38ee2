//! Users who log in elsewhere: consent comes first, and the tokens of the other side stay with us.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{HeaderMap, StatusCode};
use jackfield_auth::jose::{JwkSet, SigningKey};
use jackfield_auth::resource::{AccessToken, TokenVerifier};
use jackfield_auth::server::{AuthorizationServer, MemoryStore, ThirdPartyError, Upstream};
use jackfield_auth::{AuthStore as _, Clock};
use jackfield_http::fetch::{Document, Fetch, FetchFuture, FetchRequest};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::secrets::{Recording, Written};
use crate::visitor::{NOW, REDIRECT, Start, Visitor, builder, server};

const PROVIDER: &str = "https://login.example";

/// Another provider, which answers token requests as told.
#[derive(Debug)]
struct Provider {
    key: SigningKey,
    nonce: Mutex<String>,
    ended: Mutex<bool>,
    /// What it answers to the next token request in place of tokens.
    refusal: Mutex<Option<(u16, &'static str)>>,
    /// How many seconds its tokens live; none if it does not say.
    life: Mutex<Option<u64>>,
    /// What was posted, and how often it was asked who it is.
    asked: Mutex<Vec<String>>,
    described: AtomicUsize,
    given_back: Mutex<Vec<String>>,
    /// Whether it says that it names itself in its answers.
    names_itself: bool,
    /// Refresh requests wait for one of these.
    gate: Semaphore,
}

impl Provider {
    fn answer(&self, path: &str, body: &str) -> (StatusCode, Value) {
        match path {
            "/.well-known/oauth-authorization-server" => {
                self.described.fetch_add(1, Ordering::SeqCst);
                let document = json!({ "issuer": PROVIDER, "authorization_endpoint": "https://login.example/authorize",
                    "token_endpoint": "https://login.example/token", "revocation_endpoint": "https://login.example/revoke",
                    "jwks_uri": "https://login.example/jwks",
                    "authorization_response_iss_parameter_supported": self.names_itself });
                (StatusCode::OK, document)
            }
            "/revoke" => {
                self.given_back.lock().unwrap().push(body.to_owned());
                (StatusCode::OK, json!({}))
            }
            "/jwks" => (StatusCode::OK, json!(JwkSet { keys: vec![self.key.public().clone()] })),
            "/token" if *self.ended.lock().unwrap() => (StatusCode::BAD_REQUEST, json!({ "error": "invalid_grant" })),
            "/token" if self.refusal.lock().unwrap().is_some() => {
                let (status, error) = self.refusal.lock().unwrap().take().unwrap();
                (StatusCode::from_u16(status).unwrap(), json!({ "error": error }))
            }
            "/token" => {
                self.asked.lock().unwrap().push(body.to_owned());
                let claims = json!({ "iss": PROVIDER, "sub": "u-7", "aud": "us", "exp": NOW + 100_000, "nonce": *self.nonce.lock().unwrap() });
                let number = self.asked.lock().unwrap().len();
                (
                    StatusCode::OK,
                    json!({ "access_token": format!("theirs-{number}"), "refresh_token": format!("r-{number}"), "expires_in": *self.life.lock().unwrap(),
                    "id_token": self.key.sign("JWT", &claims).unwrap() }),
                )
            }
            _ => (StatusCode::NOT_FOUND, json!({})),
        }
    }
}

impl Fetch for Provider {
    fn fetch(&self, ask: FetchRequest) -> FetchFuture<'_> {
        Box::pin(async move {
            let form = std::str::from_utf8(&ask.body).unwrap();
            if form.contains("grant_type=refresh_token") {
                self.gate.acquire().await.unwrap().forget();
            }
            let (status, body) = self.answer(ask.url.path(), form);
            Ok(Document::new(status, HeaderMap::new(), body.to_string()))
        })
    }
}

fn provider_that(names_itself: bool) -> Arc<Provider> {
    Arc::new(Provider {
        key: SigningKey::generate().unwrap(),
        nonce: Mutex::default(),
        ended: Mutex::default(),
        refusal: Mutex::default(),
        life: Mutex::new(Some(100)),
        asked: Mutex::default(),
        described: AtomicUsize::default(),
        given_back: Mutex::default(),
        names_itself,
        gate: Semaphore::new(1000),
    })
}

fn provider() -> Arc<Provider> {
    provider_that(false)
}

/// Logs in by way of the provider; returns the tokens of ours.
async fn tokens(visitor: &mut Visitor, provider: &Provider) -> Value {
    let start = Start::new();
    let page = visitor.get(&start.path()).await;
    let away = visitor.decide(&page, "allow").await;
    *provider.nonce.lock().unwrap() = away.param("nonce").unwrap();
    let answer = visitor.get(&format!("/callback?code=theirs&state={}", away.param("state").unwrap())).await;
    let answer = visitor.post("/token", &start.redeem(&answer.param("code").unwrap())).await;
    assert!(!answer.text().contains("theirs"), "the client never sees their token");
    answer.json()
}

/// T-083: the published attack. A malicious client sends its victim through the other provider, which remembers the victim's
/// consent to us; without consent of ours there is neither a redirect nor a cookie. SEC-001, SEC-003, SEC-008, SEC-009
#[tokio::test]
async fn consent_comes_before_the_other_provider() {
    let provider = provider();
    let upstream = Upstream::new(PROVIDER, "us", "s3cret".into(), provider.clone()).scope("mail");
    let (server, _) = server(|builder| builder.upstream(upstream));
    let mut victim = Visitor::new(&server);
    let page = victim.get(&Start::new().path()).await;
    assert_eq!((page.status, page.headers.get("location")), (200, None));
    assert!(!victim.cookies.contains_key("__Host-jackfield-upstream"), "no state before consent");
    for shown in ["The App", "login.example", "openid mail", "https://app.example/cb"] {
        assert!(page.text().contains(shown), "{shown}");
    }
    let away = victim.decide(&page, "allow").await;
    assert!(away.location().starts_with("https://login.example/authorize?"));
    assert_eq!(away.param("code_challenge_method").as_deref(), Some("S256"));
    let (state, nonce) = (away.param("state").unwrap(), away.param("nonce").unwrap());
    assert_eq!(victim.cookies["__Host-jackfield-upstream"], state);
    *provider.nonce.lock().unwrap() = nonce;

    let back = format!("/callback?code=theirs&state={state}");
    let mut stranger = Visitor::new(&server);
    assert_eq!(stranger.get(&back).await.status, 400, "another browser");
    for wrong in ["/callback?code=theirs", "/callback?code=theirs&state=AAAA", "/callback?code=theirs&state="] {
        let answer = victim.clone().get(wrong).await;
        assert_eq!(answer.status, 400, "{wrong}");
    }
    let answer = victim.clone().get(&back).await;
    assert_eq!(answer.param("state").as_deref(), Some("st&te"));
    assert!(answer.param("code").is_some());
    assert!(answer.headers["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
    assert_eq!(victim.get(&back).await.status, 400, "once");
}

/// A login whose identity does not fit is no login.
#[tokio::test]
async fn an_identity_of_another_login_is_refused() {
    let provider = provider();
    let upstream = Upstream::new(PROVIDER, "us", "s3cret".into(), provider.clone());
    let (server, _) = server(|builder| builder.upstream(upstream));
    let mut visitor = Visitor::new(&server);
    let page = visitor.get(&Start::new().path()).await;
    let away = visitor.decide(&page, "allow").await;
    *provider.nonce.lock().unwrap() = "another".to_owned();
    let answer = visitor.get(&format!("/callback?code=theirs&state={}", away.param("state").unwrap())).await;
    assert_eq!(answer.param("error").as_deref(), Some("access_denied"));
}

/// AUTH-125: their tokens are renewed in time, stay with us, and when their login ends ours does.
#[tokio::test]
async fn the_login_lives_as_long_as_the_other() {
    let provider = provider();
    let upstream = Upstream::new(PROVIDER, "us", "s3cret".into(), provider.clone());
    let (server, clock) = server(|builder| builder.upstream(upstream));
    let mut visitor = Visitor::new(&server);
    let tokens = tokens(&mut visitor, &provider).await;
    let verifier = server.verifier();
    let token = verifier.verify(tokens["access_token"].as_str().unwrap()).await.unwrap();
    assert_eq!(
        (token.subject.as_str(), server.third_party_token(&token).await.unwrap().expose()),
        ("https://login.example:u-7", "theirs-1")
    );
    clock.advance(80);
    assert_eq!(server.third_party_token(&token).await.unwrap().expose(), "theirs-2", "renewed before its end");
    *provider.ended.lock().unwrap() = true;
    clock.advance(80);
    let form = [
        ("grant_type", "refresh_token"),
        ("client_id", "app"),
        ("refresh_token", tokens["refresh_token"].as_str().unwrap()),
    ];
    assert_eq!(visitor.post("/token", &form).await.error(), "invalid_grant");
    assert!(verifier.verify(tokens["access_token"].as_str().unwrap()).await.is_err(), "revoked with it");
}

/// AUTH-125: many requests at once renew their token once; a second use of a refresh token would look like a theft.
#[tokio::test]
async fn one_request_renews_for_all() {
    let (provider, clock, written) = (provider(), Clock::manual(NOW), Written::default());
    let upstream = Upstream::new(PROVIDER, "us", "s3cret".into(), provider.clone());
    let store = Recording { inner: MemoryStore::new(clock.clone()), written: written.clone() };
    let (server, _) = server(|builder| builder.store(Arc::new(store)).clock(clock.clone()).upstream(upstream));
    let tokens = tokens(&mut Visitor::new(&server), &provider).await;
    let token = server.verifier().verify(tokens["access_token"].as_str().unwrap()).await.unwrap();
    clock.advance(80);
    provider.gate.forget_permits(1000);
    let mut waiting = JoinSet::new();
    for _ in 0..50 {
        let (server, token) = (server.clone(), token.clone());
        waiting.spawn(async move { server.third_party_token(&token).await.unwrap().expose().to_owned() });
    }
    tokio::task::yield_now().await;
    provider.gate.add_permits(1);
    assert!(waiting.join_all().await.iter().all(|token| token == "theirs-2"));
    assert_eq!(provider.asked.lock().unwrap().len(), 2);
    assert_eq!(provider.described.load(Ordering::SeqCst), 2, "once for the keys, once for all the rest");
    let claims = written.0.lock().unwrap().lines().filter(|line| line.starts_with("renewing:")).count();
    assert_eq!(claims, 3, "made, given up and removed once: the others did not even try");
}

/// AUTH-125: the same for servers that share a store.
#[tokio::test(start_paused = true)]
async fn one_server_renews_for_all() {
    let (provider, clock) = (provider(), Clock::manual(NOW));
    let (_, servers, token) = two_servers(&provider, &clock).await;
    provider.gate.forget_permits(1000);
    let mut waiting = JoinSet::new();
    for number in 0..20 {
        let (server, token) = (servers[number % 2].clone(), token.clone());
        waiting.spawn(async move { server.third_party_token(&token).await.unwrap().expose().to_owned() });
    }
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    provider.gate.add_permits(1000);
    assert!(waiting.join_all().await.iter().all(|token| token == "theirs-2"));
    assert_eq!(provider.asked.lock().unwrap().len(), 2);
}

/// Two servers with one store, and a token whose login at the provider is about to end.
async fn two_servers(
    provider: &Arc<Provider>,
    clock: &Clock,
) -> (Arc<MemoryStore>, [AuthorizationServer; 2], Arc<AccessToken>) {
    let store = Arc::new(MemoryStore::new(clock.clone()));
    let server = async || {
        let upstream = Upstream::new(PROVIDER, "us", "s3cret".into(), provider.clone());
        builder(clock).store(store.clone()).upstream(upstream).build_shared().await.unwrap()
    };
    let servers = [server().await, server().await];
    let tokens = tokens(&mut Visitor::new(&servers[0]), provider).await;
    let token = servers[1].verifier().verify(tokens["access_token"].as_str().unwrap()).await.unwrap();
    clock.advance(80);
    (store, servers, token)
}

/// Where the store says who renews.
fn claim_of(token: &AccessToken) -> String {
    format!("renewing:{}", token.claim::<String>("sid").unwrap())
}

/// AUTH-125: a server that died while it renewed is waited for as long as it could have taken, and no longer.
#[tokio::test(start_paused = true)]
async fn the_claim_of_a_dead_server_runs_out() {
    let (provider, clock) = (provider(), Clock::manual(NOW));
    let (store, [server, _], token) = two_servers(&provider, &clock).await;
    assert!(store.add(&claim_of(&token), b"of one that died".to_vec(), NOW + 80 + 61).await.unwrap());
    // Its clock stands still, so that the claim never ends; then there is no token, but an end to the waiting.
    assert!(matches!(server.third_party_token(&token).await, Err(ThirdPartyError::Unavailable)));
    assert_eq!(provider.asked.lock().unwrap().len(), 1, "nobody else renewed meanwhile");
    let waiting = server.third_party_token(&token);
    tokio::pin!(waiting);
    tokio::select! {
        biased;
        early = &mut waiting => panic!("{early:?}"),
        () = jackfield_testkit::pass(Duration::from_secs(30)) => clock.advance(61),
    }
    assert_eq!(waiting.await.unwrap().expose(), "theirs-2");
    assert_eq!(provider.asked.lock().unwrap().len(), 2);
}

/// AUTH-125: a server that took too long does not take away the claim of the one that renews after it.
#[tokio::test(start_paused = true)]
async fn a_late_server_leaves_the_claim_of_another_alone() {
    let (provider, clock) = (provider(), Clock::manual(NOW));
    let (store, servers, token) = two_servers(&provider, &clock).await;
    provider.gate.forget_permits(1000);
    let mut waiting = JoinSet::new();
    let mut claims = Vec::new();
    for server in servers {
        // The claim of the one before has run out, while it still waits for the provider.
        clock.advance(62);
        let of = token.clone();
        waiting.spawn(async move { server.third_party_token(&of).await.unwrap().expose().to_owned() });
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        claims.push(store.get(&claim_of(&token)).await.unwrap().expect("a claim"));
    }
    assert_ne!(claims[0], claims[1]);
    provider.gate.add_permits(1);
    assert_eq!(waiting.join_next().await.unwrap().unwrap(), "theirs-2");
    assert_eq!(store.get(&claim_of(&token)).await.unwrap(), Some(claims[1].clone()), "the other still renews");
    provider.gate.add_permits(1);
    assert_eq!(waiting.join_next().await.unwrap().unwrap(), "theirs-3");
    assert_eq!(store.get(&claim_of(&token)).await.unwrap(), None);
}

/// AUTH-125: a request that is given up while it renews loses nothing, and holds up nobody.
#[tokio::test(start_paused = true)]
async fn a_renewal_outlives_its_request() {
    let provider = provider();
    let upstream = Upstream::new(PROVIDER, "us", "s3cret".into(), provider.clone());
    let (server, clock) = server(|builder| builder.upstream(upstream));
    let tokens = tokens(&mut Visitor::new(&server), &provider).await;
    let token = server.verifier().verify(tokens["access_token"].as_str().unwrap()).await.unwrap();
    clock.advance(80);
    provider.gate.forget_permits(1000);
    let mut given_up = JoinSet::new();
    let (asked, of) = (server.clone(), token.clone());
    given_up.spawn(async move { asked.third_party_token(&of).await.unwrap().expose().to_owned() });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    given_up.shutdown().await;
    provider.gate.add_permits(1);
    assert_eq!(server.third_party_token(&token).await.unwrap().expose(), "theirs-2");
    assert_eq!(provider.asked.lock().unwrap().len(), 2);
}

/// AUTH-125: who logs out here is logged out there.
#[tokio::test]
async fn their_tokens_are_given_back_with_ours() {
    let provider = provider();
    let upstream = Upstream::new(PROVIDER, "us", "s3cret".into(), provider.clone());
    let (server, _) = server(|builder| builder.upstream(upstream));
    let mut visitor = Visitor::new(&server);
    let tokens = tokens(&mut visitor, &provider).await;
    let token = tokens["refresh_token"].as_str().unwrap();
    assert_eq!(visitor.post("/revoke", &[("client_id", "app"), ("token", token)]).await.status, 200);
    assert_eq!(*provider.given_back.lock().unwrap(), ["token=r-1"]);
}

/// T-064 for the provider above us: one that names itself in its answers does so in all of them.
#[tokio::test]
async fn an_answer_of_another_provider_is_refused() {
    let provider = provider_that(true);
    let upstream = Upstream::new(PROVIDER, "us", "s3cret".into(), provider.clone());
    let (server, _) = server(|builder| builder.upstream(upstream));
    for (issuer, status) in [
        ("", 400),
        ("&iss=https%3A%2F%2Fevil.example", 400),
        ("&iss=https%3A%2F%2Flogin.example%2F", 400),
        ("&iss=https%3A%2F%2FLOGIN.example", 400),
        ("&iss=https%3A%2F%2Flogin.example", 303),
    ] {
        let mut visitor = Visitor::new(&server);
        let page = visitor.get(&Start::new().path()).await;
        let away = visitor.decide(&page, "allow").await;
        *provider.nonce.lock().unwrap() = away.param("nonce").unwrap();
        let back = format!("/callback?code=theirs&state={}{issuer}", away.param("state").unwrap());
        assert_eq!(visitor.get(&back).await.status, status, "{issuer:?}");
    }
    assert_eq!(provider.asked.lock().unwrap().len(), 1, "a code of another's is not even shown to it");
}

async fn refresh(server: &AuthorizationServer, tokens: &Value) -> crate::visitor::Answer {
    let token = tokens["refresh_token"].as_str().unwrap();
    let form = [("grant_type", "refresh_token"), ("client_id", "app"), ("refresh_token", token)];
    Visitor::new(server).post("/token", &form).await
}

/// A provider that has something against us, or cannot answer now, has not ended the login of a user. AUTH-125
#[tokio::test]
async fn only_a_refused_grant_ends_the_login() {
    let provider = provider();
    let upstream = Upstream::new(PROVIDER, "us", "s3cret".into(), provider.clone());
    let (server, clock) = server(|builder| builder.upstream(upstream));
    let mut tokens = tokens(&mut Visitor::new(&server), &provider).await;
    for refusal in [(429, "slow_down"), (401, "invalid_client"), (404, "not_found"), (503, "invalid_grant_later")] {
        clock.advance(80);
        *provider.refusal.lock().unwrap() = Some(refusal);
        assert_eq!(refresh(&server, &tokens).await.status, 503, "{refusal:?}");
        let answer = refresh(&server, &tokens).await;
        assert_eq!(answer.status, 200, "{refusal:?}: {answer:?}");
        tokens = answer.json();
    }
    clock.advance(80);
    *provider.refusal.lock().unwrap() = Some((400, "invalid_grant"));
    assert_eq!(refresh(&server, &tokens).await.error(), "invalid_grant");
    assert_eq!(refresh(&server, &tokens).await.error(), "invalid_grant", "for good");
}

/// Their tokens are kept as long as ours are renewed, also where they never end. AUTH-125
#[tokio::test]
async fn tokens_that_never_end_are_kept_with_ours() {
    let provider = provider();
    *provider.life.lock().unwrap() = None;
    let upstream = Upstream::new(PROVIDER, "us", "s3cret".into(), provider.clone());
    let (server, clock) = server(|builder| builder.upstream(upstream));
    let mut tokens = tokens(&mut Visitor::new(&server), &provider).await;
    for _ in 0..4 {
        clock.advance(20 * 86_400);
        let answer = refresh(&server, &tokens).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        tokens = answer.json();
    }
}

/// AUTH-121: the provider knows one client, which is us; our users are asked for each client that registered here.
#[tokio::test]
async fn each_client_needs_its_own_consent() {
    let provider = provider();
    let upstream = Upstream::new(PROVIDER, "us", "s3cret".into(), provider.clone());
    let (server, _) = server(|builder| builder.upstream(upstream));
    let mut browser = Visitor::new(&server);
    let mut starts = Vec::new();
    for name in ["One", "Another"] {
        let metadata =
            json!({ "client_name": name, "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none" });
        let client = browser.post_json("/register", &metadata).await.json();
        starts.push((name, Start::new().set("client_id", client["client_id"].as_str().unwrap())));
    }
    let page = browser.get(&starts[0].1.path()).await;
    let away = browser.decide(&page, "allow").await;
    *provider.nonce.lock().unwrap() = away.param("nonce").unwrap();
    let back = format!("/callback?code=theirs&state={}", away.param("state").unwrap());
    assert!(browser.get(&back).await.param("code").is_some());
    for (name, start) in starts.iter().rev() {
        let page = browser.get(&start.path()).await;
        assert_eq!((page.status, page.headers.get("location")), (200, None), "{name}");
        assert!(page.text().contains("Allow access") && page.text().contains(name), "{page:?}");
    }
}

/// SEC-008: who takes longer than ten minutes at the provider begins anew.
#[tokio::test]
async fn a_visit_to_the_provider_ends() {
    let provider = provider();
    let upstream = Upstream::new(PROVIDER, "us", "s3cret".into(), provider.clone());
    let (server, clock) = server(|builder| builder.upstream(upstream));
    for (seconds, status) in [(599, 303), (601, 400)] {
        let mut browser = Visitor::new(&server);
        let page = browser.get(&Start::new().path()).await;
        let away = browser.decide(&page, "allow").await;
        *provider.nonce.lock().unwrap() = away.param("nonce").unwrap();
        clock.advance(seconds);
        let back = format!("/callback?code=theirs&state={}", away.param("state").unwrap());
        assert_eq!(browser.get(&back).await.status, status, "{seconds}");
    }
}

/// AUTH-126: whoever reads the store does not read their tokens.
#[tokio::test]
async fn their_tokens_are_sealed() {
    let (provider, clock) = (provider(), Clock::manual(NOW));
    let (store, _, token) = two_servers(&provider, &clock).await;
    let family: String = token.claim("sid").unwrap();
    let kept = store.get(&format!("third-party:{family}")).await.unwrap().unwrap();
    for theirs in ["theirs-1", "r-1", "access_token"] {
        assert!(!kept.windows(theirs.len()).any(|part| part == theirs.as_bytes()), "{theirs}");
    }
}

/// AUTH-126: a login ends eight hours after it began, whatever happens meanwhile.
#[tokio::test]
async fn a_session_ends() {
    let (server, clock) = server(|builder| builder);
    let mut browser = Visitor::new(&server);
    browser.obtain(&Start::new()).await;
    clock.advance(8 * 3600 - 1);
    assert!(browser.get(&Start::new().path()).await.param("code").is_some());
    clock.advance(2);
    assert!(browser.get(&Start::new().path()).await.text().contains("Password"));
}
