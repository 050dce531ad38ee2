//! Parameters that are made from the context: at once or by waiting, with errors of their own.

use std::convert::Infallible;
use std::fmt;

use jackfield::server::{FromCx, ProtocolError, tool_fn};
use jackfield::testing::TestClient;
use jackfield::{Cx, JsonSchema, Server, json, prompt, prompts, resource, resources, server, tool, tools};
use serde::Deserialize;

/// The name of the user, which is looked up; only some are known.
struct User(&'static str);

#[derive(Debug)]
struct UnknownUser(String);

impl fmt::Display for UnknownUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is nobody we know: ask for an invitation", self.0)
    }
}

/// Whom the server knows.
struct Guests(Vec<&'static str>);

impl FromCx for User {
    type Rejection = UnknownUser;

    async fn from_cx(cx: &Cx) -> Result<Self, UnknownUser> {
        tokio::task::yield_now().await;
        let name = cx.caller().client_info.as_ref().map_or("", |client| &client.name);
        let guests = cx.state::<Guests>().map_err(|_| UnknownUser("everybody".to_owned()))?;
        let found = guests.0.iter().find(|guest| **guest == name);
        found.map(|name| Self(name)).ok_or_else(|| UnknownUser(name.to_owned()))
    }
}

/// What is made at once is never waited for.
struct Ready(&'static str);

impl FromCx for Ready {
    type Rejection = Infallible;

    async fn from_cx(_: &Cx) -> Result<Self, Infallible> {
        Ok(Self("waited"))
    }

    fn from_cx_now(_: &Cx) -> Option<Result<Self, Infallible>> {
        Some(Ok(Self("at once")))
    }
}

struct Closed;

impl FromCx for Closed {
    type Rejection = ProtocolError;

    async fn from_cx(_: &Cx) -> Result<Self, ProtocolError> {
        Err(ProtocolError::new(-31_000, "closed on Sundays"))
    }
}

#[derive(Deserialize, JsonSchema)]
struct Greeting {
    word: String,
}

#[tool]
fn sync(word: &str, #[extract] user: User) -> String {
    format!("{word} {}", user.0)
}

#[tool]
async fn awaited(#[extract] user: User, word: String, cx: &Cx) -> String {
    let _ = cx;
    format!("{word} {}", user.0)
}

#[tool(blocking)]
fn blocking(word: String, cx: Cx, #[extract] user: User, #[extract] _ready: Ready) -> String {
    let _ = cx;
    format!("{word} {}", user.0)
}

#[tool]
fn optional(#[extract] user: Option<User>) -> bool {
    user.is_some()
}

#[tool]
fn ready(#[extract] ready: Ready) -> &'static str {
    ready.0
}

#[tool]
fn mixed(#[extract] ready: Ready, #[extract] user: User) -> String {
    format!("{} {}", ready.0, user.0)
}

#[tool]
fn closed(#[extract] _closed: Closed) {}

#[resource("hello://{word}")]
fn hello(word: String, #[extract] user: User) -> String {
    format!("{word} {}", user.0)
}

#[prompt]
async fn greet(word: String, #[extract] user: User) -> String {
    format!("{word} {}", user.0)
}

struct Hotel;

#[server(name = "hotel")]
impl Hotel {
    #[tool]
    fn method(&self, word: String, #[extract] user: User) -> String {
        let Self = self;
        format!("{word} {}", user.0)
    }
}

fn client(guests: &[&'static str]) -> TestClient {
    let server = Server::new("extractors")
        .tools(tools![sync, awaited, blocking, optional, ready, mixed, closed])
        .tool_fn("closure", |args: Greeting, user: User| format!("{} {}", args.word, user.0))
        .tool_fn("closure_awaited", |args: Greeting, user: User, _: Ready| async move {
            format!("{} {}", args.word, user.0)
        })
        .tool(tool_fn("closure_ready", |ready: Ready, _: Cx| ready.0))
        .tool_fn("closure_closed", |_: Closed| {})
        .resources(resources![hello])
        .prompts(prompts![greet])
        .with(Hotel)
        .state(Guests(guests.to_vec()));
    TestClient::of(server)
}

const WITH_USER: [&str; 6] = ["sync", "awaited", "blocking", "method", "closure", "closure_awaited"];

#[tokio::test]
async fn extractors_may_wait() {
    let client = client(&["jackfield-test-client"]);
    for tool in WITH_USER {
        let result = client.call_tool(tool, json!({ "word": "hi" })).await.unwrap();
        assert_eq!(result.content[0].as_text(), Some("hi jackfield-test-client"), "{tool}");
    }
    for (tool, text) in [
        ("optional", "true"),
        ("ready", "at once"),
        ("closure_ready", "at once"),
        // Where one has to wait, all are made one after the other.
        ("mixed", "waited jackfield-test-client"),
    ] {
        let result = client.call_tool(tool, json!({})).await.unwrap();
        assert_eq!(result.content[0].as_text(), Some(text), "{tool}");
    }
    let read = client.read_resource("hello://hi").await.unwrap();
    assert_eq!(serde_json::to_value(read).unwrap()["contents"][0]["text"], "hi jackfield-test-client");
    let prompt = client.get_prompt("greet", json!({ "word": "hi" })).await.unwrap();
    assert_eq!(prompt.messages[0].content.as_text(), Some("hi jackfield-test-client"));
}

/// SRV-025: why an extractor failed is a failure that the model reads; only a `ProtocolError` is an error of the protocol.
#[tokio::test]
async fn extractors_fail_with_errors_of_their_own() {
    let client = client(&[]);
    let text = "jackfield-test-client is nobody we know: ask for an invitation";
    for tool in WITH_USER {
        let result = client.call_tool(tool, json!({ "word": "hi" })).await.unwrap();
        assert_eq!((result.is_failure(), result.content[0].as_text()), (true, Some(text)), "{tool}");
    }
    let optional = client.call_tool("optional", json!({})).await.unwrap();
    assert_eq!(optional.content[0].as_text(), Some("false"));
    for error in [
        client.read_resource("hello://hi").await.unwrap_err(),
        client.get_prompt("greet", json!({ "word": "hi" })).await.unwrap_err(),
    ] {
        assert_eq!((error.code, &*error.message), (-32603, text));
    }
    for tool in ["closed", "closure_closed"] {
        let error = client.call_tool(tool, json!({})).await.unwrap_err();
        assert_eq!((error.code, &*error.message), (-31_000, "closed on Sundays"), "{tool}");
    }
}
