//! What belongs to whom, by real tokens: sessions, tasks, and the token itself.

use jackfield::auth::resource::ScopeRules;
use jackfield::auth::{AuthContext as _, Protect as _};
use jackfield::{Cx, Server, Tasks, Value, json, tool, tools};

use crate::guarded::{self, Answer, Guarded};

/// Dig without an end.
#[tool(task)]
async fn dig() -> String {
    std::future::pending().await
}

/// Say all that a handler can find out about its request, as one that passes it on to another server would.
#[tool]
fn pass_on(cx: &Cx) -> String {
    let authorized = cx.authorized().map(|authorized| format!("{authorized:?}"));
    let head = cx.extension::<http::request::Parts>().map(|head| format!("{head:?}"));
    format!("{:?} {:?} {authorized:?} {head:?} {:?}", cx.headers(), cx.auth(), cx.params())
}

/// Who somebody is, and through which program.
#[derive(Clone, Copy, Debug)]
struct Who(&'static str, &'static str, &'static str);

const ANN: Who = Who("ann", "app", "dig");
/// Others: another user; the same user through a program they may trust less; the same names, differently put together.
const OTHERS: [Who; 3] = [Who("bob", "app", "dig"), Who("ann", "other", "dig"), Who("annapp", "", "dig")];

struct Owned(Guarded);

impl Owned {
    async fn new() -> Self {
        let rules = ScopeRules::new().tool("dig", "dig").method("tasks/*", "dig");
        let server = Server::new("guarded").tasks(Tasks::new()).tools(tools![dig, pass_on]);
        Self(Guarded::new(server.protect(rules)).await)
    }

    fn token(&self, Who(user, client, scope): Who) -> String {
        self.0.token(json!({ "sub": user, "client_id": client, "scope": scope }))
    }

    async fn send(&self, request: http::request::Builder, who: Option<Who>, body: &Value) -> Answer {
        self.0.send(request, who.map(|who| self.token(who)), body).await
    }

    /// Sends a request of the modern era.
    async fn modern(&self, who: Who, method: &str, mut params: Value) -> Answer {
        let request =
            guarded::modern(method, &mut params, json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } }));
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.send(request, Some(who), &message).await
    }

    /// Sends a message of the legacy era.
    async fn legacy(&self, who: Option<Who>, session: &str, message: &Value) -> Answer {
        self.send(guarded::legacy(session), who, message).await
    }

    async fn open(&self, who: Who) -> String {
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        let answer = self.legacy(Some(who), "", &message).await;
        let session = answer.headers["mcp-session-id"].to_str().unwrap().to_owned();
        self.legacy(Some(who), &session, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        session
    }
}

fn ask(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 2, "method": method, "params": params })
}

/// T-040: a session belongs to the user and the program that opened it; it is no authentication by itself. SEC-019, SEC-021
#[tokio::test]
async fn a_session_is_no_credential() {
    let guarded = Owned::new().await;
    let session = guarded.open(ANN).await;
    let list = ask("tools/list", json!({}));
    let with = |request: http::request::Builder| request.header("mcp-session-id", &session);
    let verbs = || [with(http::Request::get("/mcp")), with(http::Request::delete("/mcp"))];
    for who in OTHERS {
        assert_eq!(guarded.legacy(Some(who), &session, &list).await.status, 404, "{who:?}");
        for request in verbs() {
            assert_eq!(guarded.send(request, Some(who), &json!(null)).await.status, 404, "{who:?}");
        }
    }
    assert_eq!(guarded.legacy(None, &session, &list).await.status, 401);
    for request in verbs() {
        assert_eq!(guarded.send(request, None, &json!(null)).await.status, 401);
    }
    assert_eq!(guarded.legacy(Some(ANN), &session, &list).await.status, 200, "its owner has it still");
}

