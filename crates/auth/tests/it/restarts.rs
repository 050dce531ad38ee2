//! State in a file: the next start of the server, and other servers, go on where the last one was.

use std::sync::Arc;

use jackfield_auth::Clock;
use jackfield_auth::server::{AuthStore, AuthorizationServer, SharedStore, StoreError};
use jackfield_store::{MemoryKv, Sqlite};
use serde_json::json;

use crate::visitor::{NOW, REDIRECT, Start, Visitor, server};

/// A file that is removed in the end.
struct File(std::path::PathBuf);

impl File {
    fn new() -> Self {
        Self(std::env::temp_dir().join(format!("jackfield-auth-{}.db", std::process::id())))
    }

    /// Starts a server on the file.
    fn server(&self) -> (AuthorizationServer, Clock) {
        let store = SharedStore::new(Arc::new(Sqlite::open(&self.0).unwrap())).with_clock(Clock::manual(NOW));
        server(|builder| builder.store(Arc::new(store)))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{end}", self.0.display()));
        }
    }
}

/// A code of one server is redeemed at the next, once; a refresh token goes on being rotated; a registered client stays registered.
#[tokio::test]
async fn the_next_server_knows_clients_codes_and_refresh_tokens() {
    let file = File::new();
    let metadata = json!({"redirect_uris": [REDIRECT], "client_name": "Registered", "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token"]});
    let (start, code, client) = {
        let (server, _) = file.server();
        let registered = Visitor::new(&server).post_json("/register", &metadata).await;
        assert_eq!(registered.status, 201, "{registered:?}");
        let client = registered.json()["client_id"].as_str().unwrap().to_owned();
        let start = Start::new().set("client_id", &client);
        let code = Visitor::new(&server).obtain(&start).await.param("code").unwrap();
        (start, code, client)
    };
    let (first, other) = (file.server().0, file.server().0);
    let redeem = start.redeem(&code);
    let answer = Visitor::new(&first).post("/token", &redeem).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let token = answer.json()["refresh_token"].as_str().unwrap().to_owned();
    let form = [("grant_type", "refresh_token"), ("client_id", client.as_str()), ("refresh_token", token.as_str())];
    let rotated = Visitor::new(&other).post("/token", &form).await;
    assert_eq!(rotated.status, 200, "{rotated:?}");
    assert_ne!(rotated.json()["refresh_token"].as_str().unwrap(), token);
    let again = Visitor::new(&other).post("/token", &redeem).await;
    assert_eq!(again.error(), "invalid_grant", "a code is used once, wherever");
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
