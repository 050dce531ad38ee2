//! What a client does with odd errors, states and arguments, and what it writes down about it.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jackfield_client::{ByteStream, Client, Limits, Rate};
use jackfield_protocol::{
    CreateMessageResult, ElicitAction, ElicitResult, ErrorObject, JsonObject, RawJson, Revision, Role, SamplingContent,
    SamplingContentBlock, TextContent,
};
use serde_json::{Value, json};
use tracing::field::{Field, Visit};

use crate::script::{Pair, Server, act, check, check_with, paused};

/// BASE-025, BASE-029, SRV-050: codes of the implementation-defined range reach the caller as they are and mean nothing, save one that
/// older servers use.
#[test]
fn implementation_defined_errors_mean_nothing() {
    for code in -32019..=-32000 {
        for era in ["modern", "legacy 2025-06-18"] {
            let error = json!({"error": {"code": code, "message": "x"}});
            check(&format!(
                "{era}\n@ call = server {code}\n> tools/call\n< {error}\n@ read = server {code}\n> resources/read\n< {error}\n@ list = server {code}\n> tools/list\n< {error}\n@ call = ok\n> tools/call\n< {{\"result\":{{\"content\":[]}}}}"
            ));
        }
    }
    paused(async {
        for (code, data, is_not_found) in [
            (-32002, json!(null), true),
            (-32002, json!({"uri": "r://1"}), true),
            (-32602, json!({"uri": "r://1"}), true),
            (-32602, json!(null), false),
            (-32001, json!({"uri": "r://1"}), false),
            (-32603, json!({"uri": "r://1"}), false),
        ] {
            let (client, mut server) = Pair::modern(Client::builder()).await;
            let (outcome, ()) = tokio::join!(client.read("r://1"), async {
                let asked = server.expect("resources/read").await;
                let error = json!({"code": code, "message": "x", "data": data});
                server.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": error})).await;
            });
            assert_eq!(outcome.unwrap_err().is_not_found(), is_not_found, "{code} {data}");
        }
    });
}

/// LIFE-021: every request has an end, whichever it is, also with the oldest servers.
#[test]
fn every_request_times_out() {
    let actions = [
        "call",
        "list",
        "resources",
        "templates",
        "prompts",
        "read",
        "prompt",
        "complete",
        "ping",
        "level",
        "custom x",
    ];
    for action in actions {
        for era in ["modern", "legacy 2024-11-05", "legacy 2025-11-25"] {
            // There is nothing to ask for a level in the modern era.
            let wanted = if era == "modern" && action == "level" { "ok" } else { "timeout" };
            check(&format!("{era}\n@ {action} = {wanted}"));
        }
    }
}

/// PAT-037, PAT-054, SRV-011: a state comes back byte for byte, whatever it looks like, under a new id.
#[test]
fn states_are_echoed_as_they_are() {
    let states = [
        "",
        " ",
        "null",
        "{\"a\": 1}",
        "\"quoted\" \\ / \u{8}",
        "\u{0}\u{1f}\u{7f}\u{2028}",
        "ä 世界 \u{1f600}",
        "eyJhbGciOiJub25lIn0.eyJyb3VuZCI6MX0.",
        "a\r\nb",
    ];
    paused(async {
        for state in states {
            let (client, mut server) = Pair::modern(Client::builder()).await;
            let serve = async {
                let first = server.expect("tools/call").await;
                server.answer(json!({"resultType": "input_required", "requestState": state})).await;
                let second = server.expect("tools/call").await;
                assert_eq!(second["params"]["requestState"], state);
                assert_ne!(first["id"], second["id"]);
                assert_eq!(first["params"]["arguments"], second["params"]["arguments"]);
                server.answer(json!({"resultType": "complete", "content": []})).await;
            };
            let (outcome, ()) = tokio::join!(client.call("t", json!({"a": 1})).into_future(), serve);
            outcome.unwrap();
        }
    });
}

