//! The client of a call, after the call.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use jackfield_protocol::{LoggingLevel, LoggingMessageParams, RawJson, ResourceUpdatedParams, Revision};
use jackfield_server::{ClientHandle, Cx, Elicited, NotifyError, QuestionError, RunningServer, Server, ToolEntry};

use crate::demo::{plain, text_resource};
use crate::talk::{Talk, runtime, started};

/// A server that keeps the clients of its calls, the newest last.
pub(crate) fn keeping() -> (RunningServer, Kept) {
    let (server, kept) = unstarted();
    (started(server), kept)
}

fn unstarted() -> (Server, Kept) {
    let kept = Kept::default();
    let server = Server::new("x").resource(text_resource("note:a", "a")).resource(text_resource("note:b", "b"));
    (server.tool(keep_tool(kept.clone())), kept)
}

pub(crate) type Kept = Arc<Mutex<Vec<ClientHandle>>>;

/// A tool that keeps its client.
pub(crate) fn keep_tool(kept: Kept) -> ToolEntry {
    plain("keep", move |cx: Cx| {
        kept.lock().unwrap().push(cx.client());
        async { "kept".to_owned() }
    })
}

const KEEP: &str = r#"
    > 7 tools/call {"name": "keep"}
    < 7 {"content": [{"text": "kept"}]}
"#;

async fn open(server: &RunningServer, client: &str) -> Talk {
    let mut talk = Talk::new(server);
    talk.play(client).await;
    talk.play(KEEP).await;
    talk
}

