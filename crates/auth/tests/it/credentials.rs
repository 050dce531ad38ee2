//! How clients say who they are: one way, the registered one, and with keys from where they said.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::StatusCode;
use jackfield_auth::client::{AssertionFile, GivenClient, IdentityProvider, MemoryStore};
use jackfield_auth::jose::{JwkSet, SigningKey};
use jackfield_auth::server::Client;
use jackfield_http::fetch::{Fetch, FetchFuture, FetchRequest};
use serde_json::{Value, json};

use crate::town::Town;
use crate::visitor::{ISSUER, NOW, PASSWORD, REDIRECT, RESOURCE, Start, Visitor, server};
use crate::wrong_tokens::Canned;

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";

fn assertion(key: &SigningKey, client: &str, id: &str) -> String {
    let claims = json!({ "iss": client, "sub": client, "aud": ISSUER, "exp": NOW + 60, "jti": id });
    key.sign("jwt", &claims).unwrap()
}

/// Logs a user in for a client that signs, and redeems the code.
async fn tokens(visitor: &mut Visitor, client: &str, key: &SigningKey) -> (u16, Value) {
    let start = Start::new().set("client_id", client);
    let page = visitor.get(&start.path()).await;
    let mut page = visitor.login(&page, PASSWORD).await;
    // A consent is remembered.
    if !page.headers.contains_key("location") {
        page = visitor.decide(&page, "allow").await;
    }
    let code = page.param("code").unwrap();
    let signed = assertion(key, client, &code);
    let mut form = start.redeem(&code);
    form.extend([("client_assertion_type", ASSERTION_TYPE), ("client_assertion", signed.as_str())]);
    let answer = visitor.post("/token", &form).await;
    (answer.status, answer.json())
}

