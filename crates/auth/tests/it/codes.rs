//! Codes and refresh tokens: each used once, by whom it was made for.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use jackfield_auth::resource::TokenVerifier as _;
use jackfield_auth::server::{AuthorizationServer, Client, Registration, Resource, Users};
use jackfield_auth::{AuthStore, Clock, MemoryStore, Secret, StoreError, Storing};
use serde_json::json;
use tokio::task::JoinSet;

use crate::town::claims;
use crate::visitor::{Answer, NOW, PASSWORD, REDIRECT, RESOURCE, Start, Visitor, server};

async fn refresh(visitor: &Visitor, token: &str) -> Answer {
    let form = [("grant_type", "refresh_token"), ("client_id", "app"), ("refresh_token", token)];
    visitor.clone().post("/token", &form).await
}

async fn tokens(visitor: &mut Visitor) -> serde_json::Value {
    let start = Start::new();
    let code = visitor.obtain(&start).await.param("code").unwrap();
    let answer = visitor.post("/token", &start.redeem(&code)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

async fn is_active(visitor: &Visitor, token: &str) -> bool {
    let answer = visitor.clone().basic("robot", "s3cret of the robot").post("/introspect", &[("token", token)]).await;
    answer.json()["active"].as_bool().unwrap()
}

/// T-087: each binding of a code broken in turn. AUTH-002, AUTH-106, AUTH-113
#[tokio::test]
async fn a_code_is_good_for_its_own_request_only() {
    let (server, clock) = server(|builder| builder.client(Client::public("other", [REDIRECT])));
    let mut visitor = Visitor::new(&server);
    let start = Start::new();
    let answer = visitor.obtain(&start).await;
    assert_eq!((answer.status, answer.param("state").as_deref()), (200, Some("st&te")));
    assert_eq!(answer.param("iss").as_deref(), Some("https://auth.example.com"));
    let code = answer.param("code").unwrap();
    let other = Start::new();
    let good = start.redeem(&code);
    let changed = |name: &'static str, value: &'static str| {
        let mut form = good.clone();
        form.retain(|(key, _)| *key != name);
        if !value.is_empty() {
            form.push((name, value));
        }
        form
    };
    let mut wrong_verifier = good.clone();
    wrong_verifier.retain(|(key, _)| *key != "code_verifier");
    wrong_verifier.push(("code_verifier", other.verifier.expose()));
    for (name, form, error) in [
        ("another code", changed("code", "AAAA"), "invalid_grant"),
        ("no code", changed("code", ""), "invalid_request"),
        ("another client", changed("client_id", "other"), "invalid_grant"),
        ("an unknown client", changed("client_id", "nobody"), "invalid_client"),
        ("a client with a secret", changed("client_id", "robot"), "invalid_client"),
        ("another address", changed("redirect_uri", "http://127.0.0.1/cb"), "invalid_grant"),
        ("another verifier", wrong_verifier, "invalid_grant"),
        ("no verifier", changed("code_verifier", ""), "invalid_request"),
        ("another resource", changed("resource", "https://other.example/mcp"), "invalid_target"),
        ("another grant", changed("grant_type", "password"), "unsupported_grant_type"),
    ] {
        let answer = visitor.post("/token", &form).await;
        assert_eq!(answer.error(), error, "{name}");
    }
    let answer = visitor.post("/token", &good).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["cache-control"], "no-store");
    let body = answer.json();
    assert_eq!(
        (&body["token_type"], &body["expires_in"], &body["scope"]),
        (&json!("Bearer"), &json!(600), &json!("read"))
    );

    let start = Start::new();
    let page = visitor.get(&start.path()).await;
    let code = match page.status {
        303 => page,
        _ => visitor.decide(&page, "allow").await,
    }
    .param("code")
    .unwrap();
    clock.advance(61);
    assert_eq!(
        visitor.post("/token", &start.redeem(&code)).await.error(),
        "invalid_grant",
        "a code lives for a minute"
    );
}

/// T-087: whoever uses a code again, all its tokens end.
#[tokio::test]
async fn a_code_that_is_used_twice_ends_its_tokens() {
    let (server, _) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    let start = Start::new();
    let code = visitor.obtain(&start).await.param("code").unwrap();
    let tokens = visitor.post("/token", &start.redeem(&code)).await.json();
    let access = tokens["access_token"].as_str().unwrap();
    assert!(is_active(&visitor, access).await);
    assert_eq!(visitor.post("/token", &start.redeem(&code)).await.error(), "invalid_grant");
    assert!(!is_active(&visitor, access).await);
    assert_eq!(refresh(&visitor, tokens["refresh_token"].as_str().unwrap()).await.error(), "invalid_grant");
}

/// T-087: fifty at once, one wins, and what it won is worth nothing: it was no less a second use.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_that_redeem_a_code_one_wins() {
    let (server, _) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    let start = Start::new();
    let code = visitor.obtain(&start).await.param("code").unwrap();
    let mut racing = JoinSet::new();
    for _ in 0..50 {
        let (mut visitor, start, code) = (visitor.clone(), start.clone(), code.clone());
        racing.spawn(async move { visitor.post("/token", &start.redeem(&code)).await });
    }
    let answers = racing.join_all().await;
    let won: Vec<&Answer> = answers.iter().filter(|answer| answer.status == 200).collect();
    assert_eq!(won.len(), 1, "{answers:?}");
    let token = won[0].json()["access_token"].as_str().unwrap().to_owned();
    assert!(!is_active(&visitor, &token).await, "whoever came first may be the thief");
}

