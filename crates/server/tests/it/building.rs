//! Putting servers together: what is refused, mounting, run-time entries, middleware, lifespans.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use jackfield_peer::Incoming;
use jackfield_protocol::{
    AnyResult, CallToolResult, ContentBlock, ErrorObject, Outcome, Prompt, PromptMessage, Resource, ResourceTemplate,
    Revision, Schema, Tool,
};
use jackfield_server::{Address, Call, Cx, Next, Reading, ResourceEntry, Server, ToolEntry, UriTemplate, Work};
use serde_json::{Value, json};

use crate::demo::{add, demo, echo, plain, review, sync_tool, template, text_resource};
use crate::talk::{Talk, check, check_each, runtime};

#[track_caller]
fn refused(server: Server, words: &[&str]) {
    let problem = server.build().unwrap_err().to_string();
    for word in words {
        assert!(problem.contains(word), "{word:?} is not in {problem:?}");
    }
}

fn with_schema(name: &str, schema: Value) -> ToolEntry {
    sync_tool(name, schema, |_, _| CallToolResult::text("x"))
}

/// SRV-014, SRV-016, SRV-017, SRV-018: names.
#[test]
fn names_are_checked() {
    let named = |name: &str| Server::new("x").tool(with_schema(name, json!({"type": "object"})));
    for bad in ["", "a b", "a,b", "a/b", "é", &"x".repeat(129)] {
        refused(named(bad), &["tool", bad]);
    }
    for good in ["a", "A-b_c.9", &"x".repeat(128)] {
        assert!(named(good).build().is_ok(), "{good}");
    }
    refused(demo().tool(echo()), &["two tools `echo`"]);
    refused(demo().prompt(review()), &["two prompts `review`"]);
    refused(demo().resource(text_resource("note:one", "x")), &["two resources `note:one`"]);
    refused(demo().resource(template("note://{id}", |_| None)), &["two resources `note://{id}`"]);
    refused(Server::new(""), &["name"]);
    refused(demo().revisions([]), &["revision"]);
}

/// All problems are told at once, each with its culprit.
#[test]
fn all_problems_are_told() {
    let server = || {
        demo()
            .tool(echo())
            .tool(with_schema("a b", json!({"type": "object"})))
            .resource(text_resource("no-scheme", "x"))
    };
    let error = server().build().unwrap_err();
    assert_eq!(error.problems().len(), 3, "{error}");
    refused(server(), &["`echo`", "`a b`", "`no-scheme`"]);
}