/// STDIO-006: whatever a user gives the client, the server reads one valid message per line.
#[test]
fn only_messages_are_written() {
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        let pretty = RawJson::from_text("{\n  \"a\":\r\n [1,\n2]\n}".to_owned()).unwrap();
        let call = client.call("two\nlines", pretty).meta("k", "v\r\n");
        let serve = async {
            let asked = server.expect("tools/call").await;
            assert_eq!(
                (&asked["params"]["name"], &asked["params"]["arguments"]),
                (&json!("two\nlines"), &json!({"a": [1, 2]}))
            );
            assert_eq!(asked["params"]["_meta"]["k"], "v\r\n");
            server.answer(json!({"content": []})).await;
            let asked = server.expect("resources/read").await;
            assert_eq!(asked["params"]["uri"], "r:\n{\"jsonrpc\":\"2.0\"}\n");
            server.answer(json!({"contents": []})).await;
            assert_eq!(server.expect("x\ny").await["params"]["z\n"], "\n");
            server.answer(json!({})).await;
        };
        let ask = async {
            call.await.unwrap();
            client.read("r:\n{\"jsonrpc\":\"2.0\"}\n").await.unwrap();
            let params = JsonObject::from_iter([("z\n".to_owned(), json!("\n"))]);
            client.request("x\ny", params).await.unwrap();
        };
        tokio::join!(ask, serve);
        client.close().await;
        assert_eq!(server.receive().await, None, "nothing else was written");
    });
}

/// STDIO-019: a client that speaks only the modern era begins with the probe too, and a server that does not know it is refused.
#[test]
fn a_modern_client_probes_too() {
    for builder in [|| Client::builder().modern_only(), || Client::builder().revision(Revision::LATEST)] {
        check_with(
            builder(),
            "> server/discover\n< {\"error\":{\"code\":-32601,\"message\":\"what?\"}}\n@ connect = server -32601",
        );
        check_with(builder(), "modern\n@ call = ok\n> tools/call\n< {\"result\":{\"content\":[]}}");
    }
}

/// STDIO-023: a socket carries the same lines as standard streams do.
#[test]
fn sockets_carry_the_same_lines() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (ours, theirs) = tokio::join!(tokio::net::TcpStream::connect(listener.local_addr().unwrap()), listener.accept());
        let mut server = Server::new(ByteStream::both(theirs.unwrap().0));
        let (client, ()) = tokio::join!(Client::over(ByteStream::both(ours.unwrap())), server.modern());
        let client = client.unwrap();
        let (outcome, ()) = tokio::join!(act(&client, "call"), async {
            server.expect("tools/call").await;
            server.write(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\r\n").await;
            server.answer(json!({"content": []})).await;
        });
        assert_eq!(outcome, "ok");
    });
}

/// CLI-078: a server that asks the person too often is refused, in both eras, and may ask again later.
#[test]
fn people_are_asked_only_so_often() {
    let builder = || {
        let mut limits = Limits::default();
        limits.elicitations = Some(Rate::new(2, Duration::from_secs(60)));
        Client::builder().limits(limits).on_form(|_| async { Ok(ElicitResult::new(ElicitAction::Decline)) })
    };
    let form = json!({"message": "?", "requestedSchema": {"type": "object", "properties": {}}});
    paused(async {
        let (_client, mut server) = Pair::legacy(builder(), "2025-11-25").await;
        let ask = json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": form});
        for (wait, wanted) in [(0, json!(null)), (0, json!(null)), (0, json!(429)), (30, json!(null)), (0, json!(429))]
        {
            tokio::time::advance(Duration::from_secs(wait)).await;
            server.send(&ask).await;
            assert_eq!(server.receive().await.unwrap()["error"]["code"], wanted);
        }
    });
    let question = json!({"method": "elicitation/create", "params": form});
    let many = json!({"result": {"resultType": "input_required", "inputRequests": {"a": question, "b": question, "c": question}}});
    check_with(builder(), &format!("modern\n@ call = refused\n> tools/call\n< {many}"));
}

