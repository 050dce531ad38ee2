//! State in a file: the next start of the server, and other servers, go on where the last one was.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jackfield_auth::Clock;
use jackfield_auth::jose::{Jws, SigningKey};
use jackfield_auth::resource::TokenVerifier as _;
use jackfield_auth::server::{AuthStore, AuthorizationServer, BuildError, SharedStore, StoreError};
use jackfield_store::{MemoryKv, Sqlite};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::visitor::{NOW, REDIRECT, RESOURCE, Start, Visitor, builder};

/// A file that is removed in the end, and the time.
pub(crate) struct File {
    path: std::path::PathBuf,
    pub(crate) clock: Clock,
}

impl File {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("jackfield-auth-{}-{number}.db", std::process::id()));
        Self { path, clock: Clock::manual(NOW) }
    }

    /// Starts a server on the file.
    pub(crate) async fn server(&self) -> AuthorizationServer {
        self.sealed_with(None).await.unwrap()
    }

    async fn sealed_with(&self, key: Option<[u8; 32]>) -> Result<AuthorizationServer, BuildError> {
        let store = SharedStore::new(Arc::new(Sqlite::open(&self.path).unwrap())).with_clock(self.clock.clone());
        let builder = builder(&self.clock).store(Arc::new(store));
        match key {
            Some(key) => builder.sealing_key(key).build_shared().await,
            None => builder.build_shared().await,
        }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{end}", self.path.display()));
        }
    }
}

fn text<'a>(answer: &'a Value, name: &str) -> &'a str {
    answer[name].as_str().unwrap_or_else(|| panic!("no {name}: {answer}"))
}

async fn takes(server: &AuthorizationServer, tokens: &Value) -> bool {
    server.verifier().verify(text(tokens, "access_token")).await.is_ok()
}

/// Gets a token for the service, and returns the name of the key that signed it.
async fn signed_by(server: &AuthorizationServer) -> String {
    let form = [("grant_type", "client_credentials"), ("resource", RESOURCE)];
    let answer = Visitor::new(server).basic("robot", "s3cret of the robot").post("/token", &form).await.json();
    Jws::parse(text(&answer, "access_token")).unwrap().header.kid.unwrap()
}

async fn shown_keys(server: &AuthorizationServer) -> Vec<String> {
    let keys = Visitor::new(server).get("/jwks").await.json();
    keys["keys"].as_array().unwrap().iter().map(|key| text(key, "kid").to_owned()).collect()
}

/// A client registers with one server, its user logs in there, and its code is redeemed at another, once, however many try where;
/// both take the tokens. T-087
#[tokio::test]
async fn a_code_of_one_server_is_redeemed_at_another_once() {
    let file = File::new();
    let (one, other) = (file.server().await, file.server().await);
    let metadata = json!({"redirect_uris": [REDIRECT], "client_name": "Registered", "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token"]});
    let registered = Visitor::new(&one).post_json("/register", &metadata).await;
    assert_eq!(registered.status, 201, "{registered:?}");
    let start = Start::new().set("client_id", text(&registered.json(), "client_id"));
    let code = Visitor::new(&one).obtain(&start).await.param("code").unwrap();
    let answer = Visitor::new(&other).post("/token", &start.redeem(&code)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let tokens = answer.json();
    assert!(takes(&one, &tokens).await && takes(&other, &tokens).await);
    assert_eq!(Visitor::new(&one).post("/token", &start.redeem(&code)).await.error(), "invalid_grant");
    assert!(!takes(&one, &tokens).await && !takes(&other, &tokens).await, "a code that is used twice ends its tokens");

    let code = Visitor::new(&other).obtain(&start).await.param("code").unwrap();
    let mut attempts = JoinSet::new();
    for number in 0..20 {
        let server = if number % 2 == 0 { one.clone() } else { other.clone() };
        let (start, code) = (start.clone(), code.clone());
        attempts.spawn(async move { Visitor::new(&server).post("/token", &start.redeem(&code)).await.status });
    }
    let won = attempts.join_all().await.into_iter().filter(|status| *status == 200).count();
    assert_eq!(won, 1);
}

/// A refresh token that was used at one server tells of a theft at another, and ends the login at both. T-088
#[tokio::test]
async fn a_refresh_token_is_used_once_wherever() {
    let file = File::new();
    let (one, other) = (file.server().await, file.server().await);
    let start = Start::new();
    let code = Visitor::new(&one).obtain(&start).await.param("code").unwrap();
    let tokens = Visitor::new(&one).post("/token", &start.redeem(&code)).await.json();
    let refresh = async |server: &AuthorizationServer, token: &str| {
        let form = [("grant_type", "refresh_token"), ("client_id", "app"), ("refresh_token", token)];
        Visitor::new(server).post("/token", &form).await
    };
    let rotated = refresh(&other, text(&tokens, "refresh_token")).await.json();
    assert_ne!(text(&rotated, "refresh_token"), text(&tokens, "refresh_token"));
    assert!(takes(&one, &rotated).await);
    file.clock.advance(60);
    assert_eq!(refresh(&one, text(&tokens, "refresh_token")).await.error(), "invalid_grant");
    assert_eq!(refresh(&other, text(&rotated, "refresh_token")).await.error(), "invalid_grant", "its family is over");
    assert!(!takes(&one, &rotated).await && !takes(&other, &rotated).await);
}