/// A client that registers itself brings its keys, or says where they are. Those are the keys that count.
#[tokio::test]
async fn a_client_registers_with_its_keys() {
    let (key, other) = (SigningKey::generate().unwrap(), SigningKey::generate().unwrap());
    let keys = json!(JwkSet { keys: vec![key.public().clone()] });
    let fetch = Arc::new(Canned(Some((StatusCode::OK, keys.clone()))));
    let (server, _) = server(|builder| builder.fetch(fetch));
    let mut visitor = Visitor::new(&server);
    let mut register = async |changes: Value| {
        let mut metadata = json!({ "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "private_key_jwt" });
        for (name, value) in changes.as_object().unwrap() {
            metadata[name] = value.clone();
        }
        visitor.post_json("/register", &metadata).await
    };
    let place = "https://app.example/jwks.json";
    for refused in [
        json!({}),
        json!({ "jwks": keys, "jwks_uri": place }),
        json!({ "jwks": "none" }),
        json!({ "jwks": { "keys": 7 } }),
        json!({ "jwks_uri": "http://app.example/jwks.json" }),
    ] {
        assert_eq!(register(refused.clone()).await.error(), "invalid_client_metadata", "{refused}");
    }
    let ids = [
        register(json!({ "jwks": keys })).await.json()["client_id"].as_str().unwrap().to_owned(),
        register(json!({ "jwks_uri": place })).await.json()["client_id"].as_str().unwrap().to_owned(),
    ];
    for id in &ids {
        let (status, body) = tokens(&mut Visitor::new(&server), id, &key).await;
        assert_eq!(status, 200, "{body}");
        let (status, body) = tokens(&mut Visitor::new(&server), id, &other).await;
        assert_eq!((status, &body["error"]), (401, &json!("invalid_client")));
    }
}

/// Where a client keeps its keys is asked once, however often it comes.
#[tokio::test]
async fn the_keys_of_a_client_are_kept() {
    #[derive(Debug)]
    struct Counted(AtomicUsize, Canned);

    impl Fetch for Counted {
        fn fetch(&self, ask: FetchRequest) -> FetchFuture<'_> {
            self.0.fetch_add(1, Ordering::SeqCst);
            assert_eq!(ask.limit, 16 * 1024);
            self.1.fetch(ask)
        }
    }

    let key = SigningKey::generate().unwrap();
    let keys = json!(JwkSet { keys: vec![key.public().clone()] });
    let fetch = Arc::new(Counted(AtomicUsize::default(), Canned(Some((StatusCode::OK, keys)))));
    let (server, _) = server(|builder| builder.fetch(fetch.clone()));
    let mut visitor = Visitor::new(&server);
    let metadata = json!({ "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "private_key_jwt",
        "jwks_uri": "https://app.example/jwks.json" });
    let client = visitor.post_json("/register", &metadata).await.json();
    for _ in 0..5 {
        let (status, body) = tokens(&mut Visitor::new(&server), client["client_id"].as_str().unwrap(), &key).await;
        assert_eq!(status, 200, "{body}");
    }
    assert_eq!(fetch.0.load(Ordering::SeqCst), 1);
}

/// What strangers keep at a URL is kept in memory, so it is short.
#[tokio::test]
async fn the_keys_of_a_client_are_few() {
    let key = SigningKey::generate().unwrap();
    for (padding, expected) in [(15 * 1024, 200), (17 * 1024, 401)] {
        let keys = json!({ "keys": [key.public()], "padding": "x".repeat(padding) });
        let (server, _) = server(|builder| builder.fetch(Arc::new(Canned(Some((StatusCode::OK, keys))))));
        let mut visitor = Visitor::new(&server);
        let metadata = json!({ "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "private_key_jwt",
            "jwks_uri": "https://app.example/jwks.json" });
        let client = visitor.post_json("/register", &metadata).await.json();
        let (status, body) = tokens(&mut visitor, client["client_id"].as_str().unwrap(), &key).await;
        assert_eq!(status, expected, "{body}");
    }
}

/// While the keys of a client cannot be fetched, it is nobody.
#[tokio::test]
async fn keys_that_can_not_be_fetched_prove_nothing() {
    let key = SigningKey::generate().unwrap();
    let (server, _) = server(|builder| builder.fetch(Arc::new(Canned(None))));
    let mut visitor = Visitor::new(&server);
    let metadata = json!({ "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "private_key_jwt",
        "jwks_uri": "https://app.example/jwks.json" });
    let client = visitor.post_json("/register", &metadata).await.json();
    let (status, body) = tokens(&mut visitor, client["client_id"].as_str().unwrap(), &key).await;
    assert_eq!((status, &body["error"]), (401, &json!("invalid_client")));
}

/// Who says two things about itself is refused before any of it is looked at.
#[tokio::test]
async fn a_request_names_one_client_in_one_way() {
    let key = SigningKey::generate().unwrap();
    let signer =
        Client::with_keys("signer", JwkSet { keys: vec![key.public().clone()] }).grants(["client_credentials"]);
    let (server, _) = server(|builder| builder.client(signer));
    let good = assertion(&key, "signer", "1");
    let form = |more: &[(&'static str, &str)]| -> Vec<(&'static str, String)> {
        let usual = [("grant_type", "client_credentials"), ("resource", RESOURCE)];
        usual.iter().chain(more).map(|(name, value)| (*name, (*value).to_owned())).collect()
    };
    let robot = || Visitor::new(&server).basic("robot", "s3cret of the robot");
    let signed = [("client_assertion_type", ASSERTION_TYPE), ("client_assertion", good.as_str())];
    for (why, visitor, more, error) in [
        ("two names beside Basic", robot(), vec![("client_id", "app")], "invalid_request"),
        ("Basic and an assertion", robot(), signed.to_vec(), "invalid_request"),
        ("two Authorization headers", robot().basic("robot", "x"), vec![], "invalid_request"),
        ("another scheme", Visitor::new(&server).with("authorization", "Bearer x"), vec![], "invalid_client"),
        ("no credentials in Basic", Visitor::new(&server).with("authorization", "Basic !"), vec![], "invalid_client"),
        ("a secret of nobody", Visitor::new(&server), vec![("client_secret", "x")], "invalid_request"),
        ("an assertion of no type", Visitor::new(&server), vec![signed[1]], "invalid_request"),
        (
            "an assertion of another",
            Visitor::new(&server),
            [&signed[..], &[("client_id", "app")]].concat(),
            "invalid_request",
        ),
        (
            "no assertion at all",
            Visitor::new(&server),
            vec![signed[0], ("client_assertion", "x.y.z")],
            "invalid_client",
        ),
    ] {
        let form = form(&more);
        let form: Vec<(&str, &str)> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let answer = { visitor }.post("/token", &form).await;
        assert_eq!(answer.error(), error, "{why}: {answer:?}");
    }
    let form = form(&signed);
    let form: Vec<(&str, &str)> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(Visitor::new(&server).post("/token", &form).await.status, 200, "nothing of that used the assertion up");
}

/// A client learns about its own refresh tokens, for as long as they can be used; others do not.
#[tokio::test]
async fn a_refresh_token_is_known_to_its_client_only() {
    let app = |id: &str| Client::with_secret(id, &"s3cret of mine".into()).redirect_uris([REDIRECT]);
    let (server, clock) = server(|builder| builder.client(app("mine")).client(app("other")));
    let mut visitor = Visitor::new(&server);
    let start = Start::new().set("client_id", "mine");
    let code = visitor.obtain(&start).await.param("code").unwrap();
    let mine = visitor.clone().basic("mine", "s3cret of mine");
    let first = mine.clone().post("/token", &start.redeem(&code)).await.json();
    let token = first["refresh_token"].as_str().unwrap().to_owned();
    let ask = async |who: &str, token: &str| {
        Visitor::new(&server).basic(who, "s3cret of mine").post("/introspect", &[("token", token)]).await.json()
    };
    let known = ask("mine", &token).await;
    assert_eq!((&known["active"], &known["token_type"]), (&json!(true), &json!("refresh_token")));
    assert_eq!((&known["client_id"], &known["sub"], &known["iss"]), (&json!("mine"), &json!("ann"), &json!(ISSUER)));
    assert!(known["exp"].as_u64().unwrap() > NOW);
    let unknown = json!({ "active": false });
    assert_eq!(ask("other", &token).await, unknown);
    assert_eq!(ask("mine", "made-up").await, unknown);
    // It was used: the next one takes its place.
    clock.advance(60);
    let form = [("grant_type", "refresh_token"), ("refresh_token", token.as_str())];
    let next = mine.clone().post("/token", &form).await.json()["refresh_token"].as_str().unwrap().to_owned();
    assert_eq!(ask("mine", &token).await, unknown);
    assert_eq!(ask("mine", &next).await["active"], true);
    mine.clone().post("/revoke", &[("token", next.as_str())]).await;
    assert_eq!(ask("mine", &next).await, unknown, "given back");
}

/// An access token that has expired, or that was given back, is not active any more.
#[tokio::test]
async fn an_expired_token_is_not_active() {
    let (server, clock) = server(|builder| builder);
    let robot = || Visitor::new(&server).basic("robot", "s3cret of the robot");
    let form = [("grant_type", "client_credentials"), ("resource", RESOURCE)];
    let token = robot().post("/token", &form).await.json()["access_token"].as_str().unwrap().to_owned();
    let is_active = async || robot().post("/introspect", &[("token", token.as_str())]).await.json()["active"].clone();
    assert_eq!(is_active().await, true);
    clock.advance(600);
    assert_eq!(is_active().await, false);
}

/// The platform renews the file; each request for a token reads it again. XCC-004
#[tokio::test]
async fn an_assertion_is_read_from_its_file_each_time() {
    let town = Town::new().await;
    town.state().answer = json!({ "expires_in": 100 });
    let path = std::env::temp_dir().join(format!("jackfield-assertion-{}", std::process::id()));
    let oauth = town.oauth().client(GivenClient::new("pod").secret("s")).workload_identity(AssertionFile(path.clone()));
    let login = oauth.server(town.url("/mcp")).unwrap();
    assert!(town.failure(&login).await.contains("assertion"), "there is no such file yet");
    for text in ["first\n", "second"] {
        std::fs::write(&path, text).unwrap();
        assert_eq!(town.request(&login).await.unwrap(), 200);
        town.clock.advance(90);
    }
    std::fs::remove_file(&path).unwrap();
    let sent: Vec<String> = town.forms().iter().map(|form| form["assertion"].clone()).collect();
    assert_eq!(sent, ["first", "second"]);
}

/// Identity providers may want a secret, and may have given something else than an identity token.
#[tokio::test]
async fn an_identity_provider_is_asked_as_it_wants() {
    let town = Town::new().await;
    town.state().answer = json!({ "issued_token_type": ID_JAG });
    let provider = IdentityProvider::new(town.url("/idp/token"), "idp client", jackfield_auth::Secret::new("saml"))
        .secret("s:1")
        .subject_token_type("urn:ietf:params:oauth:token-type:saml2");
    let oauth = town.oauth().client(GivenClient::new("app").secret("s")).enterprise(provider);
    let login = oauth.store(MemoryStore::default()).server(town.url("/mcp")).unwrap();
    assert_eq!(town.request(&login).await.unwrap(), 200);
    let hit = town.site.hits().into_iter().find(|hit| hit.path == "/idp/token").unwrap();
    // Name and secret are encoded like forms first.
    use base64::Engine as _;
    let expected = base64::engine::general_purpose::STANDARD.encode("idp+client:s%3A1");
    assert_eq!(hit.authorization, Some(format!("Basic {expected}")));
    assert_eq!(town.forms()[0]["subject_token_type"], "urn:ietf:params:oauth:token-type:saml2");
    assert!(!town.forms()[0].contains_key("client_secret"));
}