/// BASE-043, BASE-044, BASE-045, BASE-046, BASE-048, SRV-012, T-100: schemas.
#[test]
fn schemas_are_checked() {
    let tool = |schema: Value| Server::new("x").tool(with_schema("t", schema));
    refused(tool(json!({"type": "string"})), &["`t`", "\"type\": \"object\""]);
    refused(tool(json!({})), &["`t`", "object"]);
    refused(
        tool(json!({"type": "object", "$schema": "https://example.com/x"})),
        &["`t`", "https://example.com/x", "not supported"],
    );
    refused(
        tool(json!({"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:1/x"}}})),
        &["`t`", "http://127.0.0.1:1/x"],
    );
    refused(
        tool(json!({"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}})),
        &["file:///etc/passwd"],
    );
    let mut entry = with_schema("o", json!({"type": "object"}));
    entry.definition = entry.definition.with_output_schema(Schema::new(&json!({"$ref": "other.json"})).unwrap());
    refused(Server::new("x").tool(entry), &["`o`", "output", "other.json"]);
    #[cfg(feature = "validation")]
    {
        refused(tool(json!({"type": "object", "properties": {"a": {"type": "no-such"}}})), &["`t`", "not valid"]);
        refused(tool(json!({"type": "object", "properties": {"a": {"pattern": "("}}})), &["`t`"]);
        refused(tool(json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/nobody"}}})), &["`t`"]);
        // What only a backtracking engine can do is refused rather than slow.
        refused(tool(json!({"type": "object", "properties": {"a": {"pattern": "(?=a)b"}}})), &["`t`"]);
    }
}

/// SRV-046: URIs and templates.
#[test]
fn uris_and_templates_are_checked() {
    refused(Server::new("x").resource(text_resource("1x:y", "x")), &["`1x:y`", "letter"]);
    refused(Server::new("x").resource(text_resource("a:b c", "x")), &["`a:b c`"]);
    refused(Server::new("x").resource(template("{scheme}://x", |_| None)), &["`{scheme}://x`", "scheme"]);
    let address = Address::Template(ResourceTemplate::new("a:{b}", "n"), UriTemplate::new("a:{c}").unwrap().into());
    let other = ResourceEntry::new(address, |_: Reading, _, _: Cx| Work::Ready(Err(ErrorObject::internal("x"))));
    refused(Server::new("x").resource(other), &["a:{b}", "a:{c}"]);
    assert!(
        Server::new("x")
            .registry()
            .resources()
            .insert_template(ResourceTemplate::new("a:{", "n"), |_, _| async { "x" })
            .unwrap_err()
            .to_string()
            .contains("`a:{`")
    );
}

/// Run-time entries by closures, with arguments checked by their schema.
#[test]
fn entries_come_and_go_at_run_time() {
    runtime().block_on(async {
        let server = Server::new("x");
        let query = Tool::new("query", Schema::new(&crate::demo::text_schema("sql")).unwrap());
        let handle = server
            .registry()
            .tools()
            .insert(query.clone(), |call: Call, cx: Cx| async move {
                let arguments: Value = call.arguments().unwrap();
                format!("{} for {}", arguments["sql"].as_str().unwrap(), cx.revision())
            })
            .unwrap();
        assert!(
            server
                .registry()
                .tools()
                .insert(query, |_, _| async { "x" })
                .unwrap_err()
                .to_string()
                .contains("two tools `query`")
        );
        let resource = server
            .registry()
            .resources()
            .insert(Resource::new("a:b", "b").with_mime_type("text/x"), |_| async { "text" })
            .unwrap();
        let by_id = server
            .registry()
            .resources()
            .insert_template(ResourceTemplate::new("a://{id}", "t"), |v: jackfield_server::Variables, _| async move {
                v.get("id").map(str::to_owned)
            })
            .unwrap();
        let prompt = server
            .registry()
            .prompts()
            .insert(Prompt::new("p"), |_, _| async { vec![PromptMessage::user(ContentBlock::text("hi"))] })
            .unwrap();
        assert_eq!(server.registry().tools().names(), ["query"]);
        let mut talk = Talk::new(server);
        talk.play(
            r#"
            @ 2026-07-28
            > 1 tools/call {"name": "query", "arguments": {"sql": "select 1"}}
            < 1 {"content": [{"text": "select 1 for 2026-07-28"}]}
            > 3 resources/read {"uri": "a:b"}
            < 3 {"contents": [{"uri": "a:b", "text": "text", "mimeType": "text/x"}]}
            > 4 resources/read {"uri": "a://7"}
            < 4 {"contents": [{"uri": "a://7", "text": "7"}]}
            > 5 prompts/get {"name": "p"}
            < 5 {"messages": [{"content": {"text": "hi"}}]}
            "#,
        )
        .await;
        #[cfg(feature = "validation")]
        talk.play("> 2 tools/call {\"name\": \"query\", \"arguments\": {\"sql\": 5}}\n < 2 {\"isError\": true}").await;
        handle.remove();
        drop((resource, by_id, prompt));
        talk.play(
            r#"
            > 6 tools/call {"name": "query", "arguments": {"sql": "select 1"}}
            < 6 error -32602 unknown tool
            > 7 tools/list
            < 7 {"tools": []}
            > 8 resources/read {"uri": "a:b"}
            < 8 error -32602
            > 9 prompts/list
            < 9 {"prompts": []}
            "#,
        )
        .await;
    });
}

/// SRV-019: one server inside another, under a prefix.
#[test]
fn mounted_servers_have_a_prefix() {
    struct Inner(&'static str);
    let inner = || {
        Server::new("inner")
            .state(Inner("inner state"))
            .tool(echo())
            .tool(plain("state", |cx: Cx| async move { cx.state::<Inner>().unwrap().0.to_owned() }))
            .tool(plain("link", |cx: Cx| async move {
                cx.notify_resource_updated("note:one");
                let read = cx.read_resource("note:one").await.unwrap();
                CallToolResult::new(vec![
                    ContentBlock::link(Resource::new("note:one", "n")),
                    ContentBlock::resource(read.contents[0].clone()),
                ])
            }))
            .resource(text_resource("note:one", "1"))
            .resource(template("file:///{+path}", |v| v.get("path").map(str::to_owned)))
            .prompt(review())
    };
    let server =
        || Server::new("outer").tool(add()).mount("in", inner()).mount("deep", Server::new("mid").mount("er", inner()));
    check_each(
        Revision::ALL,
        server,
        r#"
        @ REVISION
        > 1 tools/list
        < 1 {"tools": [{"name": "add"}, {"name": "in_echo"}, {"name": "in_state"}, {"name": "in_link"}, {"name": "deep_er_echo"}, {"name": "deep_er_state"}, {"name": "deep_er_link"}]}
        > 2 tools/call {"name": "in_echo", "arguments": {"message": "x"}}
        < 2 {"content": [{"text": "x"}]}
        > 3 tools/call {"name": "deep_er_state"}
        < 3 {"content": [{"text": "inner state"}]}
        > 4 resources/list
        < 4 {"resources": [{"uri": "note:in/one"}, {"uri": "note:deep/er/one"}]}
        > 5 resources/read {"uri": "note:deep/er/one"}
        < 5 {"contents": [{"uri": "note:deep/er/one", "text": "1"}]}
        > 6 resources/templates/list
        < 6 {"resourceTemplates": [{"uriTemplate": "file:///in/{+path}"}, {"uriTemplate": "file:///deep/er/{+path}"}]}
        > 7 resources/read {"uri": "file:///in/a/b"}
        < 7 {"contents": [{"uri": "file:///in/a/b", "text": "a/b"}]}
        > 8 prompts/get {"name": "in_review", "arguments": {"code": "c"}}
        < 8 {"messages": "*"}
        > 9 completion/complete {"ref": {"type": "ref/prompt", "name": "in_review"}, "argument": {"name": "language", "value": "py"}}
        < 9 {"completion": {"values": ["python"]}}
        "#,
    );
    runtime().block_on(async {
        let inner = inner();
        let registry = inner.registry();
        let mut talk = Talk::new(Server::new("outer").mount("in", inner));
        talk.play("@ 2025-11-25\n > 1 resources/subscribe {\"uri\": \"note:in/one\"}\n < 1 {}\n > 2 tools/call {\"name\": \"in_link\"}\n < 2 {\"content\": [{\"type\": \"resource_link\", \"uri\": \"note:in/one\"}, {\"type\": \"resource\", \"resource\": {\"uri\": \"note:in/one\"}}]}\n < notifications/resources/updated {\"uri\": \"note:in/one\"}").await;
        let handle = registry.tools().add(add()).unwrap();
        talk.play("< notifications/tools/list_changed\n > 3 tools/call {\"name\": \"in_add\", \"arguments\": {\"a\": 1, \"b\": 2}}\n < 3 {}").await;
        handle.remove();
        talk.play("< notifications/tools/list_changed\n > 4 tools/call {\"name\": \"in_add\", \"arguments\": {\"a\": 1, \"b\": 2}}\n < 4 error -32602").await;
    });
    refused(Server::new("x").mount("a b", demo()), &["a b"]);
    refused(Server::new("x").mount("a", demo().tool(echo())), &["in `a`", "two tools `echo`"]);
    refused(
        Server::new("x").tool(with_schema("in_echo", json!({"type": "object"}))).mount("in", demo()),
        &["two tools `in_echo`"],
    );
}

/// Middleware: functions and tower layers, the first one outermost, around everything.
#[test]
fn middleware_stands_around_everything() {
    async fn number(incoming: Incoming, next: Next, sign: &'static str) -> Result<Outcome<AnyResult>, ErrorObject> {
        match next.run(incoming).await? {
            Outcome::Complete(AnyResult::CallTool(mut result)) => {
                result.content.push(ContentBlock::text(sign));
                Ok(Outcome::Complete(result.into()))
            }
            other => Ok(other),
        }
    }
    let server = || {
        demo()
            .middleware(|incoming, next| number(incoming, next, "outer"))
            .layer(Refuse("prompts/list"))
            .middleware(|mut incoming: Incoming, next| {
                incoming.extensions.insert(7_u32);
                number(incoming, next, "inner")
            })
            .tool(plain("seven", |cx: Cx| async move { cx.extensions().get::<u32>().unwrap().to_string() }))
    };
    check_each(
        Revision::ALL,
        server,
        r#"
        @ REVISION
        > 1 tools/call {"name": "seven"}
        < 1 {"content": [{"text": "7"}, {"text": "inner"}, {"text": "outer"}]}
        > 2 prompts/list
        < 2 error -1 refused
        > 3 tools/list
        < 3 {"tools": "*"}
        "#,
    );
}

#[derive(Clone)]
struct Refuse(&'static str);

impl<S> tower_layer::Layer<S> for Refuse {
    type Service = RefuseService<S>;

    fn layer(&self, inner: S) -> RefuseService<S> {
        RefuseService { method: self.0, inner }
    }
}

#[derive(Clone)]
struct RefuseService<S> {
    method: &'static str,
    inner: S,
}

impl<S> tower_service::Service<Incoming> for RefuseService<S>
where
    S: tower_service::Service<Incoming, Response = Outcome<AnyResult>, Error = ErrorObject> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = Outcome<AnyResult>;
    type Error = ErrorObject;
    type Future = std::pin::Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ErrorObject>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, incoming: Incoming) -> Self::Future {
        if incoming.method.as_str() == self.method {
            return Box::pin(std::future::ready(Err(ErrorObject::new(-1, "refused"))));
        }
        Box::pin(self.inner.call(incoming))
    }
}

/// The low-level server: methods without any help, of the specification and others.
#[test]
fn raw_methods_are_answered_by_the_user() {
    let server = || {
        Server::new("raw")
            .method("com.example/now", |incoming: Incoming| async move {
                let zone = incoming.params.string("zone")?.into_owned();
                Ok(Outcome::Complete(json!({"zone": zone, "time": "noon"}).into()))
            })
            .method("tools/call", |_| async { Ok(Outcome::Complete(CallToolResult::text("mine").into())) })
    };
    check_each(
        Revision::ALL,
        server,
        r#"
        @ REVISION
        > 1 com.example/now {"zone": "utc"}
        < 1 {"zone": "utc", "time": "noon"}
        > 2 com.example/now {}
        < 2 error -32602 zone
        > 3 tools/call {"name": "anything"}
        < 3 {"content": [{"text": "mine"}]}
        > 4 com.example/other
        < 4 error -32601
        "#,
    );
}

/// Lifespans: opened in order, closed in the other order, found as state; a failure closes what is open.
#[test]
fn lifespans_open_and_close() {
    static LOG: std::sync::Mutex<Vec<&str>> = std::sync::Mutex::new(Vec::new());
    let log = |entry: &'static str| LOG.lock().unwrap().push(entry);
    struct Pool(u8);
    let inner = move || {
        Server::new("inner").lifespan(
            move || async move {
                log("inner opens");
                5_u64
            },
            move |five| async move {
                assert_eq!(*five, 5);
                log("inner closes");
            },
        )
    };
    let server = || {
        Server::new("x")
            .lifespan(
                move || async move {
                    log("opens");
                    Pool(3)
                },
                move |_| async move { log("closes") },
            )
            .tool(plain("pool", |cx: Cx| async move { cx.state::<Pool>().unwrap().0.to_string() }))
            .tool(plain("none", |cx: Cx| async move { cx.state::<String>().unwrap_err().to_string() }))
            .mount("in", inner())
    };
    runtime().block_on(async {
        let built = server().start().await.unwrap();
        let mut talk = Talk::with(built.clone(), None);
        talk.play("@ 2026-07-28\n > 1 tools/call {\"name\": \"pool\"}\n < 1 {\"content\": [{\"text\": \"3\"}]}\n > 2 tools/call {\"name\": \"none\"}\n < 2 {\"content\": [{\"text\": \"the server has no state of type alloc::string::String; add it with `Server::state` or a lifespan\"}]}").await;
        built.stop().await;
        assert_eq!(*LOG.lock().unwrap(), ["inner opens", "opens", "closes", "inner closes"]);
        let broken = server().try_lifespan(|| async { Err::<u16, _>("no disk") }, |_| async {}).build().unwrap();
        assert!(broken.start().await.unwrap_err().to_string().contains("no disk"));
        assert_eq!(LOG.lock().unwrap().len(), 8);
    });
}

/// Hooks for the beginnings of sessions and for changed roots.
#[test]
fn hooks_hear_of_clients() {
    let count = Arc::new(AtomicUsize::new(0));
    let (ready, roots) = (count.clone(), count.clone());
    let server = demo()
        .on_initialized(move |cx| {
            let ready = ready.clone();
            async move {
                assert!(cx.is_legacy());
                ready.fetch_add(1, Ordering::SeqCst);
            }
        })
        .on_roots_changed(move |cx| {
            let roots = roots.clone();
            async move {
                roots.fetch_add(cx.roots().await.unwrap().len() * 10, Ordering::SeqCst);
            }
        });
    check(
        server,
        r#"
        @ 2025-06-18 {"roots": {"listChanged": true}}
        > notifications/roots/list_changed
        < ? roots/list
        > ? {"roots": [{"uri": "file:///a"}, {"uri": "file:///b"}]}
        < nothing
        "#,
    );
    assert_eq!(count.load(Ordering::SeqCst), 21);
}

/// What a handler knows about its call.
#[test]
fn a_handler_knows_its_call() {
    let server = || {
        Server::new("x").tool(plain("who", |cx: Cx| async move {
            let info = cx.caller().client_info.clone().map(|info| info.name).unwrap_or_default();
            let trace = cx.trace().map(|trace| trace.parent).unwrap_or_default();
            format!(
                "{} {} {info} {} {trace}",
                cx.request_id().unwrap(),
                cx.method(),
                cx.meta().contains_key("com.example/x")
            )
        }))
    };
    check_each(
        Revision::ALL,
        server,
        r#"
        @ REVISION
        > 41 tools/call {"name": "who", "_meta": {"com.example/x": 1, "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}
        < 41 {"content": [{"text": "41 tools/call t true 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}]}
        > 42 tools/call {"name": "who", "_meta": {"traceparent": "nonsense"}}
        < 42 {"content": [{"text": "42 tools/call t false "}]}
        "#,
    );
}