/// What the next start of a server finds: tokens that are still good, refresh tokens, a browser that is logged in, and consent.
#[tokio::test]
async fn logins_outlive_the_server() {
    let file = File::new();
    let start = Start::new();
    let (tokens, mut browser) = {
        let server = file.server().await;
        let mut browser = Visitor::new(&server);
        let code = browser.obtain(&start).await.param("code").unwrap();
        (Visitor::new(&server).post("/token", &start.redeem(&code)).await.json(), browser)
    };
    let server = file.server().await;
    assert!(takes(&server, &tokens).await);
    browser.server = server.clone();
    assert!(
        browser.get(&start.path()).await.param("code").is_some(),
        "neither the password nor consent is asked for again"
    );
    let form =
        [("grant_type", "refresh_token"), ("client_id", "app"), ("refresh_token", text(&tokens, "refresh_token"))];
    assert_eq!(Visitor::new(&server).post("/token", &form).await.status, 200);
}

/// All servers change keys at the same time, whoever makes the next one, and nobody meets a key that was not shown before.
#[tokio::test]
async fn servers_change_keys_together() {
    let file = File::new();
    let (one, other) = (file.server().await, file.server().await);
    let first = signed_by(&one).await;
    assert_eq!((signed_by(&other).await, shown_keys(&other).await), (first.clone(), vec![first.clone()]));
    file.clock.advance(29 * 86_400);
    let shown = shown_keys(&one).await;
    assert_eq!((shown.len(), &shown[0]), (2, &first), "the next one is shown a day before");
    assert_eq!(shown_keys(&other).await, shown);
    assert_eq!(signed_by(&other).await, first);
    file.clock.advance(86_400);
    assert_eq!((signed_by(&one).await, signed_by(&other).await), (shown[1].clone(), shown[1].clone()));
    assert_eq!(signed_by(&file.server().await).await, shown[1], "a server that has just started too");
    file.clock.advance(86_401);
    assert_eq!(shown_keys(&other).await, [shown[1].clone()]);

    // A key that one of them is given is that of all, once all can know it.
    let given = SigningKey::generate().unwrap();
    let id = given.id().to_owned();
    one.keys().rotate_to(given);
    assert_eq!(signed_by(&one).await, shown[1]);
    file.clock.advance(60);
    assert!(shown_keys(&other).await.contains(&id));
    file.clock.advance(300);
    assert_eq!((signed_by(&one).await, signed_by(&other).await), (id.clone(), id));
}

/// With a key that is kept elsewhere, the file alone is of no use to those who would sign. T-090
#[tokio::test]
async fn keys_are_sealed() {
    let file = File::new();
    let server = file.sealed_with(Some([7; 32])).await.unwrap();
    let signs = signed_by(&server).await;
    let again = file.sealed_with(Some([7; 32])).await.unwrap();
    assert_eq!(signed_by(&again).await, signs);
    for wrong in [Some([8; 32]), None] {
        assert!(matches!(file.sealed_with(wrong).await, Err(BuildError::Store(_))));
    }
}

#[tokio::test]
async fn values_are_kept_until_their_time_and_refusals_are_told_apart() {
    let clock = Clock::manual(NOW);
    let kv = Arc::new(MemoryKv::new().with_limit(2));
    let store = SharedStore::new(kv).with_clock(clock.clone());
    assert!(store.add("code:1", b"a".to_vec(), NOW + 60).await.unwrap());
    assert!(!store.add("code:1", b"b".to_vec(), NOW + 60).await.unwrap());
    assert!(store.replace("code:1", b"a", b"c".to_vec(), NOW + 60).await.unwrap());
    assert!(!store.replace("code:1", b"a", b"d".to_vec(), NOW + 60).await.unwrap());
    assert_eq!(store.get("code:1").await.unwrap().unwrap(), b"c");
    assert_eq!(store.take("code:1").await.unwrap().unwrap(), b"c");
    assert_eq!(store.take("code:1").await.unwrap(), None);
    store.put("code:2", b"x".to_vec(), NOW - 1).await.unwrap();
    assert_eq!(store.get("code:2").await.unwrap(), None, "its time was over before");
    store.put("a:1", vec![], NOW + 60).await.unwrap();
    store.put("a:2", vec![], NOW + 60).await.unwrap();
    assert!(matches!(store.put("a:3", vec![], NOW + 60).await, Err(StoreError::Full)));
}