/// T-088: rotation, a retry within ten seconds, reuse after that. AUTH-101, AUTH-102
#[tokio::test]
async fn a_refresh_token_that_is_used_again_ends_the_family() {
    let (server, clock) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    let first = tokens(&mut visitor).await;
    let old = first["refresh_token"].as_str().unwrap();
    let second = refresh(&visitor, old).await.json();
    let new = second["refresh_token"].as_str().unwrap();
    assert_ne!(old, new);
    clock.advance(9);
    let retried = refresh(&visitor, old).await;
    assert_eq!(retried.status, 200, "the answer may have been lost");
    assert_eq!(retried.json()["refresh_token"], new, "and it is the same");
    assert!(is_active(&visitor, second["access_token"].as_str().unwrap()).await);
    clock.advance(2);
    assert_eq!(refresh(&visitor, old).await.error(), "invalid_grant");
    for token in [new, retried.json()["refresh_token"].as_str().unwrap()] {
        assert_eq!(refresh(&visitor, token).await.error(), "invalid_grant", "the whole family is gone");
    }
    assert!(!is_active(&visitor, second["access_token"].as_str().unwrap()).await);
}

/// T-088: a race of retries leaves a living family.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_race_of_the_same_client_does_no_harm() {
    let (server, _) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    let first = tokens(&mut visitor).await;
    let mut racing = JoinSet::new();
    for _ in 0..20 {
        let (visitor, token) = (visitor.clone(), first["refresh_token"].as_str().unwrap().to_owned());
        racing.spawn(async move { refresh(&visitor, &token).await.json() });
    }
    for answer in racing.join_all().await {
        assert_eq!(refresh(&visitor, answer["refresh_token"].as_str().unwrap()).await.status, 200);
    }
}

#[tokio::test]
async fn refreshing_never_widens() {
    let (server, clock) = server(|builder| builder.client(Client::public("other", [REDIRECT])));
    let mut visitor = Visitor::new(&server);
    let first = tokens(&mut visitor).await;
    let token = first["refresh_token"].as_str().unwrap();
    let with = |name: &'static str, value: &'static str| {
        let mut form = vec![("grant_type", "refresh_token"), ("client_id", "app"), ("refresh_token", token)];
        form.retain(|(key, _)| *key != name);
        form.push((name, value));
        form
    };
    for (form, error) in [
        (with("scope", "read write"), "invalid_scope"),
        (with("resource", "https://other.example"), "invalid_target"),
        (with("client_id", "other"), "invalid_grant"),
        (with("refresh_token", "AAAA"), "invalid_grant"),
    ] {
        assert_eq!(visitor.post("/token", &form).await.error(), error);
    }
    clock.advance(31 * 86_400);
    assert_eq!(refresh(&visitor, token).await.error(), "invalid_grant", "it expires");
}

/// A token that is given back is good no longer, nor is what goes with it; somebody else's is left alone.
#[tokio::test]
async fn tokens_are_given_back() {
    let (server, _) = server(|builder| builder.client(Client::public("other", [REDIRECT])));
    let mut visitor = Visitor::new(&server);
    let first = tokens(&mut visitor).await;
    let (access, token) = (first["access_token"].as_str().unwrap(), first["refresh_token"].as_str().unwrap());
    for token in [access, token, "made-up"] {
        let answer = visitor.post("/revoke", &[("client_id", "other"), ("token", token)]).await;
        assert_eq!((answer.status, answer.body.len()), (200, 0));
    }
    assert!(is_active(&visitor, access).await, "it was another client's to give back");
    visitor.post("/revoke", &[("client_id", "app"), ("token", access)]).await;
    assert!(!is_active(&visitor, access).await);
    let second = refresh(&visitor, token).await.json();
    visitor.post("/revoke", &[("client_id", "app"), ("token", second["refresh_token"].as_str().unwrap())]).await;
    assert!(!is_active(&visitor, second["access_token"].as_str().unwrap()).await);
    assert_eq!(visitor.clone().post("/introspect", &[("client_id", "app"), ("token", access)]).await.status, 401);
}

