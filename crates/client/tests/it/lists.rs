//! Lists, their pages, and what may be kept of them.

use std::time::Duration;

use jackfield_client::{Cache, CacheOwner, Client};
use serde_json::json;

use crate::script::{Pair, Server, check, name, paused};

/// T-115, SRV-066, SRV-102, SRV-105, SRV-107: pages of any size follow each other until there is no cursor, which is sent back as it came.
#[test]
fn pages_follow_each_other() {
    check(
        r#"
        modern
        @ list = ok
        > tools/list
        < {"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"1"}}
        > tools/list {"cursor":"1"}
        < {"result":{"tools":[],"nextCursor":"2"}}
        > tools/list {"cursor":"2"}
        < {"result":{"tools":[{"name":"b","inputSchema":{"type":"object"}}]}}
        "#,
    );
}

/// T-115: a cursor that comes again ends the list with an error, and so do more than a thousand pages.
#[test]
fn endless_lists_end_with_an_error() {
    check(
        r#"
        modern
        @ list = repeated cursor
        > tools/list
        < {"result":{"tools":[],"nextCursor":"1"}}
        > tools/list
        < {"result":{"tools":[],"nextCursor":"2"}}
        > tools/list
        < {"result":{"tools":[],"nextCursor":"1"}}
        "#,
    );
    for (pages, wanted) in [(999, "ok"), (1000, "ok"), (1001, "limit")] {
        paused(async move {
            let (client, mut server) = Pair::modern(Client::builder()).await;
            let serve = async {
                for page in 1..=pages {
                    server.expect("resources/list").await;
                    let mut result = json!({"resources": []});
                    if page < pages {
                        result["nextCursor"] = page.to_string().into();
                    }
                    server.answer(result).await;
                }
            };
            let outcome = tokio::select! {
                biased;
                outcome = client.resources().all() => outcome,
                () = async { serve.await; std::future::pending().await } => unreachable!(),
            };
            assert_eq!(name(&outcome), wanted, "{pages} pages");
        });
    }
}

/// LIFE-022: a list that stops in the middle ends with an error, and gives what came before.
#[test]
fn a_list_gives_what_came_before_its_error() {
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        let serve = async {
            server.expect("prompts/list").await;
            server.answer(json!({"prompts": [{"name": "p"}], "nextCursor": "x"})).await;
            server.expect("prompts/list").await;
            server.close().await;
        };
        let read = async {
            let mut prompts = client.prompts();
            let first = prompts.next().await.unwrap().unwrap();
            let second = prompts.next().await.unwrap();
            (first.name, name(&second), prompts.next().await.is_none())
        };
        let (read, ()) = tokio::join!(read, serve);
        assert_eq!(read, ("p".to_owned(), "lost".to_owned(), true));
    });
}

async fn read_once(client: &Client, server: &mut Server, result: Option<serde_json::Value>) -> String {
    let serve = async {
        if let Some(result) = result {
            server.expect("resources/read").await;
            server.answer(result).await;
        }
    };
    let (contents, ()) = tokio::join!(client.read("r://1"), serve);
    serde_json::to_value(&contents.unwrap().contents[0]).unwrap()["text"].as_str().unwrap().to_owned()
}

fn contents(text: &str, ttl: u64, scope: &str) -> serde_json::Value {
    json!({"resultType": "complete", "contents": [{"uri": "r://1", "text": text}], "ttlMs": ttl, "cacheScope": scope})
}

/// T-054, SRV-074, SRV-078: a result is kept as long as the server says, at most a day, and forgotten when it changes.
#[test]
fn results_are_kept_as_long_as_allowed() {
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        assert_eq!(read_once(&client, &mut server, Some(contents("a", 1000, "private"))).await, "a");
        assert_eq!(read_once(&client, &mut server, None).await, "a");
        tokio::time::advance(Duration::from_millis(1001)).await;
        let long = Some(contents("b", u64::from(u32::MAX) * 1000, "private"));
        assert_eq!(read_once(&client, &mut server, long).await, "b");
        tokio::time::advance(Duration::from_secs(24 * 3600 - 1)).await;
        assert_eq!(read_once(&client, &mut server, None).await, "b");
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(read_once(&client, &mut server, Some(contents("c", 0, "public"))).await, "c");
        assert_eq!(read_once(&client, &mut server, Some(contents("d", 10_000, "public"))).await, "d");
        let notice = r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"r://1"}}"#;
        server.write(format!("{notice}\n").as_bytes()).await;
        // A later answer proves that the notice was read.
        tokio::join!(async { client.ping().await.unwrap() }, async {
            server.expect("server/discover").await;
            server.answer(json!({"supportedVersions": [], "capabilities": {}})).await;
        });
        assert_eq!(read_once(&client, &mut server, Some(contents("e", 0, "private"))).await, "e");
    });
}

/// T-054, SRV-077: what is private to one user is not shown to another; what is public is shared within one server only.
#[test]
fn private_results_are_not_shared() {
    paused(async {
        let cache = Cache::default();
        let client = async |server: &str, user: &str| {
            Pair::modern(Client::builder().cache(cache.clone(), CacheOwner::new(server, user))).await
        };
        let (ada, mut at_ada) = client("one", "ada").await;
        let (ben, mut at_ben) = client("one", "ben").await;
        let (eve, mut at_eve) = client("two", "ada").await;
        assert_eq!(read_once(&ada, &mut at_ada, Some(contents("hers", 5000, "private"))).await, "hers");
        assert_eq!(read_once(&ben, &mut at_ben, Some(contents("his", 5000, "private"))).await, "his");
        assert_eq!(read_once(&eve, &mut at_eve, Some(contents("other", 5000, "public"))).await, "other");
        assert_eq!(read_once(&ada, &mut at_ada, None).await, "hers");
        assert_eq!(read_once(&ben, &mut at_ben, None).await, "his");
        let (zoe, mut at_zoe) = client("two", "zoe").await;
        assert_eq!(read_once(&zoe, &mut at_zoe, None).await, "other");
    });
}

/// SRV-074: that something has changed at one server says nothing about an answer of another.
#[test]
fn changes_belong_to_one_server() {
    paused(async {
        let cache = Cache::default();
        let client = async |server: &str| {
            Pair::modern(Client::builder().cache(cache.clone(), CacheOwner::new(server, "ada"))).await
        };
        let (one, mut at_one) = client("one").await;
        let (two, mut at_two) = client("two").await;
        let (read, ()) = tokio::join!(two.read("r://1"), async {
            at_two.expect("resources/read").await;
            let updated =
                json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "r://1"}});
            at_one.send(&updated).await;
            // A later answer proves that the notice was read.
            tokio::join!(async { one.ping().await.unwrap() }, async {
                at_one.expect("server/discover").await;
                at_one.answer(json!({"supportedVersions": [], "capabilities": {}})).await;
            });
            at_two.answer(contents("kept", 5000, "private")).await;
        });
        read.unwrap();
        assert_eq!(read_once(&two, &mut at_two, None).await, "kept");
    });
}