#[test]
fn a_session_is_notified_after_the_call() {
    runtime().block_on(async {
        let (server, kept) = keeping();
        let mut talk = open(&server, "@ 2025-11-25 {}").await;
        let mut other = open(&server, "@ 2025-11-25 {}").await;
        let client = kept.lock().unwrap()[0].clone();
        assert_eq!((client.revision(), client.is_closed()), (Revision::V2025_11_25, false));
        client.log(LoggingLevel::Info, Some("later"), "done").await.unwrap();
        client.log(LoggingLevel::Debug, None, "below the level of the session").await.unwrap();
        talk.play(r#"< notifications/message {"level": "info", "logger": "later", "data": "done"}"#).await;
        client.notify(LoggingMessageParams::new(LoggingLevel::Debug, RawJson::new("as it is").unwrap())).await.unwrap();
        talk.play(r#"< notifications/message {"level": "debug", "data": "as it is"}"#).await;
        client.notify_tools_changed().unwrap();
        talk.play("< notifications/tools/list_changed").await;
        client.notify_prompts_changed().unwrap();
        talk.play("< notifications/prompts/list_changed").await;
        client.notify_resources_changed().unwrap();
        talk.play("< notifications/resources/list_changed").await;

        assert_eq!(client.notify_resource_updated("note:a"), Err(NotifyError::NotListening));
        talk.play("> 8 resources/subscribe {\"uri\": \"note:a\"}\n< 8 {}").await;
        assert!(client.is_subscribed("note:a") && !client.is_subscribed("note:b"));
        client.notify_resource_updated("note:a").unwrap();
        talk.play(r#"< notifications/resources/updated {"uri": "note:a"}"#).await;
        assert_eq!(client.notify_resource_updated("note:b"), Err(NotifyError::NotListening));
        client.try_notify(ResourceUpdatedParams::new("note:b")).unwrap();
        talk.play("< notifications/resources/updated {\"uri\": \"note:b\"}\n< nothing").await;
        other.play("< nothing").await;
    });
}

/// CLI-049: a session can be asked after the call, with what the client declared.
#[test]
fn a_session_is_asked_after_the_call() {
    runtime().block_on(async {
        let (server, kept) = keeping();
        let mut talk = open(&server, r#"@ 2025-11-25 {"elicitation": {}, "roots": {}}"#).await;
        let client = kept.lock().unwrap()[0].clone();
        let answering = talk.play(
            r#"
            < ? elicitation/create {"message": "Sure?", "requestedSchema": {"properties": {"value": {"type": "boolean", "title": "Sure?"}}, "required": ["value"]}}
            > ? {"action": "accept", "content": {"value": true}}
            "#,
        );
        assert_eq!(tokio::join!(client.elicit::<bool>("Sure?"), answering).0, Ok(Elicited::Accepted(true)));
        let answering = talk.play(
            r#"
            < ? roots/list
            > ? {"roots": [{"uri": "file:///home"}]}
            "#,
        );
        assert_eq!(tokio::join!(client.roots(), answering).0.unwrap()[0].uri, "file:///home");
        let sampled = client.sample(jackfield_protocol::CreateMessageParams::new([], 10)).await;
        assert_eq!(sampled, Err(QuestionError::NotSupported("sampling")));
        let bad = client.elicit_url("Go", "ftp://example.com").await.unwrap_err();
        assert!(bad.to_string().starts_with("the question `elicitation/create` cannot be asked"), "{bad}");
    });
}

#[test]
fn a_client_that_is_gone_is_known_to_be_gone() {
    runtime().block_on(async {
        let (server, kept) = keeping();
        let mut talk = open(&server, r#"@ 2025-11-25 {"elicitation": {}}"#).await;
        let client = kept.lock().unwrap()[0].clone();
        tokio::join!(client.closed(), async { talk.close().await });
        assert!(client.is_closed());
        assert_eq!(client.log(LoggingLevel::Error, None, "x").await, Err(NotifyError::Closed));
        assert_eq!(client.try_notify(ResourceUpdatedParams::new("note:a")), Err(NotifyError::Closed));
        assert_eq!(client.notify_tools_changed(), Err(NotifyError::Closed));
        assert_eq!(client.elicit::<String>("Who?").await, Err(QuestionError::Closed));
        assert!(!client.is_subscribed("note:a"));
    });
}

/// A client of the modern era is reached on its own listen streams, and asked during calls only.
#[test]
fn a_modern_client_is_notified_where_it_listens() {
    runtime().block_on(async {
        let (server, kept) = keeping();
        let mut talk = open(&server, "@ 2026-07-28 {}").await;
        let mut other = open(&server, "@ 2026-07-28 {}").await;
        let client = kept.lock().unwrap()[0].clone();
        assert_eq!(client.notify_tools_changed(), Err(NotifyError::NotListening));
        let listen = r#"
            > 8 subscriptions/listen {"notifications": {"toolsListChanged": true, "resourceSubscriptions": ["note:a"]}}
            < notifications/subscriptions/acknowledged
        "#;
        talk.play(listen).await;
        other.play(listen).await;
        client.notify_tools_changed().unwrap();
        talk.play("< notifications/tools/list_changed").await;
        assert!(client.is_subscribed("note:a") && !client.is_subscribed("note:b"));
        client.notify_resource_updated("note:a").unwrap();
        talk.play(r#"< notifications/resources/updated {"uri": "note:a"}"#).await;
        assert_eq!(client.notify_prompts_changed(), Err(NotifyError::NotListening));

        assert_eq!(client.log(LoggingLevel::Error, None, "x").await, Err(NotifyError::NotSupported));
        let question = client.elicit::<bool>("Sure?").await.unwrap_err();
        assert_eq!(question.to_string(), "this client cannot be asked: it does not support questions outside of calls");
        talk.play("< nothing").await;
        other.play("< nothing").await;
        tokio::join!(client.closed(), async { talk.close().await });
        assert_eq!(client.notify_tools_changed(), Err(NotifyError::Closed));
    });
}

/// SRV-042: the same user is reached on another connection.
#[test]
fn a_modern_user_is_notified_on_any_connection() {
    runtime().block_on(async {
        let (server, kept) = keeping();
        let mut listening = Talk::of_user(&server, "ada");
        let mut stranger = Talk::of_user(&server, "eve");
        for talk in [&mut listening, &mut stranger] {
            talk.play(
                r#"
                @ 2026-07-28 {}
                > 8 subscriptions/listen {"notifications": {"toolsListChanged": true}}
                < notifications/subscriptions/acknowledged
                "#,
            )
            .await;
        }
        let mut calling = Talk::of_user(&server, "ada");
        calling.play("@ 2026-07-28 {}").await;
        calling.play(KEEP).await;
        kept.lock().unwrap()[0].notify_tools_changed().unwrap();
        listening.play("< notifications/tools/list_changed").await;
        stranger.play("< nothing").await;
    });
}

/// A handler that keeps its clients in a set has each of them once, however often it calls.
#[test]
fn handles_of_one_client_are_equal() {
    runtime().block_on(async {
        for client in ["@ 2025-11-25 {}", "@ 2026-07-28 {}"] {
            let (server, kept) = keeping();
            let mut talk = open(&server, client).await;
            talk.play(KEEP).await;
            let _other = open(&server, client).await;
            #[expect(
                clippy::mutable_key_type,
                reason = "handles are equal by the client that they lead to, which never changes"
            )]
            let kept: HashSet<ClientHandle> = kept.lock().unwrap().iter().cloned().collect();
            assert_eq!(kept.len(), 2, "{client}");
        }
    });
}

/// The handler of a mounted server names its resources as it knows them; the client, as it does.
#[test]
fn a_mounted_server_notifies_by_the_uri_that_the_client_knows() {
    runtime().block_on(async {
        let (inner, kept) = unstarted();
        let mut talk = Talk::new(Server::new("outer").mount("in", inner));
        talk.play(
            r#"
            @ 2025-11-25 {}
            > 6 resources/list
            < 6 {"resources": [{"uri": "$uri"}, {}]}
            > 7 tools/call {"name": "in_keep"}
            < 7 {"content": [{"text": "kept"}]}
            > 8 resources/subscribe {"uri": "$uri"}
            < 8 {}
            "#,
        )
        .await;
        let client = kept.lock().unwrap()[0].clone();
        client.notify_resource_updated("note:a").unwrap();
        let uri = talk.known("$uri").as_str().unwrap().to_owned();
        assert!(uri != "note:a" && client.is_subscribed(&uri));
        talk.play(&format!(r#"< notifications/resources/updated {{"uri": "{uri}"}}"#)).await;
    });
}

/// A handle may be kept in the state of its server, which it does not keep alive.
#[test]
fn a_handle_does_not_keep_its_server() {
    runtime().block_on(async {
        let (server, kept) = keeping();
        let talk = open(&server, "@ 2026-07-28 {}").await;
        let client = kept.lock().unwrap()[0].clone();
        drop((server, talk));
        client.closed().await;
        assert_eq!(client.notify_tools_changed(), Err(NotifyError::Closed));
    });
}
