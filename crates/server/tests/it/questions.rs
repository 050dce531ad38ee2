//! Questions in the middle of a handler, in both eras.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jackfield_protocol::{
    CallToolResult, ContentBlock, CreateMessageParams, ElicitParams, ElicitSchema, GetPromptResult, InputRequest,
    InputRequired, Outcome, Prompt, PromptMessage, ReadResourceResult, Resource, ResourceContents, Revision, Role,
    SamplingContentBlock, SamplingMessage, StringSchema, TaskSupport,
};
use jackfield_server::{
    Address, Cx, Done, Elicited, Form, Keys, PromptEntry, QuestionError, Reading, ResourceEntry, Server, Variables,
    Work,
};
use serde_json::json;

use crate::demo::{plain, tool};
use crate::talk::{Talk, check, check_each, runtime, started};

#[derive(Debug, serde::Deserialize, schemars::JsonSchema, jackfield::Form)]
struct Name {
    name: String,
}

/// Asks for a name, then for a second one.
fn greet() -> Server {
    Server::new("x").tool(tool("greet", json!({"type": "object"}), |_, cx| async move {
        let name = match cx.elicit::<Name>("name", "Who are you?").await? {
            Elicited::Accepted(name) => name.name,
            Elicited::Declined => return Ok("nobody".to_owned()),
            Elicited::Cancelled => return Ok("gone".to_owned()),
        };
        let second = cx.elicit::<Name>("second", &format!("And who else, {name}?")).await?;
        Ok::<_, QuestionError>(format!(
            "hello {name} and {}",
            second.accepted().map_or("nobody".to_owned(), |second| second.name)
        ))
    }))
}

const WITH_ELICITATION: [Revision; 2] = [Revision::V2025_06_18, Revision::V2025_11_25];

