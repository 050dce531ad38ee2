//! The client's model, with tools of the server.

use std::sync::{Arc, Mutex};

use jackfield_client::{Builder, Client};
use jackfield_protocol::{
    CreateMessageParams, CreateMessageResult, RawJson, Role, SamplingContentBlock, ToolUseContent,
};
use serde_json::{Value, json};

use crate::script::{Pair, check_with, greeting, paused};

/// A model that does what the first message says: `use`, or say something.
fn model() -> Builder {
    Client::builder().on_sampling_with_tools(|params| async move { Ok(answer(&params)) })
}

fn answer(params: &CreateMessageParams) -> CreateMessageResult {
    let first = params.messages.first().and_then(|message| message.content.blocks().first());
    let content = match first {
        Some(SamplingContentBlock::Text(text)) if text.text.starts_with("use") => {
            let name = text.text.trim_start_matches("use ").to_owned();
            let mut using = ToolUseContent::new("u1", name, RawJson::from(json!({})));
            using.meta = Some(serde_json::from_value(json!({"cache": "abc"})).unwrap());
            SamplingContentBlock::from(using)
        }
        _ => SamplingContentBlock::text("hi"),
    };
    CreateMessageResult::new(Role::Assistant, content, "model")
}

fn ask(first: &str, choice: &str) -> Value {
    let mut params = json!({"messages": [{"role": "user", "content": {"type": "text", "text": first}}], "maxTokens": 5,
        "tools": [{"name": "t", "inputSchema": {"type": "object"}}]});
    if !choice.is_empty() {
        params["toolChoice"] = json!({ "mode": choice });
    }
    params
}

/// Plays one question in both eras. `wanted` is what the server gets: a part of the result, or an error.
#[track_caller]
fn question(params: &Value, wanted: &Value) {
    let legacy = format!(
        r#"
        legacy 2025-11-25
        <! {{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{params}}}
        >= {}
        @ connect = ok
        "#,
        if wanted["code"].is_null() { json!({"id": 1, "result": wanted}) } else { json!({"id": 1, "error": wanted}) },
    );
    check_with(model(), &legacy);
    let asked = json!({"resultType": "input_required", "inputRequests": {"k": {"method": "sampling/createMessage", "params": params}}});
    let modern = if wanted["code"].is_null() {
        format!(
            "modern\n@ call = ok\n> tools/call\n< {}\n> tools/call {}\n< {}",
            json!({ "result": asked }),
            json!({"inputResponses": {"k": wanted}}),
            json!({"result": {"content": []}}),
        )
    } else {
        format!("modern\n@ call = refused\n> tools/call\n< {}", json!({ "result": asked }))
    };
    check_with(model(), &modern);
}

/// CLI-016: that the model may be given tools is declared if it is so, and only then, in both eras.
#[test]
fn tools_are_declared() {
    let plain = || Client::builder().on_sampling(|params| async move { Ok(answer(&params)) });
    for (builder, declared) in [(model(), json!({"tools": {}})), (plain(), json!({}))] {
        paused(async {
            let (ours, mut server) = Pair::streams();
            let serve = async {
                let probe = server.expect("server/discover").await;
                let meta = &probe["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
                assert_eq!(meta["sampling"], declared, "{probe}");
                let refusal =
                    json!({"jsonrpc": "2.0", "id": probe["id"], "error": {"code": -32601, "message": "what?"}});
                server.send(&refusal).await;
                let opened = server.expect("initialize").await;
                assert_eq!(opened["params"]["capabilities"]["sampling"], declared, "{opened}");
                server.answer(greeting("2025-11-25")).await;
            };
            let (client, ()) = tokio::join!(builder.over(ours), serve);
            client.unwrap();
        });
    }
}

/// CLI-024: an answer that is not what the choice of tools asks for is not sent.
#[test]
fn the_choice_of_tools_is_kept_to() {
    let used = json!({"role": "assistant", "content": {"type": "tool_use", "id": "u1", "name": "t"}});
    let said = json!({"role": "assistant", "content": {"type": "text", "text": "hi"}});
    let refused = json!({"code": -32603});
    for (choice, when_used, when_said) in
        [("", &used, &said), ("auto", &used, &said), ("required", &used, &refused), ("none", &refused, &said)]
    {
        question(&ask("use t", choice), when_used);
        question(&ask("say", choice), when_said);
    }
    question(&ask("use another", ""), &refused);
}

/// CLI-032, CLI-034: results that are missing, or mixed with other content, are invalid parameters, and so is content that is not what
/// its type says; the model never sees them.
#[test]
fn conversations_are_checked() {
    let with = |messages: Value| {
        let mut params = ask("say", "");
        params["messages"].as_array_mut().unwrap().extend(messages.as_array().unwrap().clone());
        params
    };
    let using = |id: &str| json!({"type": "tool_use", "id": id, "name": "t", "input": {}});
    let result = |id: &str| json!({"type": "tool_result", "toolUseId": id, "content": []});
    let text = json!({"type": "text", "text": "and"});
    let both = json!({"role": "assistant", "content": [using("1"), using("2")]});
    let good = json!([both, {"role": "user", "content": [result("2"), result("1")]}]);
    question(&with(good), &json!({"content": {"type": "text"}}));
    for bad in [
        json!([both]),
        json!([both, {"role": "user", "content": result("1")}]),
        json!([both, {"role": "user", "content": [result("1"), result("2"), text]}]),
        json!([both, {"role": "user", "content": text}]),
        json!([{"role": "user", "content": result("1")}]),
        json!([{"role": "user", "content": {"type": "image", "data": "no base64", "mimeType": "image/png"}}]),
    ] {
        question(&with(bad), &json!({"code": -32602}));
    }
}

/// CLI-027, CLI-028, CLI-025: the handler gets each request as it came, with its own limit and messages and nothing of earlier ones; what
/// belongs to a tool use stays with it both ways.
#[test]
fn requests_reach_the_handler_as_they_are() {
    paused(async {
        let seen: Arc<Mutex<Vec<Value>>> = Arc::default();
        let sees = seen.clone();
        let builder = Client::builder().on_sampling_with_tools(move |params| {
            sees.lock().unwrap().push(serde_json::to_value(&params).unwrap());
            async move { Ok(answer(&params)) }
        });
        let (_client, mut server) = Pair::legacy(builder, "2025-11-25").await;
        let first = ask("use t", "");
        let mut second = ask("say", "");
        second["maxTokens"] = 7.into();
        server.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": first})).await;
        let used = server.receive().await.unwrap()["result"]["content"].clone();
        assert_eq!(used["_meta"], json!({"cache": "abc"}));
        let result = json!({"type": "tool_result", "toolUseId": "u1", "content": [], "_meta": {"cache": "def"}});
        let later = json!([{"role": "assistant", "content": used}, {"role": "user", "content": result}]);
        second["messages"].as_array_mut().unwrap().extend(later.as_array().unwrap().clone());
        server.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "sampling/createMessage", "params": second})).await;
        server.receive().await.unwrap();
        assert_eq!(*seen.lock().unwrap(), [first, second]);
        for bad in [json!(null), json!("many")] {
            let mut third = ask("say", "");
            third["maxTokens"] = bad;
            server.send(&json!({"jsonrpc": "2.0", "id": 3, "method": "sampling/createMessage", "params": third})).await;
            assert_eq!(server.receive().await.unwrap()["error"]["code"], -32602);
        }
        assert_eq!(seen.lock().unwrap().len(), 2);
    });
}
