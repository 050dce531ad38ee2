//! What must not be seen, in any place where it could be.

use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex};

use jackfield_auth::server::{AuthStore, Client, MemoryStore, Storing, Upstream, Users};
use jackfield_auth::{Clock, Secret};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::guarded::Guarded;
use crate::visitor::{ISSUER, NOW, PASSWORD, REDIRECT, Start, Visitor, server};

/// Everything that was ever written, in one text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Written(pub(crate) Arc<Mutex<String>>);

impl Written {
    #[track_caller]
    fn holds_none_of(&self, secrets: &[String]) {
        let text = self.0.lock().unwrap();
        for secret in secrets {
            assert!(secret.len() >= 16, "too short to be told from chance: {secret}");
            assert!(!text.contains(secret.as_str()), "{secret} was written:\n{text}");
        }
    }
}

/// Writes down every event and span of every level.
impl Subscriber for Written {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut Line(&mut self.0.lock().unwrap()));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Line(&mut self.0.lock().unwrap()));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Line(&mut self.0.lock().unwrap()));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Line<'a>(&'a mut String);

impl Visit for Line<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        writeln!(self.0, "{field}={value:?}").unwrap();
    }
}

/// A store that writes down what it is given.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) inner: MemoryStore,
    pub(crate) written: Written,
}

impl Recording {
    fn note(&self, key: &str, value: &[u8]) {
        writeln!(self.written.0.lock().unwrap(), "{key} {}", String::from_utf8_lossy(value)).unwrap();
    }
}

impl AuthStore for Recording {
    fn put<'a>(&'a self, key: &'a str, value: Vec<u8>, until: u64) -> Storing<'a, ()> {
        self.note(key, &value);
        self.inner.put(key, value, until)
    }

    fn add<'a>(&'a self, key: &'a str, value: Vec<u8>, until: u64) -> Storing<'a, bool> {
        self.note(key, &value);
        self.inner.add(key, value, until)
    }

    fn get<'a>(&'a self, key: &'a str) -> Storing<'a, Option<Vec<u8>>> {
        self.note(key, b"");
        self.inner.get(key)
    }

    fn take<'a>(&'a self, key: &'a str) -> Storing<'a, Option<Vec<u8>>> {
        self.note(key, b"");
        self.inner.take(key)
    }

    fn replace<'a>(&'a self, key: &'a str, before: &'a [u8], after: Vec<u8>, until: u64) -> Storing<'a, bool> {
        self.note(key, &after);
        self.inner.replace(key, before, after, until)
    }
}

/// Goes the whole way of a user and a client, with mistakes; returns every secret of it.
async fn all_there_is_to_see(visitor: &mut Visitor) -> Vec<String> {
    let metadata = json!({ "redirect_uris": [REDIRECT], "grant_types": ["authorization_code", "refresh_token"] });
    let client = visitor.post_json("/register", &metadata).await.json();
    let (id, secret) = (client["client_id"].as_str().unwrap(), client["client_secret"].as_str().unwrap());
    let start = Start::new().set("client_id", id);
    let page = visitor.get(&start.path()).await;
    let page = visitor.login(&page, "a wrong password").await;
    let page = visitor.login(&page, PASSWORD).await;
    let cookies: Vec<String> = visitor.cookies.values().cloned().collect();
    let code = visitor.decide(&page, "allow").await.param("code").unwrap();
    let program = Visitor::new(&visitor.server).basic(id, secret);
    let mut wrong = start.redeem(&code);
    wrong.retain(|(name, _)| *name != "code_verifier");
    wrong.push(("code_verifier", "a verifier that is wrong but has the right length"));
    assert_eq!(program.clone().post("/token", &wrong).await.status, 400);
    let tokens = program.clone().post("/token", &start.redeem(&code)).await.json();
    let (access, refresh) = (tokens["access_token"].as_str().unwrap(), tokens["refresh_token"].as_str().unwrap());
    program.clone().post("/introspect", &[("token", access)]).await;
    let form = [("grant_type", "refresh_token"), ("refresh_token", refresh)];
    let second = program.clone().post("/token", &form).await.json();
    program.clone().post("/token", &start.redeem(&code)).await;
    program.clone().post("/revoke", &[("token", second["refresh_token"].as_str().unwrap())]).await;
    Visitor::new(&visitor.server).basic(id, "a guess at the secret").post("/token", &form).await;
    let mut secrets = vec![
        PASSWORD.to_owned(),
        "a wrong password".to_owned(),
        "a guess at the secret".to_owned(),
        "a verifier that is wrong but has the right length".to_owned(),
        secret.to_owned(),
        code,
        start.verifier.expose().to_owned(),
    ];
    secrets.extend(cookies);
    for answer in [&tokens, &second] {
        secrets.extend(["access_token", "refresh_token"].map(|name| answer[name].as_str().unwrap().to_owned()));
    }
    secrets
}

/// T-068: logs of every level, from the first request to the last, hold no secret; nor does what prints.
#[tokio::test]
async fn logs_hold_no_secrets() {
    let written = Written::default();
    let _logging = tracing::subscriber::set_default(written.clone());
    let (server, _) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    let mut secrets = all_there_is_to_see(&mut visitor).await;
    let guarded = Guarded::new(|builder| builder);
    for token in [guarded.token(json!({})), guarded.token(json!({ "aud": "x" })), "not.a.good.token".to_owned()] {
        guarded.with_token(&token).await;
        secrets.push(token);
    }
    assert!(written.0.lock().unwrap().contains("a code was used twice"), "logs are seen at all");
    let users = Users::new().unwrap();
    users.add_user("ann", &Secret::new(PASSWORD)).unwrap();
    let client = Client::with_secret("x", &"the secret of a client".into());
    let upstream =
        Upstream::new(ISSUER, "us", "the secret of ours there".into(), Arc::new(crate::wrong_tokens::Canned(None)));
    secrets.extend(["the secret of a client".to_owned(), "the secret of ours there".to_owned()]);
    writeln!(written.0.lock().unwrap(), "{server:?} {:?} {users:?} {client:?} {upstream:?}", server.keys()).unwrap();
    written.holds_none_of(&secrets);
}

/// T-090: whoever reads the store has nothing to log in or to ask with: secrets are kept as digests.
#[tokio::test]
async fn the_store_holds_no_secrets() {
    let written = Written::default();
    let store = Recording { inner: MemoryStore::new(Clock::manual(NOW)), written: written.clone() };
    let (server, _) = server(|builder| builder.store(Arc::new(store)));
    let secrets = all_there_is_to_see(&mut Visitor::new(&server)).await;
    let text = written.0.lock().unwrap().clone();
    for kind in ["client:", "request:", "session:", "code:", "refresh:", "revoked:"] {
        assert!(text.contains(kind), "{kind}");
    }
    written.holds_none_of(&secrets);
}