/// CLI-033: a server that asks the model too often is refused, in both eras, and may ask again later.
#[test]
fn models_are_asked_only_so_often() {
    let builder = || {
        let mut limits = Limits::default();
        limits.samplings = Some(Rate::new(2, Duration::from_secs(60)));
        let text = || SamplingContentBlock::Text(TextContent::new("hi"));
        Client::builder().limits(limits).on_sampling(move |_| async move {
            Ok(CreateMessageResult::new(Role::Assistant, SamplingContent::from(text()), "model"))
        })
    };
    let sampling = json!({"messages": [], "maxTokens": 5});
    paused(async {
        let (_client, mut server) = Pair::legacy(builder(), "2025-11-25").await;
        let ask = json!({"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": sampling});
        for (wait, wanted) in [(0, json!(null)), (0, json!(null)), (0, json!(429)), (30, json!(null)), (0, json!(429))]
        {
            tokio::time::advance(Duration::from_secs(wait)).await;
            server.send(&ask).await;
            assert_eq!(server.receive().await.unwrap()["error"]["code"], wanted);
        }
    });
    let question = json!({"method": "sampling/createMessage", "params": sampling});
    let many = json!({"result": {"resultType": "input_required", "inputRequests": {"a": question, "b": question, "c": question}}});
    check_with(builder(), &format!("modern\n@ call = refused\n> tools/call\n< {many}"));
}

/// CLI-047: a client that declares elicitation has a mode: the modes that there are handlers for, and nothing without one.
#[test]
fn elicitation_is_declared_by_its_modes() {
    let form = |builder: jackfield_client::Builder| builder.on_form(|_| async { Err(ErrorObject::internal("no")) });
    let url = |builder: jackfield_client::Builder| builder.on_url(|_| async { Err(ErrorObject::internal("no")) });
    for (builder, declared) in [
        (Client::builder(), Value::Null),
        (form(Client::builder()), json!({"form": {}})),
        (url(Client::builder()), json!({"url": {}})),
        (url(form(Client::builder())), json!({"form": {}, "url": {}})),
    ] {
        paused(async {
            let (ours, mut server) = Pair::streams();
            let serve = async {
                let probe = server.expect("server/discover").await;
                let meta = &probe["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
                assert_eq!(meta["elicitation"], declared, "{probe}");
                server.close().await;
            };
            let _ = tokio::join!(builder.over(ours), serve);
        });
    }
}

/// Remembers what is logged on this thread.
#[derive(Clone, Default)]
pub(crate) struct Log(pub(crate) Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = write!(self.0, " {}={value:?}", field.name());
    }
}

impl tracing::Subscriber for Log {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = Line(format!("{} {}", event.metadata().level(), event.metadata().target()));
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

/// SRV-037: every use of a tool is logged with its name and how it ended, without what was said.
#[test]
fn tool_use_is_logged() {
    let log = Log::default();
    let _default = tracing::subscriber::set_default(log.clone());
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        let answers = [
            json!({"result": {"content": []}}),
            json!({"result": {"content": [], "isError": true}}),
            json!({"error": {"code": 1, "message": "secret"}}),
        ];
        let serve = async {
            for mut answer in answers {
                let asked = server.expect("tools/call").await;
                (answer["jsonrpc"], answer["id"]) = ("2.0".into(), asked["id"].clone());
                server.send(&answer).await;
            }
        };
        let calls = async {
            for tool in ["one", "two\n", "three"] {
                let _ = client.call(tool, json!({"a": "secret"})).await;
            }
        };
        tokio::join!(calls, serve);
        let given_up = tokio::time::timeout(Duration::from_secs(1), client.call("four", ()).into_future()).await;
        assert!(given_up.is_err());
    });
    let lines = log.0.lock().unwrap().clone();
    let audit: Vec<&String> = lines.iter().filter(|line| line.starts_with("INFO jackfield_client::audit ")).collect();
    for (line, (tool, outcome)) in audit.iter().zip([
        ("tool=one", "outcome=\"done\""),
        ("tool=two\\n", "outcome=\"failed\""),
        ("tool=three", "outcome=\"refused by the server\""),
        ("tool=four", "outcome=\"given up\""),
    ]) {
        assert!(line.contains(tool) && line.contains(outcome) && !line.contains("secret"), "{line}");
    }
    assert_eq!(audit.len(), 4, "{lines:?}");
}