/// What the token says, and for how long it and the next ones are good: access tokens for ten minutes, refresh tokens for thirty days
/// after their last use, and each for one use. AUTH-101, AUTH-103
#[tokio::test]
async fn a_token_is_for_its_resource_and_short_lived() {
    let (server, clock) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    let first = tokens(&mut visitor).await;
    let answer = visitor
        .clone()
        .basic("robot", "s3cret of the robot")
        .post("/introspect", &[("token", first["access_token"].as_str().unwrap())])
        .await;
    let body = answer.json();
    assert_eq!((&body["aud"], &body["sub"], &body["client_id"]), (&json!([RESOURCE]), &json!("ann"), &json!("app")));
    assert_eq!((&body["exp"], &body["scope"]), (&json!(NOW + 600), &json!("read")));
    clock.advance(600);
    assert!(!is_active(&visitor, first["access_token"].as_str().unwrap()).await);
    let second = refresh(&visitor, first["refresh_token"].as_str().unwrap()).await.json();
    assert_ne!(first["refresh_token"], second["refresh_token"]);
    clock.advance(30 * 86_400);
    assert_eq!(refresh(&visitor, second["refresh_token"].as_str().unwrap()).await.error(), "invalid_grant");
}

/// AUTH-007, AUTH-009, AUTH-010: a client that finds no metadata, and has never heard of resources, uses the default paths below the
/// address of the server without its path.
#[tokio::test]
async fn the_default_paths_lead_to_a_token() {
    const BASE: &str = "https://mcp.example.com";
    let resource = Resource::new(RESOURCE).scope("read", "Read files");
    let users = Users::new().unwrap();
    users.add_user("ann", &Secret::new(PASSWORD)).unwrap();
    let builder = AuthorizationServer::builder(BASE).resource(resource).users(users);
    let server = builder.registration(Registration::default()).build().unwrap();
    assert!(RESOURCE.starts_with(BASE));
    let mut visitor = Visitor::new(&server);
    assert_eq!(visitor.get("/.well-known/oauth-authorization-server").await.json()["issuer"], BASE);
    let metadata = json!({ "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none" });
    let client = visitor.post_json("/register", &metadata).await.json();
    let start =
        Start::new().set("client_id", client["client_id"].as_str().unwrap()).set("resource", "").set("scope", "");
    assert!(start.path().starts_with("/authorize?"));
    let code = visitor.obtain(&start).await.param("code").unwrap();
    let mut form = start.redeem(&code);
    form.retain(|(name, _)| *name != "resource");
    let tokens = visitor.post("/token", &form).await.json();
    assert!(server.verifier().verify(tokens["access_token"].as_str().unwrap()).await.is_ok(), "{tokens}");
}

/// A login takes the same room however often it is refreshed, so that nobody fills the store for others.
#[tokio::test]
async fn refreshing_fills_no_store() {
    let clock = Clock::manual(NOW);
    let store = Arc::new(MemoryStore::bounded(clock.clone(), 8));
    let (server, _) = server(|builder| builder.store(store).clock(clock.clone()));
    let mut visitor = Visitor::new(&server);
    let mut token = tokens(&mut visitor).await["refresh_token"].as_str().unwrap().to_owned();
    for round in 0..100 {
        clock.advance(20);
        let answer = refresh(&visitor, &token).await;
        assert_eq!(answer.status, 200, "{round}: {answer:?}");
        token = answer.json()["refresh_token"].as_str().unwrap().to_owned();
    }
    let start = Start::new().set("scope", "read write");
    let mut another = Visitor::new(&server);
    let code = another.obtain(&start).await.param("code").unwrap();
    assert_eq!(another.post("/token", &start.redeem(&code)).await.status, 200);
}

/// A store that fails the next change of a kind of value.
#[derive(Debug)]
struct Failing {
    inner: MemoryStore,
    kind: Mutex<Option<&'static str>>,
    /// Of which kind the next value cannot be replaced, because another was faster.
    late: Mutex<Option<&'static str>>,
    /// What was put and not taken.
    keys: Mutex<BTreeSet<String>>,
}

impl Failing {
    fn new(clock: &Clock) -> Arc<Self> {
        let inner = MemoryStore::new(clock.clone());
        Arc::new(Self { inner, kind: Mutex::default(), late: Mutex::default(), keys: Mutex::default() })
    }

    fn count(&self, kind: &str) -> usize {
        self.keys.lock().unwrap().iter().filter(|key| key.starts_with(kind)).count()
    }

