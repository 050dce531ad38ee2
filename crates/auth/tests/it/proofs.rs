//! Tokens that are bound to a key of their holder (RFC 9449).

use bytes::Bytes;
use http::Request;
use jackfield_auth::dpop::{ProofRules, Proven, prove};
use jackfield_auth::jose::SigningKey;
use jackfield_auth::resource::DpopUse;
use serde_json::json;

use crate::guarded::{Answer, Guarded, NOW, RESOURCE};

struct Holder {
    guarded: Guarded,
    key: SigningKey,
    token: String,
}

impl Holder {
    fn new(usage: DpopUse, nonce: bool) -> Self {
        let key = SigningKey::generate().unwrap();
        let mut rules = ProofRules::default();
        rules.nonce = nonce;
        let guarded = Guarded::new(|builder| builder.dpop(usage, rules));
        let token = guarded.token(json!({ "cnf": { "jkt": key.public().thumbprint() } }));
        Self { guarded, key, token }
    }

    fn proof(&self, method: &str, url: &str, token: Option<&str>, nonce: Option<&str>, now: u64) -> String {
        prove(&self.key, Proven { method, url, token }, nonce, now).unwrap()
    }

    fn good(&self) -> String {
        self.proof("POST", RESOURCE, Some(&self.token), None, NOW)
    }

    async fn send(&self, scheme: &str, proofs: &[String]) -> Answer {
        let mut request = Request::post("/mcp?x=1").header("authorization", format!("{scheme} {}", self.token));
        for proof in proofs {
            request = request.header("dpop", proof);
        }
        self.guarded.send(request.body(Bytes::new()).unwrap()).await
    }
}

#[tokio::test]
async fn a_bound_token_needs_a_proof_of_its_key() {
    let holder = Holder::new(DpopUse::Accepted, false);
    let other = SigningKey::generate().unwrap();
    let (token, good) = (holder.token.clone(), holder.good());
    assert_eq!(holder.send("DPoP", std::slice::from_ref(&good)).await.status, 200);
    let of_other = prove(&other, Proven { method: "POST", url: RESOURCE, token: Some(&token) }, None, NOW).unwrap();
    let plain = holder.key.sign("jwt", &json!({ "jti": "1", "htm": "POST", "htu": RESOURCE, "iat": NOW })).unwrap();
    for (name, scheme, proofs) in [
        ("used before", "DPoP", vec![good]),
        ("missing", "DPoP", vec![]),
        ("two", "DPoP", vec![holder.good(), holder.good()]),
        ("as a bearer token", "Bearer", vec![holder.good()]),
        ("another method", "DPoP", vec![holder.proof("GET", RESOURCE, Some(&token), None, NOW)]),
        ("another path", "DPoP", vec![holder.proof("POST", "https://mcp.example.com/", Some(&token), None, NOW)]),
        ("another host", "DPoP", vec![holder.proof("POST", "https://evil.example/mcp", Some(&token), None, NOW)]),
        ("another token", "DPoP", vec![holder.proof("POST", RESOURCE, Some("other"), None, NOW)]),
        ("no token", "DPoP", vec![holder.proof("POST", RESOURCE, None, None, NOW)]),
        ("too old", "DPoP", vec![holder.proof("POST", RESOURCE, Some(&token), None, NOW - 61)]),
        ("from the future", "DPoP", vec![holder.proof("POST", RESOURCE, Some(&token), None, NOW + 61)]),
        ("another key", "DPoP", vec![of_other]),
        ("no key in it", "DPoP", vec![plain]),
        ("no JWT", "DPoP", vec!["proof".to_owned()]),
    ] {
        let answer = holder.send(scheme, &proofs).await;
        assert_eq!(answer.status, 401, "{name}");
        let dpop = answer.challenges().into_iter().find(|challenge| challenge.is("DPoP")).unwrap();
        assert_eq!(dpop.get("algs"), Some("ES256 EdDSA"), "{name}");
    }
    let spelled = holder.proof("POST", "HTTPS://mcp.example.com:443/mcp?y=2#z", Some(&token), None, NOW + 60);
    assert_eq!(holder.send("dpop", &[spelled]).await.status, 200);
    let unbound = holder.guarded.token(json!({}));
    let request =
        Request::post("/mcp").header("authorization", format!("DPoP {unbound}")).header("dpop", holder.good());
    assert_eq!(holder.guarded.send(request.body(Bytes::new()).unwrap()).await.status, 401);
    assert_eq!(holder.guarded.with_token(&unbound).await.status, 200);
}

#[tokio::test]
async fn unbound_tokens_can_be_refused() {
    let holder = Holder::new(DpopUse::Required, false);
    let answer = holder.guarded.with_token(&holder.guarded.token(json!({}))).await;
    assert_eq!(answer.status, 401);
    assert!(answer.challenges().iter().all(|challenge| challenge.is("DPoP")), "{answer:?}");
    assert_eq!(holder.send("DPoP", &[holder.good()]).await.status, 200);
    let seen = holder.guarded.inner.0.lock().unwrap();
    assert!(!seen[0].0.contains_key("dpop") && !seen[0].0.contains_key("authorization"));
}

#[tokio::test]
async fn a_nonce_is_asked_for_and_grows_old() {
    let holder = Holder::new(DpopUse::Required, true);
    let with = |nonce: &str, now: u64| vec![holder.proof("POST", RESOURCE, Some(&holder.token), Some(nonce), now)];
    let answer = holder.send("DPoP", &[holder.good()]).await;
    assert_eq!((answer.status, answer.error().as_deref()), (401, Some("use_dpop_nonce")));
    let nonce = answer.headers["dpop-nonce"].to_str().unwrap().to_owned();
    let answer = holder.send("DPoP", &with(&nonce, NOW)).await;
    assert_eq!((answer.status, answer.headers["dpop-nonce"].to_str().unwrap()), (200, nonce.as_str()));
    assert_eq!(holder.send("DPoP", &with("made-up", NOW)).await.status, 401);
    holder.guarded.clock.advance(300);
    assert_eq!(holder.send("DPoP", &with(&nonce, NOW + 300)).await.error().as_deref(), Some("use_dpop_nonce"));
}

/// When more proofs come than can be remembered, they are refused rather than forgotten.
#[tokio::test]
async fn a_full_memory_refuses() {
    let key = SigningKey::generate().unwrap();
    let mut rules = ProofRules::default();
    rules.remembered = 3;
    let guarded = Guarded::new(|builder| builder.dpop(DpopUse::Required, rules));
    let token = guarded.token(json!({ "cnf": { "jkt": key.public().thumbprint() } }));
    let holder = Holder { guarded, key, token };
    for _ in 0..3 {
        assert_eq!(holder.send("DPoP", &[holder.good()]).await.status, 200);
    }
    assert_eq!(holder.send("DPoP", &[holder.good()]).await.status, 503);
    holder.guarded.clock.advance(62);
    let later = holder.proof("POST", RESOURCE, Some(&holder.token), None, NOW + 62);
    assert_eq!(holder.send("DPoP", &[later]).await.status, 200);
}
