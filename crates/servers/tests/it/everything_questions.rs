//! What the demo server asks, in both eras: for a form, for a page, for roots, for the model.

use std::sync::{Arc, Mutex};

use jackfield::protocol::{
    CreateMessageResult, ElicitParams, Root, SamplingContent, SamplingContentBlock, TextContent,
};
use jackfield::testing::TestClient;
use jackfield::{ElicitAction, ElicitResult, Revision, Role};
use jackfield_servers::everything::{Options, server};
use serde_json::{Value, json};

fn client(revision: Revision) -> TestClient {
    TestClient::with_revision(server(Options::default()), revision)
}

async fn texts(client: &TestClient, tool: &str, arguments: Value) -> Vec<String> {
    let result = client.call_tool(tool, arguments).await.unwrap();
    result.content.iter().map(|block| block.as_text().unwrap().to_owned()).collect()
}

/// The form has a field of every kind, and each way to answer it is told.
#[tokio::test]
async fn a_form_is_filled_in_declined_or_cancelled() {
    for revision in Revision::ALL.into_iter().filter(|revision| revision.has_elicitation()) {
        for (action, word, first) in [
            (ElicitAction::Accept, "accept", "✅ User provided the requested information!"),
            (ElicitAction::Decline, "decline", "❌ User declined to provide the requested information."),
            (ElicitAction::Cancel, "cancel", "⚠️ User cancelled the elicitation dialog."),
        ] {
            let asked: Arc<Mutex<Option<Value>>> = Arc::default();
            let seen = asked.clone();
            let client = client(revision).on_elicit(move |params| {
                *seen.lock().unwrap() = Some(serde_json::to_value(&params).unwrap());
                let content = json!({"name": "Ada", "check": true, "integer": 7}).as_object().cloned().unwrap();
                match action {
                    ElicitAction::Accept => ElicitResult::new(action).with_content(content),
                    _ => ElicitResult::new(action),
                }
            });
            let said = texts(&client, "trigger-elicitation-request", json!({})).await;
            assert_eq!(said[0], first, "{revision}");
            let raw: Value =
                serde_json::from_str(said.last().unwrap().strip_prefix("\nRaw result: ").unwrap()).unwrap();
            assert_eq!(raw["action"], word);
            if word == "accept" {
                assert_eq!(said[1], "User inputs:\n- Name: Ada\n- Agreed to terms: true\n- Favorite Integer: 7");
                assert_eq!(raw["content"], json!({"name": "Ada", "check": true, "integer": 7}));
            }
            let asked = asked.lock().unwrap().take().unwrap();
            assert_eq!(asked["requestedSchema"]["required"], json!(["name"]));
            let fields = asked["requestedSchema"]["properties"].as_object().unwrap();
            assert_eq!(fields["integer"]["type"], "integer", "{revision}");
            assert_eq!(fields["email"]["format"], "email", "{revision}");
        }
    }
}

/// A page is opened, and in the revision that has the error for it, the call says first that it has to be.
#[tokio::test]
async fn a_page_is_opened() {
    for revision in
        Revision::ALL.into_iter().filter(|revision| revision.has_url_elicitation_error() || !revision.has_handshake())
    {
        for (action, begin) in [
            (
                ElicitAction::Accept,
                "✅ User completed the URL elicitation flow.\nElicitation ID: e1\nURL: https://a.example/",
            ),
            (ElicitAction::Decline, "❌ User declined to open the URL (Elicitation ID: e1)."),
            (ElicitAction::Cancel, "⚠️ User cancelled the URL elicitation (Elicitation ID: e1)."),
        ] {
            let client = client(revision).on_elicit(move |params| {
                assert!(matches!(&params, ElicitParams::Url(page) if page.url == "https://a.example/"));
                ElicitResult::new(action)
            });
            let arguments = json!({"url": "https://a.example/", "elicitationId": "e1", "errorPath": true});
            if revision.has_url_elicitation_error() {
                let refused = client.call_tool("trigger-url-elicitation", arguments.clone()).await.unwrap_err();
                assert_eq!(refused.code, -32042, "{revision}");
            }
            let said = texts(&client, "trigger-url-elicitation", arguments).await;
            assert_eq!(said[0], begin, "{revision}");
        }
    }
}

#[tokio::test]
async fn roots_are_listed_with_their_names() {
    for revision in Revision::ALL {
        let mut named = Root::new("file:///a");
        named.name = Some("A".to_owned());
        let client = client(revision).with_roots([named, Root::new("file:///b")]);
        let said = texts(&client, "get-roots-list", json!({})).await;
        assert!(
            said[0].starts_with(
                "Current MCP Roots (2 total):\n\n1. A\n   URI: file:///a\n\n2. Unnamed Root\n   URI: file:///b"
            ),
            "{said:?}"
        );
        let none = self::client(revision).with_roots([]);
        assert!(texts(&none, "get-roots-list", json!({})).await[0].contains("no roots are currently configured"));
    }
}

#[tokio::test]
async fn the_model_of_the_client_is_asked() {
    for revision in Revision::ALL {
        let client = client(revision).on_sample(|params| {
            let asked = serde_json::to_value(&params).unwrap();
            assert_eq!((&asked["maxTokens"], &asked["temperature"]), (&json!(50), &json!(0.7)));
            assert!(asked.to_string().contains("Resource trigger-sampling-request context: why?"), "{asked}");
            let text = SamplingContentBlock::Text(TextContent::new("because"));
            CreateMessageResult::new(Role::Assistant, SamplingContent::from(text), "test-model")
        });
        let said = texts(&client, "trigger-sampling-request", json!({"prompt": "why?", "maxTokens": 50})).await;
        let answer: Value = serde_json::from_str(said[0].strip_prefix("LLM sampling result: \n").unwrap()).unwrap();
        assert_eq!((&answer["model"], &answer["role"]), (&json!("test-model"), &json!("assistant")), "{revision}");
        assert!(answer["content"].to_string().contains("because"), "{answer}");
    }
}