    fn fails<T: Send + 'static>(&self, key: &str) -> Option<Storing<'static, T>> {
        let mut kind = self.kind.lock().unwrap();
        kind.take_if(|kind| key.starts_with(*kind))?;
        Some(Box::pin(std::future::ready(Err(StoreError::Failed("for once".into())))))
    }
}

impl AuthStore for Failing {
    fn put<'a>(&'a self, key: &'a str, value: Vec<u8>, until: u64) -> Storing<'a, ()> {
        self.fails(key).unwrap_or_else(|| {
            self.keys.lock().unwrap().insert(key.to_owned());
            self.inner.put(key, value, until)
        })
    }

    fn add<'a>(&'a self, key: &'a str, value: Vec<u8>, until: u64) -> Storing<'a, bool> {
        self.fails(key).unwrap_or_else(|| self.inner.add(key, value, until))
    }

    fn get<'a>(&'a self, key: &'a str) -> Storing<'a, Option<Vec<u8>>> {
        self.inner.get(key)
    }

    fn take<'a>(&'a self, key: &'a str) -> Storing<'a, Option<Vec<u8>>> {
        self.keys.lock().unwrap().remove(key);
        self.inner.take(key)
    }

    fn replace<'a>(&'a self, key: &'a str, before: &'a [u8], after: Vec<u8>, until: u64) -> Storing<'a, bool> {
        if self.late.lock().unwrap().take_if(|kind| key.starts_with(*kind)).is_some() {
            return Box::pin(std::future::ready(Ok(false)));
        }
        self.fails(key).unwrap_or_else(|| self.inner.replace(key, before, after, until))
    }
}

/// A store that fails for a moment costs nobody their login: neither a code nor a refresh token is spent by it.
#[tokio::test]
async fn a_failure_of_the_store_ends_no_login() {
    let clock = Clock::manual(NOW);
    let store = Failing::new(&clock);
    let (server, _) = server(|builder| builder.store(store.clone()).clock(clock.clone()));
    let mut visitor = Visitor::new(&server);
    let start = Start::new();
    let code = visitor.obtain(&start).await.param("code").unwrap();
    for kind in ["refresh:", "code:"] {
        *store.kind.lock().unwrap() = Some(kind);
        let answer = visitor.post("/token", &start.redeem(&code)).await;
        assert_eq!((answer.status, &answer.headers["retry-after"]), (503, &"5".parse().unwrap()), "{kind}");
    }
    let first = visitor.post("/token", &start.redeem(&code)).await.json();
    let token = first["refresh_token"].as_str().unwrap();
    *store.kind.lock().unwrap() = Some("refresh:");
    assert_eq!(refresh(&visitor, token).await.status, 503);
    clock.advance(60);
    let second = refresh(&visitor, token).await;
    assert_eq!(second.status, 200, "{second:?}");
    clock.advance(60);
    assert_eq!(refresh(&visitor, second.json()["refresh_token"].as_str().unwrap()).await.status, 200);
}

/// Refresh tokens that nobody got are not kept for thirty days: neither when the store fails to spend the code, nor when another request
/// was faster.
#[tokio::test]
async fn a_code_that_is_not_spent_leaves_nothing_behind() {
    let clock = Clock::manual(NOW);
    let store = Failing::new(&clock);
    let (server, _) = server(|builder| builder.store(store.clone()).clock(clock.clone()));
    let mut visitor = Visitor::new(&server);
    let start = Start::new();
    let code = visitor.obtain(&start).await.param("code").unwrap();
    for _ in 0..3 {
        *store.kind.lock().unwrap() = Some("code:");
        assert_eq!(visitor.post("/token", &start.redeem(&code)).await.status, 503);
        assert_eq!(store.count("refresh:"), 0);
    }
    *store.late.lock().unwrap() = Some("code:");
    assert_eq!(visitor.post("/token", &start.redeem(&code)).await.error(), "invalid_grant");
    assert_eq!((store.count("refresh:"), store.count("code:")), (0, 1));
    let start = Start::new();
    let code = visitor.get(&start.path()).await.param("code").unwrap();
    assert_eq!(visitor.post("/token", &start.redeem(&code)).await.status, 200);
    assert_eq!(store.count("refresh:"), 1);
}

/// What stands in an access token is not enough to end the login: resource servers see those.
#[tokio::test]
async fn a_made_up_refresh_token_ends_nothing() {
    let (server, _) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    let first = tokens(&mut visitor).await;
    let said = claims(first["access_token"].as_str().unwrap());
    let made_up = format!("{}.AAAA", said["sid"].as_str().unwrap());
    assert_eq!(refresh(&visitor, &made_up).await.error(), "invalid_grant");
    visitor.post("/revoke", &[("client_id", "app"), ("token", &made_up)]).await;
    assert_eq!(refresh(&visitor, first["refresh_token"].as_str().unwrap()).await.status, 200);
}