/// CLI-049, CLI-051: in the legacy era a question is a request to the client.
#[test]
fn legacy_clients_are_asked_by_request() {
    check_each(
        WITH_ELICITATION,
        greet,
        r#"
        @ REVISION {"elicitation": {}}
        > 1 tools/call {"name": "greet"}
        < ? elicitation/create {"message": "Who are you?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}
        > ? {"action": "accept", "content": {"name": "Ada"}}
        < ? elicitation/create {"message": "And who else, Ada?"}
        > ? {"action": "decline"}
        < 1 {"content": [{"text": "hello Ada and nobody"}]}
        > 2 tools/call {"name": "greet"}
        < ? elicitation/create
        > ? {"action": "cancel"}
        < 2 {"content": [{"text": "gone"}]}
        "#,
    );
}

#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema, jackfield::Form)]
#[serde(rename_all = "lowercase")]
enum Size {
    Small,
    Large,
}

#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema, jackfield::Form)]
struct Weight(f64);

/// Asks for single values, one after the other and at once.
fn values() -> Server {
    let values = plain("values", |cx: Cx| async move {
        let sure = cx.elicit::<bool>("sure", "Sure?").await?;
        let asked = [
            ("name", String::question("Who?")?),
            ("count", u8::question("How many?")?),
            ("weight", Weight::question("How heavy?")?),
            ("size", Size::question("Which?")?),
            ("sizes", Vec::<Size>::question("Which ones?")?),
        ];
        let answers = cx.ask_all(asked).await?;
        let several =
            (answers.form::<String>("name")?, answers.form::<u8>("count")?, answers.form::<Weight>("weight")?);
        let choices = (answers.form::<Size>("size")?, answers.form::<Vec<Size>>("sizes")?.accepted());
        Ok::<_, QuestionError>(format!("{sure:?} {several:?} {choices:?}"))
    });
    Server::new("x").tool(values.task(TaskSupport::Optional))
}

/// CLI-051: forms are objects, so a single value travels as one member, under the message as its title.
#[test]
fn single_values_are_asked_for_in_each_era() {
    let all =
        r#"Accepted(true) (Accepted(\"Ada\"), Accepted(3), Accepted(Weight(1.5))) (Declined, Some([Large, Small]))"#;
    let legacy = r#"
        @ 2025-11-25 {"elicitation": {}}
        > 1 tools/call {"name": "values"}
        < ? elicitation/create {"message": "Sure?", "requestedSchema": {"type": "object", "properties": {"value": {"type": "boolean", "title": "Sure?"}}, "required": ["value"]}}
        > ? {"action": "accept", "content": {"value": true}}
        < ? elicitation/create {"requestedSchema": {"properties": {"value": {"type": "string", "title": "Who?"}}}}
        > ? {"action": "accept", "content": {"value": "Ada"}}
        < ? elicitation/create {"requestedSchema": {"properties": {"value": {"type": "integer", "minimum": 0, "maximum": 255}}}}
        > ? {"action": "accept", "content": {"value": 3}}
        < ? elicitation/create {"requestedSchema": {"properties": {"value": {"type": "number", "title": "How heavy?"}}}}
        > ? {"action": "accept", "content": {"value": 1.5}}
        < ? elicitation/create {"requestedSchema": {"properties": {"value": {"enum": ["small", "large"]}}}}
        > ? {"action": "decline"}
        < ? elicitation/create {"requestedSchema": {"properties": {"value": {"type": "array"}}}}
        > ? {"action": "accept", "content": {"value": ["large", "small"]}}
        < 1 {"content": [{"text": "ALL"}]}
        "#;
    let modern = r#"
        @ 2026-07-28 {"elicitation": {"form": {}}}
        > 1 tools/call {"name": "values"}
        < 1 {"requestState": "$one", "inputRequests": {"sure": {"params": {"requestedSchema": {"properties": {"value": {"type": "boolean", "title": "Sure?"}}}}}}}
        > 2 tools/call {"name": "values", "requestState": "$one", "inputResponses": {"sure": {"action": "accept", "content": {"value": true}}}}
        < 2 {"requestState": "$two", "inputRequests": {"name": {}, "count": {}, "weight": {}, "size": {}, "sizes": {}}}
        > 3 tools/call {"name": "values", "requestState": "$two", "inputResponses": {"name": {"action": "accept", "content": {"value": "Ada"}}, "count": {"action": "accept", "content": {"value": 3}}, "weight": {"action": "accept", "content": {"value": 1.5}}, "size": {"action": "decline"}, "sizes": {"action": "accept", "content": {"value": ["large", "small"]}}}}
        < 3 {"resultType": "complete", "content": [{"text": "ALL"}]}
        > 4 tools/call {"name": "values", "requestState": "$one", "inputResponses": {"sure": {"action": "accept", "content": {"value": "yes"}}}}
        < 4 error -32602 the answer to the question `sure` does not fit it
        "#;
    for conversation in [legacy, modern] {
        check(values(), &conversation.replace("ALL", all));
    }
}

/// The same in a call that is a task.
#[test]
fn a_task_asks_for_a_single_value() {
    let sure =
        plain("sure", |cx: Cx| async move { cx.elicit::<bool>("sure", "Sure?").await.map(|sure| format!("{sure:?}")) });
    runtime().block_on(async {
        let mut talk = Talk::new(Server::new("x").tool(sure.task(TaskSupport::Required)));
        talk.play(
            r#"
            @ 2025-11-25 {"elicitation": {}}
            > 1 tools/call {"name": "sure", "task": {}}
            < 1 {"task": {"taskId": "$id"}}
            < notifications/tasks/status {"status": "input_required"}
            > 2 tasks/result {"taskId": "$id"}
            < ? elicitation/create {"requestedSchema": {"properties": {"value": {"type": "boolean", "title": "Sure?"}}}}
            > ? {"action": "accept", "content": {"value": true}}
            "#,
        )
        .await;
        let mut answers = talk.rest().await;
        answers.retain(|message| message["id"] == 2);
        assert_eq!(answers[0]["result"]["content"][0]["text"], "Accepted(true)", "{answers:?}");
    });
}

/// PAT-034, PAT-036, PAT-040, PAT-048, PAT-058, PAT-059, BASE-002, STDIO-008: in the modern era the call ends with the question, and is made
/// again with the answer, beside which there may be others; the server sends no request.
#[test]
fn modern_clients_are_asked_by_result() {
    check(
        greet(),
        r#"
        @ 2026-07-28 {"elicitation": {"form": {}}}
        > 1 tools/call {"name": "greet", "arguments": {"b": 1, "a": 2}}
        < 1 {"resultType": "input_required", "requestState": "$one", "inputRequests": {"name": {"method": "elicitation/create", "params": {"mode": "form", "message": "Who are you?", "requestedSchema": {"required": ["name"]}}}}}
        // The answer is missing: asked again, no error.
        > 2 tools/call {"name": "greet", "arguments": {"a": 2, "b": 1}, "requestState": "$one"}
        < 2 {"resultType": "input_required", "inputRequests": {"name": {"method": "elicitation/create"}}}
        > 3 tools/call {"name": "greet", "arguments": {"a": 2, "b": 1}, "requestState": "$one", "inputResponses": {"name": {"action": "accept", "content": {"name": "Ada"}}, "nobody": 5}}
        < 3 {"resultType": "input_required", "requestState": "$two", "inputRequests": {"second": {"params": {"message": "And who else, Ada?"}}, "name": "!"}}
        // The first answer travels in the state now.
        > 4 tools/call {"name": "greet", "arguments": {"a": 2, "b": 1}, "requestState": "$two", "inputResponses": {"second": {"action": "accept", "content": {"name": "Bob"}}}}
        < 4 {"resultType": "complete", "content": [{"text": "hello Ada and Bob"}]}
        < nothing
        "#,
    );
}

/// CLI-075: several of a list can be chosen in every revision; where there is no such field they are typed.
#[test]
fn several_choices_can_be_made_in_each_revision() {
    let server = || {
        let form = || {
            let choices = json!({"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}});
            let form = json!({"type": "object", "properties": {"many": choices}, "required": ["many"]});
            serde_json::from_value::<ElicitSchema>(form).unwrap()
        };
        let pick = tool("pick", json!({"type": "object"}), move |_, cx| async move {
            let picked = cx.elicit_form("pick", "Which?", form()).await?.accepted();
            Ok::<_, QuestionError>(serde_json::to_string(&picked).unwrap_or_default())
        });
        let pass_on = tool("pass_on", json!({"type": "object"}), move |_, cx| async move {
            let answer = cx.ask_question("pick", ElicitParams::form("Which?", form()).into()).await?;
            Ok::<_, QuestionError>(serde_json::to_string(&answer).unwrap_or_default())
        });
        let together = tool("together", json!({"type": "object"}), move |_, cx| async move {
            let answers = cx.ask_all([("pick", ElicitParams::form("Which?", form()).into())]).await?;
            let picked = answers.form_content("pick")?.accepted();
            Ok::<_, QuestionError>(serde_json::to_string(&picked).unwrap_or_default())
        });
        Server::new("x").tool(pick).tool(pass_on).tool(together)
    };
    for (revision, kind, answer) in [("2025-06-18", "string", r#""a, c""#), ("2025-11-25", "array", r#"["a", "c"]"#)] {
        let conversation = r#"
            @ REVISION {"elicitation": {}}
            > 1 tools/call {"name": "pick"}
            < ? elicitation/create {"requestedSchema": {"properties": {"many": {"type": "KIND"}}}}
            > ? {"action": "accept", "content": {"many": ANSWER}}
            < 1 {"content": [{"text": "{\"many\":[\"a\",\"c\"]}"}]}
            > 2 tools/call {"name": "together"}
            < ? elicitation/create
            > ? {"action": "accept", "content": {"many": ANSWER}}
            < 2 {"content": [{"text": "{\"many\":[\"a\",\"c\"]}"}]}
            "#;
        let conversation = conversation.replace("REVISION", revision).replace("KIND", kind).replace("ANSWER", answer);
        check(server(), &conversation);
    }
    check(
        server(),
        r#"
        @ 2025-06-18 {"elicitation": {}}
        > 1 tools/call {"name": "pass_on"}
        < ? elicitation/create
        > ? {"action": "accept", "content": {"many": "b,c"}}
        < 1 {"content": [{"text": "{\"action\":\"accept\",\"content\":{\"many\":[\"b\",\"c\"]}}"}]}
        "#,
    );
    check(
        server(),
        r#"
        @ 2026-07-28 {"elicitation": {}}
        > 2 tools/call {"name": "pick"}
        < 2 {"requestState": "$s"}
        > 3 tools/call {"name": "pick", "requestState": "$s", "inputResponses": {"pick": {"action": "accept", "content": {"many": ["b"]}}}}
        < 3 {"content": [{"text": "{\"many\":[\"b\"]}"}]}
        "#,
    );
}

/// PAT-039: each key stands once among the questions of a result, also when a handler asks the same twice at once; two questions cannot
/// share one.
#[test]
fn keys_of_questions_are_unique() {
    let server = Server::new("x")
        .tool(plain("same", |cx: Cx| async move {
            let ask = || cx.elicit::<Name>("name", "Who are you?");
            let (one, other, third) = tokio::join!(ask(), ask(), cx.elicit::<Name>("third", "And you?"));
            Ok::<_, QuestionError>(format!("{:?} {:?} {:?}", one?, other?, third?))
        }))
        .tool(plain("other", |cx: Cx| async move {
            let (one, other) = tokio::join!(cx.elicit::<Name>("name", "Who?"), cx.elicit::<Name>("name", "Whose?"));
            Ok::<_, QuestionError>(format!("{:?} {:?}", one?, other?))
        }));
    runtime().block_on(async {
        let mut talk = Talk::new(server);
        talk.play("@ 2026-07-28 {\"elicitation\": {}}\n > 1 tools/call {\"name\": \"same\"}").await;
        let text = talk.receive_text().await;
        let questions = text.split_once("\"inputRequests\":").unwrap().1;
        assert_eq!(questions.matches("Who are you?").count(), 1, "{text}");
        assert_eq!(questions.matches("\"name\":{\"method\"").count(), 1, "{text}");
        assert_eq!(questions.matches("\"third\":{\"method\"").count(), 1, "{text}");
        talk.play("> 2 tools/call {\"name\": \"other\"}").await;
        let text = talk.receive_text().await;
        assert_eq!(text.matches("\"name\":{\"method\"").count(), 1, "{text}");
    });
}

/// CLI-063, CLI-064: saying no and going away are answers.
#[test]
fn a_person_may_say_no() {
    for (action, text) in [("decline", "nobody"), ("cancel", "gone")] {
        let conversation = r#"
            @ 2026-07-28 {"elicitation": {}}
            > 1 tools/call {"name": "greet"}
            < 1 {"requestState": "$s"}
            > 2 tools/call {"name": "greet", "requestState": "$s", "inputResponses": {"name": {"action": "ACTION"}}}
            < 2 {"content": [{"text": "TEXT"}]}
            "#;
        check(greet(), &conversation.replace("ACTION", action).replace("TEXT", text));
    }
}

/// PAT-056, PAT-057, CLI-092: malformed answers are errors; answers without a question are none.
#[test]
fn malformed_answers_are_refused() {
    check(
        greet(),
        r#"
        @ 2026-07-28 {"elicitation": {}}
        > 1 tools/call {"name": "greet"}
        < 1 {"requestState": "$s"}
        > 2 tools/call {"name": "greet", "requestState": "$s", "inputResponses": {"name": {"action": "maybe"}}}
        < 2 error -32602 `name`
        > 3 tools/call {"name": "greet", "requestState": "$s", "inputResponses": {"name": {"action": "accept", "content": {"name": 5}}}}
        < 3 error -32602 `name`
        > 4 tools/call {"name": "greet", "requestState": "$s", "inputResponses": {"name": {"action": "accept"}}}
        < 4 error -32602 missing
        > 5 tools/call {"name": "greet", "requestState": "$s", "inputResponses": 7}
        < 5 error -32602 inputResponses
        > 6 tools/call {"name": "greet", "inputResponses": {"name": {"action": "accept", "content": {"name": "Eve"}}}}
        < 6 {"resultType": "input_required", "inputRequests": {"name": {"method": "elicitation/create"}}}
        "#,
    );
    check_each(
        WITH_ELICITATION,
        greet,
        r#"
        @ REVISION {"elicitation": {}}
        > 1 tools/call {"name": "greet"}
        < ? elicitation/create
        > ? {"action": "accept", "content": {"name": 5}}
        < 1 {"isError": true, "content": [{"text": "the client's answer does not fit the question `name`: `name` must be a text"}]}
        > 2 tools/call {"name": "greet"}
        < ? elicitation/create
        > ? error -32600 not now
        < 2 {"isError": true, "content": [{"text": "the client answered with an error: not now"}]}
        "#,
    );
}

/// PAT-041, PAT-042, PAT-043, PAT-046, T-052: state that was changed, or belongs to another request, is refused.
#[test]
fn state_belongs_to_its_request() {
    let server = greet().tool(plain("other", |cx: Cx| async move {
        cx.elicit::<Name>("name", "Who are you?").await.map(|_| String::new())
    }));
    runtime().block_on(async {
        let mut talk = Talk::new(server);
        talk.play("@ 2026-07-28 {\"elicitation\": {}}\n > 1 tools/call {\"name\": \"greet\", \"arguments\": {\"a\": 1}}\n < 1 {\"requestState\": \"$s\"}").await;
        let state = talk.known("$s").as_str().unwrap().to_owned();
        for (name, arguments) in [("greet", json!({"a": 2})), ("greet", json!({})), ("other", json!({"a": 1}))] {
            talk.play(&format!("> 2 tools/call {{\"name\": \"{name}\", \"arguments\": {arguments}, \"requestState\": \"{state}\"}}\n < 2 error -32602 requestState")).await;
        }
        let mut touched = state.clone().into_bytes();
        touched[40] = if touched[40] == b'A' { b'B' } else { b'A' };
        let long = "A".repeat(70_000);
        for bad in ["", "x", std::str::from_utf8(&touched).unwrap(), &state[..state.len() - 4], &long] {
            talk.play(&format!("> 3 tools/call {{\"name\": \"greet\", \"arguments\": {{\"a\": 1}}, \"requestState\": \"{bad}\"}}\n < 3 error -32602 requestState")).await;
        }
        talk.play(&format!("> 4 tools/call {{\"name\": \"greet\", \"arguments\": {{\"a\": 1}}, \"requestState\": \"{state}\"}}\n < 4 {{\"resultType\": \"input_required\"}}")).await;
        talk.play("> 5 tools/call {\"name\": \"greet\", \"arguments\": {\"a\": 1}, \"requestState\": 5}\n < 5 error -32602 requestState").await;
    });
}

/// T-052, T-056, PAT-044, CLI-065, CLI-068, CLI-074: the state of one user is of no use to another.
#[test]
fn state_belongs_to_its_user() {
    let server = started(greet());
    runtime().block_on(async {
        let mut ada = Talk::of_user(&server, "ada");
        ada.play("@ 2026-07-28 {\"elicitation\": {}}\n > 1 tools/call {\"name\": \"greet\"}\n < 1 {\"requestState\": \"$s\"}").await;
        let mut eve = Talk::of_user(&server, "eve");
        let mut nobody = Talk::new(&server);
        for talk in [&mut eve, &mut nobody] {
            talk.remember("$s", ada.known("$s").clone());
            talk.play("@ 2026-07-28 {\"elicitation\": {}}\n > 1 tools/call {\"name\": \"greet\", \"requestState\": \"$s\"}\n < 1 error -32602 requestState").await;
        }
        // Another connection of the same user may go on.
        let mut again = Talk::of_user(&server, "ada");
        again.remember("$s", ada.known("$s").clone());
        again.play("@ 2026-07-28 {\"elicitation\": {}}\n > 1 tools/call {\"name\": \"greet\", \"requestState\": \"$s\"}\n < 1 {\"resultType\": \"input_required\"}").await;
    });
}

/// BASE-034, BASE-036: with shared keys any node continues a call; without, another process refuses.
#[test]
fn another_node_continues_with_shared_keys() {
    runtime().block_on(async {
        let keys = || Keys::new([7; 32]);
        let mut one = Talk::new(greet().keys(keys()));
        one.play("@ 2026-07-28 {\"elicitation\": {}}\n > 1 tools/call {\"name\": \"greet\"}\n < 1 {\"requestState\": \"$s\"}").await;
        let next = "@ 2026-07-28 {\"elicitation\": {}}\n > 1 tools/call {\"name\": \"greet\", \"requestState\": \"$s\", \"inputResponses\": {\"name\": {\"action\": \"decline\"}}}";
        for (server, expected) in [
            (greet().keys(keys()), "< 1 {\"content\": [{\"text\": \"nobody\"}]}"),
            (greet().keys(Keys::new([8; 32]).with_previous([7; 32])), "< 1 {\"content\": [{\"text\": \"nobody\"}]}"),
            (greet(), "< 1 error -32602 requestState"),
        ] {
            let mut other = Talk::new(server);
            other.remember("$s", one.known("$s").clone());
            other.play(&format!("{next}\n{expected}")).await;
        }
    });
}

/// T-052, T-056, PAT-045: state has an end.
#[test]
fn state_becomes_too_old() {
    check(
        greet().question_life(std::time::Duration::ZERO),
        r#"
        @ 2026-07-28 {"elicitation": {}}
        > 1 tools/call {"name": "greet"}
        < 1 {"requestState": "$s"}
        > 2 tools/call {"name": "greet", "requestState": "$s", "inputResponses": {"name": {"action": "decline"}}}
        < 2 error -32602 too old
        "#,
    );
}

/// T-052, PAT-047: single use, where it is wanted.
#[test]
fn state_may_be_used_once() {
    let seen = Arc::new(std::sync::Mutex::new(std::collections::HashSet::new()));
    let server = greet().single_use(move |state| {
        let seen = seen.clone();
        async move { seen.lock().unwrap().insert(state) }
    });
    check(
        server,
        r#"
        @ 2026-07-28 {"elicitation": {}}
        > 1 tools/call {"name": "greet"}
        < 1 {"requestState": "$s"}
        > 2 tools/call {"name": "greet", "requestState": "$s", "inputResponses": {"name": {"action": "decline"}}}
        < 2 {"content": [{"text": "nobody"}]}
        > 3 tools/call {"name": "greet", "requestState": "$s", "inputResponses": {"name": {"action": "decline"}}}
        < 3 error -32602 used already
        "#,
    );
}

/// PAT-047: who keeps what was used somewhere else, and so has to wait, hears of it once, however many questions are asked at once.
#[test]
fn several_questions_use_state_once() {
    let seen = Arc::new(std::sync::Mutex::new(std::collections::HashSet::new()));
    let server = several().single_use(move |state| {
        let seen = seen.clone();
        async move {
            tokio::task::yield_now().await;
            seen.lock().unwrap().insert(state)
        }
    });
    check(
        server,
        r#"
        @ 2026-07-28 {"elicitation": {}, "roots": {}}
        > 1 tools/call {"name": "all"}
        < 1 {"requestState": "$s"}
        > 2 tools/call {"name": "all", "requestState": "$s", "inputResponses": {"roots": {"roots": []}, "who": {"action": "accept", "content": {"name": "Z"}}}}
        < 2 {"content": [{"text": "Z 0"}]}
        > 3 tools/call {"name": "all", "requestState": "$s", "inputResponses": {"roots": {"roots": []}}}
        < 3 error -32602 used already
        "#,
    );
}

/// BASE-059, BASE-060, PAT-049, CLI-048, CLI-013: nobody is asked what it did not declare on this request.
#[test]
fn clients_are_asked_only_what_they_declared() {
    let server = || {
        greet()
            .tool(plain("url", |cx: Cx| async move {
                cx.elicit_url("u", "Go", "https://example.com/x").await.map(|_| "went".to_owned())
            }))
            .tool(plain("roots", |cx: Cx| async move { cx.roots().await.map(|roots| roots.len().to_string()) }))
            .tool(plain("sample", |cx: Cx| async move { cx.sample("s", hello()).await.map(|said| said.model) }))
            .tool(plain("tools", |cx: Cx| async move {
                cx.sample("s", hello().with_tools(vec![])).await.map(|said| said.model)
            }))
            .tool(plain("careful", |cx: Cx| async move {
                format!("{} {} {} {}", cx.can_elicit(), cx.can_elicit_url(), cx.can_sample(), cx.has_roots())
            }))
    };
    check(
        server(),
        r#"
        @ 2026-07-28 {"elicitation": {"url": {}}, "sampling": {}}
        > 1 tools/call {"name": "greet"}
        < 1 error -32021 form
        > 2 tools/call {"name": "roots"}
        < 2 error -32021 roots
        > 3 tools/call {"name": "tools"}
        < 3 error -32021 tools
        > 4 tools/call {"name": "url"}
        < 4 {"inputRequests": {"u": {"method": "elicitation/create", "params": {"mode": "url", "url": "https://example.com/x", "message": "Go"}}}}
        > 5 tools/call {"name": "sample"}
        < 5 {"inputRequests": {"s": {"method": "sampling/createMessage", "params": {"maxTokens": 10}}}}
        > 6 tools/call {"name": "careful"}
        < 6 {"content": [{"text": "false true true false"}]}
        // Nothing is remembered from earlier requests.
        @ 2026-07-28 {}
        > 7 tools/call {"name": "sample"}
        < 7 error -32021 sampling
        "#,
    );
    runtime().block_on(async {
        let mut talk = Talk::new(server());
        talk.play("@ 2026-07-28").await;
        talk.play("> 1 tools/call {\"name\": \"roots\"}").await;
        let error = talk.receive().await.unwrap()["error"].clone();
        assert_eq!(error["data"]["requiredCapabilities"], json!({"roots": {}}));
    });
    check_each(
        [Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25],
        server,
        r#"
        @ REVISION
        > 1 tools/call {"name": "greet"}
        < 1 {"isError": true, "content": [{"text": "this client cannot be asked: it does not support elicitation by form"}]}
        > 2 tools/call {"name": "roots"}
        < 2 {"isError": true}
        > 3 tools/call {"name": "sample"}
        < 3 {"isError": true}
        > 4 tools/call {"name": "url"}
        < 4 {"isError": true}
        "#,
    );
    // Elicitation did not exist yet, whatever the client says.
    check(
        server(),
        "@ 2025-03-26 {\"elicitation\": {}}\n > 1 tools/call {\"name\": \"greet\"}\n < 1 {\"isError\": true}",
    );
}

fn hello() -> CreateMessageParams {
    CreateMessageParams::new([SamplingMessage::new(Role::User, SamplingContentBlock::text("hello"))], 10)
}

/// CLI-026, CLI-053: the model, the roots and pages, by request and by result.
#[test]
fn the_model_and_the_roots_are_asked() {
    let server = || {
        Server::new("x").tool(plain("both", |cx: Cx| async move {
            let said = cx.sample("s", hello()).await?;
            let roots = cx.roots().await?;
            Ok::<_, QuestionError>(format!("{} {}", said.model, roots[0].uri))
        }))
    };
    check_each(
        [Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25],
        server,
        r#"
        @ REVISION {"sampling": {}, "roots": {}}
        > 1 tools/call {"name": "both"}
        < ? sampling/createMessage {"messages": [{"role": "user", "content": {"type": "text", "text": "hello"}}], "maxTokens": 10}
        > ? {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m1"}
        < ? roots/list
        > ? {"roots": [{"uri": "file:///home"}]}
        < 1 {"content": [{"text": "m1 file:///home"}]}
        "#,
    );
    check(
        server(),
        r#"
        @ 2026-07-28 {"sampling": {}, "roots": {}}
        > 1 tools/call {"name": "both"}
        < 1 {"requestState": "$1", "inputRequests": {"s": {"method": "sampling/createMessage"}}}
        > 2 tools/call {"name": "both", "requestState": "$1", "inputResponses": {"s": {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m1"}}}
        < 2 {"requestState": "$2", "inputRequests": {"roots": {"method": "roots/list"}}}
        > 3 tools/call {"name": "both", "requestState": "$2", "inputResponses": {"roots": {"roots": [{"uri": "file:///home"}]}}}
        < 3 {"content": [{"text": "m1 file:///home"}]}
        "#,
    );
}

/// LIFE-007: before the client is ready nobody is asked.
#[test]
fn a_client_is_asked_after_it_is_ready() {
    check(
        greet(),
        r#"
        > 0 initialize {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "c", "version": "1"}}
        < 0 {}
        > 1 tools/call {"name": "greet"}
        > 2 ping
        < 2 {}
        > notifications/initialized
        < ? elicitation/create
        > ? {"action": "decline"}
        < 1 {"content": [{"text": "nobody"}]}
        "#,
    );
}

/// Asks several questions at once, in two ways.
fn several() -> Server {
    Server::new("x")
        .tool(plain("all", |cx: Cx| async move {
            let form = ElicitSchema::new().with_required("name", StringSchema::default());
            let answers = cx
                .ask_all([
                    ("who", InputRequest::from(ElicitParams::form("Who?", form))),
                    ("roots", InputRequest::ListRoots(Default::default())),
                ])
                .await?;
            let name = answers.form::<Name>("who")?.accepted().map_or("?".to_owned(), |name| name.name);
            Ok::<_, QuestionError>(format!("{name} {}", answers.roots("roots")?.len()))
        }))
        .tool(plain("joined", |cx: Cx| async move {
            let (a, b) = tokio::join!(cx.elicit::<Name>("a", "A?"), cx.elicit::<Name>("b", "B?"));
            let text = |answer: Elicited<Name>| answer.accepted().map_or("-".to_owned(), |name| name.name);
            Ok::<_, QuestionError>(format!("{}{}", text(a?), text(b?)))
        }))
}

#[test]
fn several_questions_go_together() {
    check(
        several(),
        r#"
        @ 2026-07-28 {"elicitation": {}, "roots": {}}
        > 1 tools/call {"name": "all"}
        < 1 {"requestState": "$s", "inputRequests": {"who": {"method": "elicitation/create"}, "roots": {"method": "roots/list"}}}
        // One of them only: the other is asked again.
        > 2 tools/call {"name": "all", "requestState": "$s", "inputResponses": {"roots": {"roots": []}}}
        < 2 {"requestState": "$t", "inputRequests": {"who": {"method": "elicitation/create"}, "roots": "!"}}
        > 3 tools/call {"name": "all", "requestState": "$t", "inputResponses": {"who": {"action": "accept", "content": {"name": "Z"}}}}
        < 3 {"content": [{"text": "Z 0"}]}
        > 4 tools/call {"name": "joined"}
        < 4 {"requestState": "$j", "inputRequests": {"a": "*", "b": "*"}}
        > 5 tools/call {"name": "joined", "requestState": "$j", "inputResponses": {"a": {"action": "accept", "content": {"name": "x"}}, "b": {"action": "decline"}}}
        < 5 {"content": [{"text": "x-"}]}
        "#,
    );
    check(
        several(),
        r#"
        @ 2025-11-25 {"elicitation": {}, "roots": {}}
        > 1 tools/call {"name": "all"}
        < ? elicitation/create
        > ? {"action": "accept", "content": {"name": "Z"}}
        < ? roots/list
        > ? {"roots": []}
        < 1 {"content": [{"text": "Z 0"}]}
        "#,
    );
}

/// Work between questions is done once, also when a step runs beside a question.
#[test]
fn steps_are_done_once() {
    let count = Arc::new(AtomicUsize::new(0));
    let server = {
        let count = count.clone();
        Server::new("x").tool(plain("pay", move |cx: Cx| {
            let count = count.clone();
            async move {
                let first = cx.step("order", async { count.fetch_add(1, Ordering::SeqCst) + 1 }).await;
                let slow = cx.step("slow", async {
                    jackfield_testkit::pass(std::time::Duration::from_secs(3)).await;
                    count.fetch_add(10, Ordering::SeqCst);
                    "slow".to_owned()
                });
                let (sure, slow) = tokio::join!(cx.elicit::<Name>("sure", "Sure?"), slow);
                let name = sure?.accepted().map_or("?".to_owned(), |name| name.name);
                Ok::<_, QuestionError>(format!("{name} {first} {slow}"))
            }
        }))
    };
    check(
        server,
        r#"
        @ 2026-07-28 {"elicitation": {}}
        > 1 tools/call {"name": "pay"}
        < 1 {"requestState": "$s", "inputRequests": {"sure": "*"}}
        > 2 tools/call {"name": "pay", "requestState": "$s", "inputResponses": {"sure": {"action": "accept", "content": {"name": "yes"}}}}
        < 2 {"content": [{"text": "yes 1 slow"}]}
        "#,
    );
    assert_eq!(count.load(Ordering::SeqCst), 11);
}

/// The same key for another question is an error that says so, in both eras.
#[test]
fn a_key_stands_for_one_question() {
    let runs = Arc::new(AtomicUsize::new(0));
    let server = || {
        let runs = runs.clone();
        Server::new("x")
            .tool(plain("twice", |cx: Cx| async move {
                let _ = cx.elicit::<Name>("k", "one").await?;
                cx.elicit::<Name>("k", "other").await.map(|_| "no".to_owned())
            }))
            .tool(plain("moving", move |cx: Cx| {
                let run = runs.fetch_add(1, Ordering::SeqCst);
                async move { cx.elicit::<Name>("k", &format!("run {run}")).await.map(|_| "no".to_owned()) }
            }))
    };
    check(
        server(),
        r#"
        @ 2026-07-28 {"elicitation": {}}
        > 1 tools/call {"name": "twice"}
        < 1 {"requestState": "$s"}
        > 2 tools/call {"name": "twice", "requestState": "$s", "inputResponses": {"k": {"action": "decline"}}}
        < 2 {"isError": true, "content": [{"text": "$text"}]}
        > 3 tools/call {"name": "moving"}
        < 3 {"requestState": "$m"}
        > 4 tools/call {"name": "moving", "requestState": "$m", "inputResponses": {"k": {"action": "decline"}}}
        < 4 {"isError": true, "content": [{"text": "$text"}]}
        "#,
    );
    check(
        server(),
        r#"
        @ 2025-11-25 {"elicitation": {}}
        > 1 tools/call {"name": "twice"}
        < ? elicitation/create
        > ? {"action": "decline"}
        < 1 {"isError": true, "content": [{"text": "the question `k` cannot be asked: another question was asked with the same key; a key must stand for one question in all runs of a call"}]}
        "#,
    );
}

/// PAT-038: prompts and resources ask too; nothing else does.
#[test]
fn only_tools_prompts_and_resources_ask() {
    let server = || {
        let prompt = PromptEntry::new(Prompt::new("p"), |_: std::collections::BTreeMap<String, String>, cx: Cx| {
            Work::later(async move {
                let name = cx.elicit::<Name>("n", "Who?").await.unwrap().accepted().unwrap().name;
                Ok(GetPromptResult::new(vec![PromptMessage::user(ContentBlock::text(name))]).into())
            })
        });
        let resource = ResourceEntry::new(
            Address::Static(Resource::new("x:y", "y")),
            |Reading { uri, .. }: Reading, _: Variables, cx: Cx| {
                Work::later(async move {
                    let name = cx.elicit::<Name>("n", "Who?").await.unwrap().accepted().unwrap().name;
                    Ok(ReadResourceResult::new(vec![ResourceContents::text(uri, name)]).into())
                })
            },
        );
        let mut completed = crate::demo::review();
        completed.completers.insert(
            "language".into(),
            Arc::new(|_: String, _: std::collections::BTreeMap<String, String>, cx: Cx| {
                Work::later(async move {
                    let error = cx.elicit::<Name>("n", "Who?").await.unwrap_err();
                    Ok(jackfield_protocol::Completion::new(vec![error.to_string()]).into())
                })
            }),
        );
        Server::new("x").prompt(prompt).resource(resource).prompt(completed)
    };
    check(
        server(),
        r#"
        @ 2026-07-28 {"elicitation": {}}
        > 1 prompts/get {"name": "p"}
        < 1 {"resultType": "input_required", "requestState": "$p", "ttlMs": "!"}
        > 2 prompts/get {"name": "p", "requestState": "$p", "inputResponses": {"n": {"action": "accept", "content": {"name": "A"}}}}
        < 2 {"messages": [{"content": {"text": "A"}}]}
        > 3 resources/read {"uri": "x:y"}
        < 3 {"resultType": "input_required", "requestState": "$r", "ttlMs": "!", "cacheScope": "!"}
        > 4 resources/read {"uri": "x:y", "requestState": "$r", "inputResponses": {"n": {"action": "accept", "content": {"name": "B"}}}}
        < 4 {"contents": [{"text": "B"}]}
        > 5 completion/complete {"ref": {"type": "ref/prompt", "name": "review"}, "argument": {"name": "language", "value": ""}}
        < 5 {"resultType": "complete", "completion": {"values": ["questions can be asked only while a tool, a prompt or a resource is being worked on"]}}
        "#,
    );
}

/// The low-level way stays open: the handler asks and seals itself.
#[test]
fn a_handler_may_ask_by_itself() {
    let server = Server::new("x").tool(plain("low", |cx: Cx| async move {
        let done: Done<CallToolResult> = match cx.params().optional_string("requestState").unwrap() {
            None => {
                let form = ElicitSchema::new().with_optional("x", StringSchema::default());
                let questions = InputRequired::one("q", ElicitParams::form("?", form))
                    .with_request_state(cx.seal(b"mine").unwrap());
                Ok(Outcome::InputRequired(questions))
            }
            Some(state) => {
                cx.unseal(&state).map(|bytes| CallToolResult::text(String::from_utf8(bytes).unwrap()).into())
            }
        };
        done
    }));
    check(
        server,
        r#"
        @ 2026-07-28 {"elicitation": {}}
        > 1 tools/call {"name": "low"}
        < 1 {"resultType": "input_required", "requestState": "$s", "inputRequests": {"q": "*"}}
        > 2 tools/call {"name": "low", "requestState": "$s"}
        < 2 {"content": [{"text": "mine"}]}
        > 3 tools/call {"name": "low", "requestState": "own"}
        < 3 error -32602
        "#,
    );
}

/// CLI-019: context is not asked of clients that do not say they can add it.
#[test]
fn context_is_asked_only_where_it_is_declared() {
    let server = || {
        Server::new("x").tool(plain("s", |cx: Cx| async move {
            let params = hello().with_include_context(jackfield_protocol::IncludeContext::ThisServer);
            cx.sample("s", params).await.map(|said| said.model)
        }))
    };
    for (capabilities, expected) in [("{}", "\"!\""), ("{\"context\": {}}", "\"thisServer\"")] {
        let call = format!("@ 2026-07-28 {{\"sampling\": {capabilities}}}\n > 1 tools/call {{\"name\": \"s\"}}");
        check(
            server(),
            &format!(
                "{call}\n < 1 {{\"inputRequests\": {{\"s\": {{\"params\": {{\"includeContext\": {expected}}}}}}}}}"
            ),
        );
    }
}

/// LIFE-022, LIFE-023: a question that is not answered ends after its time, and the client is told.
#[test]
fn questions_have_a_time_limit() {
    let mut limits = jackfield_peer::CallLimits::default();
    limits.question_timeout = std::time::Duration::from_secs(60);
    let built = started(greet().limits(limits));
    runtime().block_on(async {
        let mut talk = Talk::with(built, None);
        talk.play(
            r#"
            @ 2025-11-25 {"elicitation": {}}
            > 1 tools/call {"name": "greet"}
            < ? elicitation/create
            < notifications/cancelled {"requestId": "*"}
            < 1 {"isError": true, "content": [{"text": "the client did not answer in time"}]}
            "#,
        )
        .await;
    });
}
