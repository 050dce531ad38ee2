//! Proposals while a person types.

use std::time::Duration;

use jackfield_client::Client;
use jackfield_protocol::Reference;
use serde_json::json;

use crate::script::{Pair, paused};

/// SRV-089: what is typed on before the pause is over is not asked for, what was asked for is kept, and answers may be partial.
#[test]
fn proposals_wait_for_a_pause_and_are_kept() {
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        let mut typing = client.typing(Reference::prompt("p"), "a").pause(Duration::from_millis(300));
        for typed in ["r", "ru", "rus"] {
            let dropped = tokio::time::timeout(Duration::from_millis(299), typing.proposals(typed)).await;
            assert!(dropped.is_err(), "{typed}");
        }
        let (found, ()) = tokio::join!(typing.proposals("rust"), async {
            let asked = server.expect("completion/complete").await;
            assert_eq!(asked["params"]["argument"], json!({"name": "a", "value": "rust"}));
            server.answer(json!({"completion": {"values": ["rust", "rusty"], "hasMore": true}})).await;
        });
        let found = found.unwrap();
        assert_eq!((found.values.len(), found.total, found.has_more), (2, None, Some(true)));
        assert_eq!(typing.proposals("rust").await.unwrap(), found);
        let (none, ()) = tokio::join!(typing.proposals("x"), async {
            assert_eq!(server.expect("completion/complete").await["params"]["argument"]["value"], "x");
            server.answer(json!({"completion": {"values": []}})).await;
        });
        assert!(none.unwrap().values.is_empty());
        client.close().await;
        assert_eq!(server.receive().await, None, "nothing else was asked");
    });
}

/// SRV-089: a server without completions proposes nothing; that is no error.
#[test]
fn without_completions_nothing_is_proposed() {
    paused(async {
        let (ours, mut server) = Pair::streams();
        let (client, ()) = tokio::join!(Client::builder().over(ours), async {
            server.expect("server/discover").await;
            let mut discovery = crate::script::discovery();
            discovery["capabilities"] = json!({"prompts": {}});
            server.answer(discovery).await;
        });
        let mut typing = client.unwrap().typing(Reference::prompt("p"), "a");
        assert!(typing.proposals("r").await.unwrap().values.is_empty());
    });
}