/// T-092: nobody but their owner finds tasks, by whatever method, in both eras. SEC-023, SEC-024
#[tokio::test]
async fn tasks_of_others_are_not_there() {
    let guarded = Owned::new().await;
    let created = guarded.modern(ANN, "tools/call", json!({ "name": "dig" })).await.body;
    let id = created["result"]["taskId"].as_str().unwrap_or_else(|| panic!("{created}")).to_owned();
    let session = guarded.open(ANN).await;
    let created =
        guarded.legacy(Some(ANN), &session, &ask("tools/call", json!({ "name": "dig", "task": {} }))).await.body;
    let core = created["result"]["task"]["taskId"].as_str().unwrap_or_else(|| panic!("{created}")).to_owned();
    assert!(id.len() >= 22 && core.len() >= 22, "128 bits that nobody guesses");
    for who in OTHERS {
        for (method, params) in [
            ("tasks/get", json!({ "taskId": id })),
            ("tasks/update", json!({ "taskId": id, "inputResponses": {} })),
            ("tasks/cancel", json!({ "taskId": id })),
            ("tasks/get", json!({ "taskId": core })),
        ] {
            let answer = guarded.modern(who, method, params).await;
            assert_eq!(answer.body["error"]["code"], -32602, "{who:?} {method}: {}", answer.body);
        }
        let session = guarded.open(who).await;
        for (method, params) in [
            ("tasks/get", json!({ "taskId": core })),
            ("tasks/result", json!({ "taskId": core })),
            ("tasks/cancel", json!({ "taskId": core })),
            ("tasks/get", json!({ "taskId": id })),
        ] {
            let answer = guarded.legacy(Some(who), &session, &ask(method, params)).await;
            assert_eq!(answer.body["error"]["code"], -32602, "{who:?} {method}: {}", answer.body);
        }
        let listed = guarded.legacy(Some(who), &session, &ask("tasks/list", json!({}))).await;
        assert_eq!(listed.body["result"]["tasks"], json!([]), "{who:?}");
    }
    assert_eq!(guarded.modern(ANN, "tasks/get", json!({ "taskId": id })).await.body["result"]["status"], "working");
    let listed = guarded.legacy(Some(ANN), &session, &ask("tasks/list", json!({}))).await;
    assert!(!listed.body["result"]["tasks"].as_array().unwrap().is_empty());
}

/// T-091: tasks need the scopes of their tool to begin, and those of their methods after that, in both eras. AUTH-091, AUTH-092
#[tokio::test]
async fn tasks_need_their_scopes() {
    let guarded = Owned::new().await;
    let created = guarded.modern(ANN, "tools/call", json!({ "name": "dig" })).await.body;
    let id = created["result"]["taskId"].clone();
    let session = guarded.open(ANN).await;
    for scope in ["", "other"] {
        let less = Who("ann", "app", scope);
        for (method, params) in [
            ("tools/call", json!({ "name": "dig" })),
            ("tasks/get", json!({ "taskId": id })),
            ("tasks/cancel", json!({ "taskId": id })),
            ("tasks/update", json!({ "taskId": id, "inputResponses": {} })),
        ] {
            let answer = guarded.modern(less, method, params).await;
            assert_eq!(answer.status, 403, "{method} with {scope:?}: {}", answer.body);
            assert!(answer.headers["www-authenticate"].to_str().unwrap().contains("scope=\"dig\""));
        }
        for (method, params) in [
            ("tools/call", json!({ "name": "dig", "task": {} })),
            ("tasks/get", json!({ "taskId": id })),
            ("tasks/list", json!({})),
            ("tasks/result", json!({ "taskId": id })),
            ("tasks/cancel", json!({ "taskId": id })),
        ] {
            let answer = guarded.legacy(Some(less), &session, &ask(method, params)).await;
            assert_eq!(answer.status, 403, "{method} with {scope:?}: {}", answer.body);
        }
    }
    assert_eq!(guarded.modern(ANN, "tasks/get", json!({ "taskId": id })).await.body["result"]["status"], "working");
}

/// T-082: a handler that passes on all it knows does not pass on the token, because it does not know it. AUTH-084, AUTH-124, CLI-071
#[tokio::test]
async fn handlers_have_no_token_to_pass_on() {
    let guarded = Owned::new().await;
    let token = guarded.token(ANN);
    let session = guarded.open(ANN).await;
    for answer in [
        guarded.modern(ANN, "tools/call", json!({ "name": "pass_on" })).await,
        guarded.legacy(Some(ANN), &session, &ask("tools/call", json!({ "name": "pass_on" }))).await,
    ] {
        let text = answer.body["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{}", answer.body));
        assert!(text.contains("ann") && text.contains("localhost"), "it sees what it may see: {text}");
        assert!(!text.to_ascii_lowercase().contains("bearer"), "{text}");
        // The signature is the part that nobody can make up.
        let signed: Vec<&str> = token.split('.').collect();
        assert!(!text.contains(signed[1]) && !text.contains(signed[2]), "{text}");
    }
}
