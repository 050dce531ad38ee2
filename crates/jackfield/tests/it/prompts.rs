//! Functions as prompts.

use jackfield::testing::TestClient;
use jackfield::{
    ContentBlock, GetPromptResult, Image, PromptMessage, Reference, Revision, Server, json, prompt, prompts,
};

/// Reviews code.
#[prompt(title = "Review")]
fn review(
    /// What to review.
    code: &str,
    #[default(3)] level: u8,
    #[complete(languages)] language: Option<String>,
    topics: Vec<String>,
) -> Vec<PromptMessage> {
    vec![
        PromptMessage::user(ContentBlock::text(format!("{code} {level} {language:?} {topics:?}"))),
        PromptMessage::assistant(Image::png([1])),
    ]
}

fn languages(typed: &str) -> Vec<String> {
    (0..150).map(|number| format!("{typed}{number}")).collect()
}

#[prompt]
async fn hello() -> &'static str {
    "hello"
}

#[prompt]
fn broken() -> Result<GetPromptResult, &'static str> {
    Err("no ink")
}

fn client(revision: Revision) -> TestClient {
    TestClient::with_revision(Server::new("prompts").prompts(prompts![review, hello, broken]), revision)
}

/// SRV-057: arguments come from the parameters.
#[tokio::test]
async fn prompts_are_listed() {
    let prompts = client(Revision::LATEST).list_prompts().await.unwrap();
    assert_eq!(
        serde_json::to_value(prompts.iter().find(|prompt| prompt.name == "review").unwrap()).unwrap(),
        json!({
            "name": "review",
            "title": "Review",
            "description": "Reviews code.",
            "arguments": [
                { "name": "code", "description": "What to review.", "required": true },
                { "name": "level", "required": false },
                { "name": "language", "required": false },
                { "name": "topics", "required": false },
            ],
        })
    );
}

#[tokio::test]
async fn arguments_are_read_from_text() {
    for revision in Revision::ALL {
        let client = client(revision);
        let given = json!({ "code": "x", "level": "5", "topics": "speed, style" });
        let result = client.get_prompt("review", given).await.unwrap();
        assert_eq!(result.description.as_deref(), Some("Reviews code."));
        assert_eq!(result.messages[0].content.as_text(), Some(r#"x 5 None ["speed", "style"]"#));
        let result = client.get_prompt("hello", json!({})).await.unwrap();
        assert_eq!(result.messages[0].content.as_text(), Some("hello"));
    }
}

/// SRV-064, SRV-065: a missing or bad argument is -32602, a failure -32603.
#[tokio::test]
async fn bad_arguments_are_errors_that_name_them() {
    let client = client(Revision::LATEST);
    let error = client.get_prompt("review", json!({})).await.unwrap_err();
    assert_eq!(error.code, -32602);
    assert!(error.message.contains("code"), "{error}");
    let error = client.get_prompt("review", json!({ "code": "x", "level": "900" })).await.unwrap_err();
    assert_eq!(error.code, -32602);
    assert!(error.message.contains("argument `level`: expected an integer from 0 to 255"), "{error}");
    let error = client.get_prompt("broken", json!({})).await.unwrap_err();
    assert_eq!((error.code, error.message.as_ref()), (-32603, "no ink"));
}

/// SRV-086: at most 100 values are sent, and the total is told.
#[tokio::test]
async fn completions_are_cut() {
    let completion = client(Revision::LATEST).complete(Reference::prompt("review"), "language", "r").await.unwrap();
    assert_eq!((completion.values.len(), completion.total, completion.has_more), (100, Some(150), Some(true)));
    assert_eq!(completion.values[0], "r0");
}
