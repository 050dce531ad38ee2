//! Questions of the server: as requests until 2025-11-25, as results since.

use jackfield_client::{Builder, Client, Error, ErrorKind, Limits};
use jackfield_protocol::{
    CreateMessageResult, ElicitAction, ElicitResult, ErrorObject, JsonObject, Role, Root, SamplingContent,
    SamplingContentBlock, TextContent,
};
use serde_json::{Value, json};

use crate::script::{Pair, check, check_with, paused};

fn answers() -> Builder {
    Client::builder()
        .on_form(|form| async move {
            let content = match form.message.as_str() {
                "bad" => json!({"name": 5}),
                _ => json!({"name": "ada"}),
            };
            let Value::Object(content) = content else { unreachable!() };
            Ok(ElicitResult::new(ElicitAction::Accept).with_content(content))
        })
        .on_sampling(|params| async move {
            if params.max_tokens == 0 {
                return Err(ErrorObject::new(-1, "the user said no"));
            }
            let text = SamplingContentBlock::Text(TextContent::new("hi"));
            Ok(CreateMessageResult::new(Role::Assistant, SamplingContent::from(text), "model"))
        })
        .roots(vec![Root::new("file:///work")])
}

const FORM: &str = r#"{"message":"who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}"#;

/// CLI-001, CLI-002, CLI-046: what there are handlers for is declared, in the handshake or with each request, and nothing else; roots that are
/// said to change are said to have changed.
#[test]
fn what_can_be_answered_is_declared() {
    for (version, elicitation) in [
        ("2024-11-05", Value::Null),
        ("2025-03-26", Value::Null),
        ("2025-06-18", json!({})),
        ("2025-11-25", json!({"form": {}})),
    ] {
        for (builder, declares) in [(answers(), true), (Client::builder(), false)] {
            let elicitation = elicitation.clone();
            paused(async move {
                let (ours, mut server) = Pair::streams();
                let serve = async {
                    let asked = server.expect("initialize").await;
                    let declared = &asked["params"]["capabilities"];
                    if declares {
                        assert_eq!(declared["roots"], json!({"listChanged": true}), "{asked}");
                        assert_eq!(declared["sampling"], json!({}), "{asked}");
                        assert_eq!(declared["elicitation"], elicitation, "{asked}");
                    } else {
                        assert_eq!(*declared, json!({}), "{asked}");
                    }
                    server.answer(crate::script::greeting(version)).await;
                    server.expect("notifications/initialized").await;
                };
                let (client, ()) = tokio::join!(builder.revision(version.parse().unwrap()).over(ours), serve);
                let client = client.unwrap();
                if declares {
                    client.set_roots(vec![Root::new("file:///other")]).unwrap();
                    server.expect("notifications/roots/list_changed").await;
                }
            });
        }
    }
    for (builder, declared) in
        [(answers(), json!({"roots": {}, "sampling": {}, "elicitation": {"form": {}}})), (Client::builder(), json!({}))]
    {
        paused(async move {
            let (ours, mut server) = Pair::streams();
            let serve = async {
                for (method, answer) in [
                    ("server/discover", crate::script::discovery()),
                    ("tools/call", json!({"content": []})),
                    ("resources/read", json!({"contents": []})),
                ] {
                    let mut asked = server.expect(method).await;
                    let meta = asked["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"].take();
                    for kind in ["roots", "sampling", "elicitation"] {
                        assert_eq!(meta.get(kind), declared.get(kind), "{method} {kind}");
                    }
                    server.answer(answer).await;
                }
            };
            let ask = async {
                let client = builder.over(ours).await.unwrap();
                client.call("t", ()).await.unwrap();
                client.read("r://1").await.unwrap();
            };
            tokio::join!(ask, serve);
        });
    }
}

