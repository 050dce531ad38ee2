//! Users who log in elsewhere: consent comes first, and the tokens of the other side stay with us.

use std::sync::{Arc, Mutex};

use http::{HeaderMap, StatusCode};
use jackfield_auth::fetch::{Ask, Document, Fetch, Fetching};
use jackfield_auth::jose::{JwkSet, SigningKey};
use jackfield_auth::resource::TokenVerifier;
use jackfield_auth::server::Upstream;
use serde_json::{Value, json};

use crate::visitor::{NOW, Start, Visitor, server};

const PROVIDER: &str = "https://login.example";

/// Another provider, which answers token requests as told.
#[derive(Debug)]
struct Provider {
    key: SigningKey,
    nonce: Mutex<String>,
    ended: Mutex<bool>,
    asked: Mutex<Vec<String>>,
}

impl Provider {
    fn answer(&self, path: &str, body: &str) -> (StatusCode, Value) {
        match path {
            "/.well-known/oauth-authorization-server" => (
                StatusCode::OK,
                json!({ "issuer": PROVIDER,
                "authorization_endpoint": "https://login.example/authorize", "token_endpoint": "https://login.example/token",
                "jwks_uri": "https://login.example/jwks" }),
            ),
            "/jwks" => (StatusCode::OK, json!(JwkSet { keys: vec![self.key.public().clone()] })),
            "/token" if *self.ended.lock().unwrap() => (StatusCode::BAD_REQUEST, json!({ "error": "invalid_grant" })),
            "/token" => {
                self.asked.lock().unwrap().push(body.to_owned());
                let claims = json!({ "iss": PROVIDER, "sub": "u-7", "aud": "us", "exp": NOW + 100_000, "nonce": *self.nonce.lock().unwrap() });
                let number = self.asked.lock().unwrap().len();
                (
                    StatusCode::OK,
                    json!({ "access_token": format!("theirs-{number}"), "refresh_token": "r", "expires_in": 100,
                    "id_token": self.key.sign("JWT", &claims).unwrap() }),
                )
            }
            _ => (StatusCode::NOT_FOUND, json!({})),
        }
    }
}

impl Fetch for Provider {
    fn fetch(&self, ask: Ask) -> Fetching<'_> {
        let (status, body) = self.answer(ask.url.path(), std::str::from_utf8(&ask.body).unwrap());
        Box::pin(std::future::ready(Ok(Document::new(status, HeaderMap::new(), body.to_string()))))
    }
}

fn provider() -> Arc<Provider> {
    let key = SigningKey::generate().unwrap();
    Arc::new(Provider { key, nonce: Mutex::default(), ended: Mutex::default(), asked: Mutex::default() })
}

/// T-083: the published attack. A malicious client sends its victim through the other provider, which remembers the victim's
/// consent to us; without consent of ours there is neither a redirect nor a cookie. AUTH-121, SEC-001, SEC-008, SEC-009
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

/// AUTH-125, AUTH-126: their tokens are renewed in time, stay with us, and when their login ends ours does.
#[tokio::test]
async fn the_login_lives_as_long_as_the_other() {
    let provider = provider();
    let upstream = Upstream::new(PROVIDER, "us", "s3cret".into(), provider.clone());
    let (server, clock) = server(|builder| builder.upstream(upstream));
    let mut visitor = Visitor::new(&server);
    let start = Start::new();
    let page = visitor.get(&start.path()).await;
    let away = visitor.decide(&page, "allow").await;
    *provider.nonce.lock().unwrap() = away.param("nonce").unwrap();
    let answer = visitor.get(&format!("/callback?code=theirs&state={}", away.param("state").unwrap())).await;
    let answer = visitor.post("/token", &start.redeem(&answer.param("code").unwrap())).await;
    assert!(!answer.text().contains("theirs"), "the client never sees their token");
    let tokens = answer.json();
    let verifier = server.verifier();
    let token = verifier.verify(tokens["access_token"].as_str().unwrap()).await.unwrap();
    assert_eq!((token.subject.as_str(), server.third_party_token(&token).await.unwrap().expose()), ("u-7", "theirs-1"));
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
