//! What a token has to allow: each operation, in both eras.

use jackfield::auth::challenge::Challenge;
use jackfield::auth::resource::ScopeRules;
use jackfield::auth::{AuthContext as _, Protect as _, ScopeHierarchy};
use jackfield::{Cx, Server, Value, json, prompt, prompts, resource, resources, tool, tools};

use crate::guarded::{self, Answer, Guarded};

/// Look.
#[tool]
fn look() -> String {
    "seen".to_owned()
}

/// Change.
#[tool]
fn change(cx: &Cx) -> String {
    let user = cx.authorized().map(|auth| auth.token().subject.clone());
    user.unwrap_or_else(|| "nobody in particular".to_owned())
}

/// Plan.
#[prompt]
fn plan() -> String {
    "plan".to_owned()
}

#[resource("public://note")]
fn public_note() -> String {
    "public".to_owned()
}

#[resource("secret://note")]
fn secret_note() -> String {
    "secret".to_owned()
}

#[resource("secret://{name}/more")]
fn secret_more(name: String) -> String {
    name
}

fn rules() -> ScopeRules {
    ScopeRules::new()
        .hierarchy(ScopeHierarchy::flat().implies("admin", "write secret plan"))
        .tool("change", "write")
        .prompt("plan", "plan")
        .resource("secret://*", "secret")
        .method("logging/setLevel", "admin")
}

fn server() -> Server {
    let server = Server::new("guarded").tools(tools![look, change]).prompts(prompts![plan]);
    server.resources(resources![public_note, secret_note, secret_more]).protect(rules())
}

struct Scoped(Guarded);

impl Scoped {
    async fn new() -> Self {
        Self(Guarded::new(server()).await)
    }

    async fn send(&self, scope: &str, session: Option<&str>, method: &str, mut params: Value) -> Answer {
        let request = match session {
            Some(session) => guarded::legacy(session),
            None => guarded::modern(method, &mut params, json!({})),
        };
        let mut message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        if !method.starts_with("notifications/") {
            message["id"] = json!(1);
        }
        self.0.send(request, Some(self.0.token(json!({ "sub": "ann", "scope": scope }))), &message).await
    }

    /// Opens a session of the legacy era.
    async fn open(&self, scope: &str) -> String {
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
        let answer = self.send(scope, Some(""), "initialize", params).await;
        let session = answer.headers["mcp-session-id"].to_str().unwrap().to_owned();
        self.send(scope, Some(&session), "notifications/initialized", json!({})).await;
        session
    }
}

/// T-091: scopes by operations, in both eras, with each request. AUTH-090, AUTH-091, AUTH-092, AUTH-098, XCC-006
#[tokio::test]
async fn each_operation_needs_its_scopes_in_both_eras() {
    let guarded = Scoped::new().await;
    let both: [(&str, Value, Option<&str>); 9] = [
        ("tools/call", json!({ "name": "look" }), None),
        ("tools/call", json!({ "name": "change" }), Some("write")),
        ("prompts/get", json!({ "name": "plan" }), Some("plan")),
        ("resources/read", json!({ "uri": "public://note" }), None),
        ("resources/read", json!({ "uri": "secret://note" }), Some("secret")),
        ("resources/read", json!({ "uri": "secret://a/more" }), Some("secret")),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/prompt", "name": "plan" }, "argument": { "name": "x", "value": "" } }),
            Some("plan"),
        ),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/resource", "uri": "secret://{name}/more" }, "argument": { "name": "name", "value": "" } }),
            Some("secret"),
        ),
        ("tools/list", json!({}), None),
    ];
    let modern = [(
        "subscriptions/listen",
        json!({ "notifications": { "resourceSubscriptions": ["public://note", "secret://note"] } }),
        Some("secret"),
    )];
    let legacy = [
        ("resources/subscribe", json!({ "uri": "secret://note" }), Some("secret")),
        ("logging/setLevel", json!({ "level": "info" }), Some("admin")),
    ];
    let session = guarded.open("").await;
    let rows = both.iter().map(|row| (None, row)).chain(both.iter().map(|row| (Some(session.as_str()), row)));
    let rows =
        rows.chain(modern.iter().map(|row| (None, row))).chain(legacy.iter().map(|row| (Some(session.as_str()), row)));
    for (session, (method, params, needs)) in rows {
        for scopes in ["", "write", "plan", "secret", "admin", "other"] {
            let answer = guarded.send(scopes, session, method, params.clone()).await;
            let is_enough = needs.is_none_or(|needs| scopes == needs || scopes == "admin");
            assert_eq!(
                answer.status == 403,
                !is_enough,
                "{method} {params} with {scopes:?}: {} {}",
                answer.status,
                answer.body
            );
            if is_enough {
                continue;
            }
            let challenge = &Challenge::read(answer.headers.get_all("www-authenticate"))[0];
            assert_eq!((challenge.get("error"), challenge.get("scope")), (Some("insufficient_scope"), *needs));
            assert!(challenge.get("resource_metadata").is_some());
            assert_eq!(answer.body["error"]["code"], 403);
        }
    }
}

/// What a caller may not use is not listed, and the token of each request counts, not that of the session.
#[tokio::test]
async fn lists_show_what_the_token_allows() {
    let guarded = Scoped::new().await;
    let session = guarded.open("").await;
    for session in [None, Some(session.as_str())] {
        for (scopes, tools, resources, templates, prompts) in
            [("", 1, 1, 0, 0), ("write", 2, 1, 0, 0), ("secret", 1, 2, 1, 0), ("admin", 2, 2, 1, 1)]
        {
            for (method, list, count) in [
                ("tools/list", "tools", tools),
                ("resources/list", "resources", resources),
                ("resources/templates/list", "resourceTemplates", templates),
                ("prompts/list", "prompts", prompts),
            ] {
                let answer = guarded.send(scopes, session, method, json!({})).await;
                let listed = answer.body["result"][list].as_array().map(Vec::len);
                assert_eq!(listed, Some(count), "{method} with {scopes:?}: {}", answer.body);
            }
        }
    }
}

/// The handler learns who asks, and never the token; without a gate nothing is allowed over HTTP.
#[tokio::test]
async fn handlers_know_the_user() {
    let guarded = Scoped::new().await;
    let answer = guarded.send("write", None, "tools/call", json!({ "name": "change" })).await;
    assert_eq!(answer.body["result"]["content"][0]["text"], "ann");
    let open = Scoped(Guarded::open(server()).await);
    let answer = open.send("write", None, "tools/call", json!({ "name": "change" })).await;
    assert_eq!(answer.body["error"]["code"], 403);
}