/// CLI-015, CLI-050, PAT-027: questions of the legacy era are answered through the handlers, while a call waits.
#[test]
fn legacy_questions_are_answered() {
    check_with(
        answers(),
        &format!(
            r#"
            legacy 2025-06-18
            @ call = ok
            > tools/call
            <! {{"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{FORM}}}
            >= {{"id":"q1","result":{{"action":"accept","content":{{"name":"ada"}}}}}}
            <! {{"jsonrpc":"2.0","id":9,"method":"sampling/createMessage","params":{{"messages":[],"maxTokens":5}}}}
            >= {{"id":9,"result":{{"role":"assistant","model":"model","content":{{"type":"text","text":"hi"}}}}}}
            <! {{"jsonrpc":"2.0","id":10,"method":"roots/list"}}
            >= {{"id":10,"result":{{"roots":[{{"uri":"file:///work"}}]}}}}
            <! {{"jsonrpc":"2.0","id":11,"method":"ping"}}
            >= {{"id":11,"result":{{}}}}
            < {{"result":{{"content":[]}}}}
            "#
        ),
    );
}

/// CLI-004, CLI-018, CLI-031, CLI-062, T-114: what was not declared is refused with the right code.
#[test]
fn undeclared_questions_are_refused() {
    let ask = |method: &str, params: &str, code: i64| {
        format!(
            r#"
            legacy 2025-11-25
            <! {{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}
            >= {{"id":1,"error":{{"code":{code}}}}}
            @ connect = ok
            "#
        )
    };
    let sampling = r#"{"messages":[],"maxTokens":5}"#;
    let url = r#"{"mode":"url","message":"go","url":"https://example.com/","elicitationId":"1"}"#;
    let tools = r#"{"messages":[],"maxTokens":5,"tools":[]}"#;
    check(&ask("roots/list", "{}", -32601));
    check(&ask("sampling/createMessage", sampling, -32601));
    check(&ask("elicitation/create", FORM, -32601));
    check(&ask("nobody/knows", "{}", -32601));
    check(&ask("tools/call", "{}", -32601));
    check_with(answers(), &ask("elicitation/create", url, -32602));
    check_with(answers(), &ask("sampling/createMessage", tools, -32602));
    let choice = r#"{"messages":[],"maxTokens":5,"toolChoice":{"mode":"auto"}}"#;
    check_with(answers(), &ask("sampling/createMessage", choice, -32602));
    check_with(answers(), &ask("sampling/createMessage", "{}", -32602));
    check_with(answers(), &ask("sampling/createMessage", r#"{"messages":[],"maxTokens":0}"#, -1));
    check_with(answers(), &ask("elicitation/create", &FORM.replace("who?", "bad"), -32603));
}

/// CLI-015, PAT-051, PAT-052, PAT-053, SRV-071: the request is asked again with the answers, and with the state if there is one.
#[test]
fn modern_questions_are_answered_in_rounds() {
    check_with(
        answers(),
        &format!(
            r#"
            modern
            @ call = ok
            > tools/call {{"_meta":{{"io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{"form":{{}}}},"sampling":{{}},"roots":{{}}}}}}}}
            < {{"result":{{"resultType":"input_required","requestState":"s 1","inputRequests":{{"a":{{"method":"elicitation/create","params":{FORM}}},"b":{{"method":"roots/list"}}}}}}}}
            > tools/call {{"name":"t","arguments":{{"a":1}},"requestState":"s 1","inputResponses":{{"a":{{"action":"accept","content":{{"name":"ada"}}}},"b":{{"roots":[{{"uri":"file:///work"}}]}}}}}}
            < {{"result":{{"resultType":"input_required","inputRequests":{{"c":{{"method":"sampling/createMessage","params":{{"messages":[],"maxTokens":5}}}}}}}}}}
            > tools/call {{"inputResponses":{{"c":{{"model":"model"}}}}}}
            < {{"result":{{"resultType":"complete","content":[]}}}}
            @ read = ok
            > resources/read
            < {{"result":{{"resultType":"input_required","requestState":"x"}}}}
            > resources/read {{"requestState":"x"}}
            < {{"result":{{"resultType":"complete","contents":[],"ttlMs":60000}}}}
            @ read = ok
            > resources/read
            < {{"result":{{"resultType":"complete","contents":[]}}}}
            @ prompt = ok
            > prompts/get
            < {{"result":{{"resultType":"input_required","requestState":"x"}}}}
            > prompts/get {{"requestState":"x","arguments":{{"a":"b"}}}}
            < {{"result":{{"resultType":"complete","messages":[]}}}}
            "#
        ),
    );
}

/// PAT-053, PAT-055: the state of one round is not in the next, nor in another request.
#[test]
fn the_state_serves_only_its_own_retry() {
    paused(async {
        let (client, mut server) = Pair::modern(answers()).await;
        let serve = async {
            server.expect("tools/call").await;
            server.answer(json!({"resultType": "input_required", "requestState": "s"})).await;
            let second = server.expect("tools/call").await;
            assert_eq!(second["params"]["requestState"], "s");
            assert!(second["params"].get("inputResponses").is_none());
            let questions = json!({"k": {"method": "roots/list"}});
            server.answer(json!({"resultType": "input_required", "inputRequests": questions})).await;
            let third = server.expect("tools/call").await;
            assert!(third["params"].get("requestState").is_none());
            server.answer(json!({"content": []})).await;
            let other = server.expect("tools/call").await;
            assert!(other["params"].get("inputResponses").is_none());
            server.answer(json!({"content": []})).await;
        };
        let calls = async {
            client.call("t", ()).await.unwrap();
            client.call("t", ()).await.unwrap();
        };
        tokio::join!(calls, serve);
    });
}

/// A person is not asked for an answer that would not be sent: the last round that is allowed asks nobody.
#[test]
fn nobody_is_asked_in_vain() {
    paused(async {
        let asked = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let count = asked.clone();
        let mut limits = Limits::default();
        limits.rounds = 2;
        let builder = Client::builder().limits(limits).on_form(move |_| {
            count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            async { Ok(ElicitResult::new(ElicitAction::Decline)) }
        });
        let (client, mut server) = Pair::modern(builder).await;
        let form: Value = serde_json::from_str(FORM).unwrap();
        let question = json!({"k": {"method": "elicitation/create", "params": form}});
        let (outcome, ()) = tokio::join!(IntoFuture::into_future(client.call("t", ())), async {
            for _ in 0..3 {
                server.expect("tools/call").await;
                server.answer(json!({"resultType": "input_required", "inputRequests": question})).await;
            }
        });
        assert!(outcome.as_ref().is_err_and(Error::is_limit), "{outcome:?}");
        assert_eq!(asked.load(std::sync::atomic::Ordering::SeqCst), 2);
    });
}

/// BASE-020, T-114: undeclared or refused questions, and endless rounds, end the call with an error.
#[test]
fn rounds_end_with_an_error() {
    let round = |result: &str| format!("> tools/call\n< {{\"result\":{{\"resultType\":\"input_required\",{result}}}}}");
    let asks = |method: &str, params: &str| {
        round(&format!(r#""inputRequests":{{"k":{{"method":"{method}","params":{params}}}}}"#))
    };
    check(&format!("modern\n@ call = undeclared\n{}", asks("roots/list", "{}")));
    check(&format!("modern\n@ call = undeclared\n{}", asks("elicitation/create", FORM)));
    check_with(
        answers(),
        &format!("modern\n@ call = refused\n{}", asks("sampling/createMessage", r#"{"messages":[],"maxTokens":0}"#)),
    );
    check(&format!("modern\n@ call = bad answer\n{}", asks("tools/call", "{}")));
    check(&format!("modern\n@ call = bad answer\n{}", round(r#""_meta":{}"#)));
    let endless = round(r#""requestState":"again""#);
    let rounds: Vec<_> = std::iter::repeat_n(endless.as_str(), 11).collect();
    check(&format!("modern\n@ call = limit\n{}", rounds.join("\n")));
    check(&format!(
        "modern\n@ call = ok\n{}\n> tools/call\n< {{\"result\":{{\"content\":[]}}}}",
        rounds[..10].join("\n")
    ));
    check(
        "modern\n@ list = bad answer\n> tools/list\n< {\"result\":{\"resultType\":\"input_required\",\"requestState\":\"x\"}}",
    );
}

/// STDIO-007, PAT-035: a modern server that sends requests is not answered.
#[test]
fn modern_servers_are_never_answered() {
    check_with(
        answers(),
        r#"
        modern
        @ call = ok
        > tools/call
        <! {"jsonrpc":"2.0","id":1,"method":"roots/list"}
        <! {"jsonrpc":"2.0","id":2,"method":"ping"}
        < {"result":{"content":[]}}
        @ call = ok
        > tools/call
        < {"result":{"content":[]}}
        "#,
    );
}

/// CLI-003, CLI-006: roots are file URIs that lead nowhere else, and the server hears when they change.
#[test]
fn roots_are_checked_and_changes_are_told() {
    paused(async {
        for bad in ["http://x/y", "file:///a/../b", "file:///a/%2e%2E/b", "file://", "/work", "", "file:///a/\u{7}b"] {
            let (ours, _server) = Pair::streams();
            let refused = Client::builder().roots(vec![Root::new(bad)]).over(ours).await;
            assert_eq!(refused.unwrap_err().kind(), ErrorKind::Input, "{bad}");
        }
        let (client, mut server) = Pair::legacy(answers(), "2025-06-18").await;
        client.set_roots(vec![Root::new("file:///other")]).unwrap();
        server.expect("notifications/roots/list_changed").await;
        assert!(client.set_roots(vec![Root::new("http://x")]).is_err());
        // A client that never said it has roots cannot begin to have some; that is no fault of the server.
        let (without, _server) = Pair::legacy(Client::builder(), "2025-06-18").await;
        let refused = without.set_roots(vec![]).unwrap_err();
        assert_eq!(refused.to_string(), "this client was built without roots");
        assert_eq!(refused.kind(), ErrorKind::Unsupported);
        // Since 2026-07-28 there is no such notice.
        let (client, mut server) = Pair::modern(answers()).await;
        client.set_roots(vec![]).unwrap();
        client.close().await;
        assert_eq!(server.receive().await, None);
    });
}

/// PAT-003: a question that the server no longer wants is not answered.
#[test]
fn a_cancelled_question_is_dropped() {
    paused(async {
        let builder = Client::builder().on_form(|_| std::future::pending());
        let (client, mut server) = Pair::legacy(builder, "2025-06-18").await;
        let form: JsonObject = serde_json::from_str(FORM).unwrap();
        server.send(&json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": form})).await;
        server
            .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "q"}}))
            .await;
        server.send(&json!({"jsonrpc": "2.0", "id": "p", "method": "ping"})).await;
        assert_eq!(server.receive().await.unwrap()["id"], "p");
        // T-114: only so many questions are answered at the same time.
        for n in 0..33 {
            server.send(&json!({"jsonrpc": "2.0", "id": n, "method": "elicitation/create", "params": form})).await;
        }
        let refused = server.receive().await.unwrap();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(32), &json!(429)));
        // An id in use is the server's mistake, and has nothing to do with how many there are.
        server.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "elicitation/create", "params": form})).await;
        let refused = server.receive().await.unwrap();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(7), &json!(-32600)));
        client.close().await;
    });
}

/// A handler that panics, at once or later, is an error of this client, and the server is told; the next question is answered.
#[test]
fn a_handler_that_panics_is_an_answer() {
    paused(async {
        let builder = Client::builder().on_form(|form| {
            assert_ne!(form.message, "at once");
            async move {
                tokio::task::yield_now().await;
                assert_ne!(form.message, "later");
                Ok(ElicitResult::new(ElicitAction::Decline))
            }
        });
        let (_client, mut server) = Pair::legacy(builder, "2025-11-25").await;
        let schema = json!({"type": "object", "properties": {}});
        for (words, code) in [("at once", json!(-32603)), ("later", json!(-32603)), ("neither", json!(null))] {
            let form = json!({"message": words, "requestedSchema": schema});
            server.send(&json!({"jsonrpc": "2.0", "id": words, "method": "elicitation/create", "params": form})).await;
            let answer = server.receive().await.unwrap();
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(words), &code), "{answer}");
        }
    });
}

/// T-115: what is remembered of a server is bounded in bytes too: names of 64 KiB are, longer ones are refused.
#[test]
fn long_names_are_refused() {
    let page = |length: usize| {
        json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create",
            "params": {"mode": "url", "message": "go", "url": "https://example.com/", "elicitationId": "e".repeat(length)}})
    };
    paused(async {
        let builder = Client::builder().on_url(|_| async { Ok(ElicitResult::new(ElicitAction::Decline)) });
        let (_client, mut server) = Pair::legacy(builder, "2025-11-25").await;
        for (length, code) in [(64 << 10, json!(null)), ((64 << 10) + 1, json!(-32602)), (1 << 20, json!(-32602))] {
            server.send(&page(length)).await;
            assert_eq!(server.receive().await.unwrap()["error"]["code"], code, "{length}");
        }
        let id = "i".repeat(1 << 20);
        server.send(&json!({"jsonrpc": "2.0", "id": id, "method": "roots/list"})).await;
        assert_eq!(server.receive().await.unwrap()["error"]["code"], -32600);
    });
    check(&format!(
        "modern\n@ list = limit\n> tools/list\n< {}",
        json!({"result": {"tools": [], "nextCursor": "c".repeat(1 << 20)}})
    ));
    // Questions that come too early are kept only if they are short.
    paused(async {
        let (ours, mut server) = Pair::streams();
        let conversation = async {
            let probe = server.expect("server/discover").await;
            let refusal = json!({"code": -32601, "message": "what?"});
            server.send(&json!({"jsonrpc": "2.0", "id": probe["id"], "error": refusal})).await;
            server.expect("initialize").await;
            server.send(&page(1 << 20)).await;
            assert_eq!(server.receive().await.unwrap()["error"]["code"], 429);
        };
        tokio::select! {
            client = answers().over(ours) => panic!("{client:?}"),
            () = conversation => {}
        }
    });
}

/// T-114: questions that come before the end of the handshake wait for it; those that are too many are told so.
#[test]
fn early_questions_are_answered_too() {
    paused(async {
        let (ours, mut server) = Pair::streams();
        let opening = answers().over(ours);
        let conversation = async {
            let probe = server.expect("server/discover").await;
            let refusal = json!({"code": -32601, "message": "what?"});
            server.send(&json!({"jsonrpc": "2.0", "id": probe["id"], "error": refusal})).await;
            let initialize = server.expect("initialize").await;
            for n in 0..33 {
                server.send(&json!({"jsonrpc": "2.0", "id": format!("q{n}"), "method": "roots/list"})).await;
            }
            let refused = server.receive().await.unwrap();
            assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!("q32"), &json!(429)));
            let greeting = crate::script::greeting("2025-06-18");
            server.send(&json!({"jsonrpc": "2.0", "id": initialize["id"], "result": greeting})).await;
            server.expect("notifications/initialized").await;
            for _ in 0..32 {
                let answer = server.receive().await.unwrap();
                assert_eq!(answer["result"]["roots"][0]["uri"], "file:///work", "{answer}");
            }
        };
        let (client, ()) = tokio::join!(opening, conversation);
        client.unwrap().close().await;
    });
}
