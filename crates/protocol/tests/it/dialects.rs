//! What a value becomes for peers of older and newer revisions.

use jackfield_protocol::Revision::*;
use jackfield_protocol::*;
use serde::Serialize;
use serde_json::{Value, json};

use crate::full;
use crate::schema::Official;

#[track_caller]
fn check<T: Adapt + Serialize + serde::de::DeserializeOwned>(revision: Revision, given: Value, expected: Value) {
    let mut value: T = full::from(given);
    adapt(&mut value, revision);
    assert_eq!(serde_json::to_value(&value).unwrap(), expected, "{revision}");
}

#[test]
fn sound_becomes_a_note_before_it_existed() {
    let audio =
        json!({ "type": "audio", "data": "aGVsbG8h", "mimeType": "audio/wav", "annotations": { "priority": 1 } });
    check::<ContentBlock>(V2025_03_26, audio.clone(), audio.clone());
    let note = json!({ "type": "text", "text": "[audio: audio/wav, about 6 bytes]", "annotations": { "priority": 1 } });
    check::<ContentBlock>(V2024_11_05, audio, note);
}

#[test]
fn a_link_becomes_text_before_it_existed() {
    let link = json!({ "type": "resource_link", "uri": "file:///a", "name": "a", "description": "The a" });
    check::<ContentBlock>(V2025_06_18, link.clone(), link.clone());
    check::<ContentBlock>(V2025_03_26, link, json!({ "type": "text", "text": "a: file:///a\nThe a" }));
}

/// SRV-022
#[test]
fn data_becomes_text_where_it_can_not_travel_and_nothing_else_says_it() {
    let list = json!({ "content": [], "structuredContent": { "z": 1, "a": [2] } });
    check::<CallToolResult>(V2025_06_18, list.clone(), list.clone());
    check::<CallToolResult>(
        V2025_03_26,
        list,
        json!({ "content": [{ "type": "text", "text": r#"{"a":[2],"z":1}"# }] }),
    );
    let list = json!({ "content": [], "structuredContent": [1, 2] });
    check::<CallToolResult>(V2026_07_28, list.clone(), list.clone());
    check::<CallToolResult>(V2025_11_25, list, json!({ "content": [{ "type": "text", "text": "[1,2]" }] }));
    let both = json!({ "content": [{ "type": "text", "text": "one, two" }], "structuredContent": [1, 2] });
    check::<CallToolResult>(V2025_11_25, both, json!({ "content": [{ "type": "text", "text": "one, two" }] }));
}

#[test]
fn a_tool_keeps_its_title_wherever_there_is_a_place_for_it() {
    let tool = json!({ "name": "t", "inputSchema": { "type": "object" }, "title": "The tool" });
    check::<Tool>(V2025_06_18, tool.clone(), tool.clone());
    let older = json!({ "name": "t", "inputSchema": { "type": "object" }, "annotations": { "title": "The tool" } });
    check::<Tool>(V2025_03_26, tool.clone(), older);
    let oldest = json!({ "name": "t", "inputSchema": { "type": "object" }, "description": "The tool" });
    check::<Tool>(V2024_11_05, tool, oldest);
}

#[test]
fn boolean_properties_become_objects_and_the_order_stays() {
    let schema = r#"{"type":"object","properties":{"z":true,"a":{"default":true},"m":false},"required":["z"]}"#;
    let mut tool = Tool::new("t", serde_json::from_str::<Schema>(schema).unwrap());
    adapt(&mut tool, V2026_07_28);
    assert_eq!(tool.input_schema.get(), schema);
    adapt(&mut tool, V2025_11_25);
    let expected = r#"{"type":"object","properties":{"z":{},"a":{"default":true},"m":{"not":{}}},"required":["z"]}"#;
    assert_eq!(tool.input_schema.get(), expected);
}

#[test]
fn an_output_schema_must_be_an_object_before_2026() {
    let tool = json!({ "name": "t", "inputSchema": { "type": "object" }, "outputSchema": { "type": "array" } });
    check::<Tool>(V2026_07_28, tool.clone(), tool.clone());
    check::<Tool>(V2025_11_25, tool, json!({ "name": "t", "inputSchema": { "type": "object" } }));
}

#[test]
fn task_support_of_a_tool_exists_in_one_revision_only() {
    let tool = json!({ "name": "t", "inputSchema": { "type": "object" }, "execution": { "taskSupport": "required" } });
    check::<Tool>(V2025_11_25, tool.clone(), tool.clone());
    for revision in [V2025_06_18, V2026_07_28] {
        check::<Tool>(revision, tool.clone(), json!({ "name": "t", "inputSchema": { "type": "object" } }));
    }
}

#[test]
fn forms_use_what_2025_06_18_has() {
    let form = json!({ "mode": "form", "message": "m", "requestedSchema": { "type": "object", "properties": {
        "one": { "type": "string", "oneOf": [{ "const": "a", "title": "A" }], "default": "a" },
        "many": { "type": "array", "items": { "type": "string", "enum": ["a", "b"] }, "description": "Which" },
        "flag": { "type": "boolean", "default": true },
        "text": { "type": "string", "pattern": "^a", "default": "a" },
    } } });
    let older = json!({ "message": "m", "requestedSchema": { "type": "object", "properties": {
        "one": { "type": "string", "enum": ["a"], "enumNames": ["A"] },
        "many": { "type": "string", "description": "Which (any of these, separated by commas: a, b)" },
        "flag": { "type": "boolean", "default": true },
        "text": { "type": "string" },
    } } });
    check::<ElicitParams>(V2025_11_25, form.clone(), form.clone());
    check::<ElicitParams>(V2025_06_18, form.clone(), older);

    let ElicitParams::Form(form) = full::from(form) else { panic!("not a form") };
    let mut answer: ElicitResult =
        full::from(json!({ "action": "accept", "content": { "one": "a", "many": "a,  b" } }));
    form.requested_schema.read_back(&mut answer);
    assert_eq!(json!(answer.content), json!({ "one": "a", "many": ["a", "b"] }));
    assert!(!form.requested_schema.read_back(&mut answer), "it has its form already");
}

/// Choices with commas of their own are understood where people type several.
#[test]
fn typed_choices_may_have_commas() {
    let form = json!({ "mode": "form", "message": "m", "requestedSchema": { "type": "object", "properties": {
        "many": { "type": "array", "items": { "type": "string", "enum": ["a", "b", "b, c", "b, c, d", "ab", ""] } } } } });
    let ElicitParams::Form(form) = full::from(form) else { panic!("not a form") };
    for (typed, understood) in [
        ("b, c", json!(["b, c"])),
        ("b, c,a", json!(["b, c", "a"])),
        ("b, c, d", json!(["b, c, d"])),
        (" a , b,c ", json!(["a", "b", "c"])),
        ("ab", json!(["ab"])),
        ("abc, a", json!(["abc", "a"])),
        (",, a,", json!(["a"])),
        ("", json!([])),
    ] {
        let mut answer: ElicitResult = full::from(json!({ "action": "accept", "content": { "many": typed } }));
        assert!(form.requested_schema.read_back(&mut answer));
        assert_eq!(json!(answer.content), json!({ "many": understood }), "{typed}");
    }
}

#[test]
fn a_client_with_pages_only_has_no_elicitation_for_older_servers() {
    let urls = json!({ "elicitation": { "url": {} } });
    check::<ClientCapabilities>(V2025_06_18, urls, json!({}));
    let forms = json!({ "elicitation": { "form": {}, "url": {} } });
    check::<ClientCapabilities>(V2025_06_18, forms, json!({ "elicitation": {} }));
}

#[test]
fn messages_of_several_blocks_become_several_messages() {
    let params = json!({ "maxTokens": 1, "messages": [{ "role": "assistant", "content": [
        { "type": "text", "text": "wait" }, { "type": "tool_use", "id": "1", "name": "t", "input": { "a": 1 } },
    ] }] });
    let older = json!({ "maxTokens": 1, "messages": [
        { "role": "assistant", "content": { "type": "text", "text": "wait" } },
        { "role": "assistant", "content": { "type": "text", "text": "[use of tool t: {\"a\":1}]" } },
    ] });
    check::<CreateMessageParams>(V2025_11_25, params.clone(), params.clone());
    check::<CreateMessageParams>(V2025_06_18, params, older);
}

#[test]
fn an_answer_of_several_blocks_becomes_one() {
    let result = json!({ "role": "assistant", "model": "m", "content": [
        { "type": "text", "text": "a" }, { "type": "text", "text": "b" },
    ] });
    let older = json!({ "role": "assistant", "model": "m", "content": { "type": "text", "text": "a\nb" } });
    check::<CreateMessageResult>(V2025_06_18, result, older);
}

#[test]
fn a_task_of_the_extension_is_one_of_2025_11_25_and_the_other_way_round() {
    let write = |outcome, revision| {
        let mut out = Vec::new();
        write_result(&mut out, outcome, revision, None).map(|()| serde_json::from_slice::<Value>(&out).unwrap())
    };
    let handle = TaskHandle::new("t", TaskStatus::Working, "2026-01-01T00:00:00Z");
    let core = write(Outcome::Task(Box::new(handle.clone())), V2025_11_25).unwrap();
    assert_eq!(core["task"]["ttl"], Value::Null);
    assert!(write(Outcome::Task(Box::new(handle.clone())), V2025_06_18).is_err());
    let tagged = write(Outcome::Complete(CreateTaskResult::new(handle).into()), V2026_07_28).unwrap();
    assert_eq!((&tagged["resultType"], &tagged["taskId"]), (&json!("task"), &json!("t")));
    let listed = write(Outcome::Complete(ListTasksResult::new([]).into()), V2026_07_28);
    assert_eq!(listed.unwrap_err().to_string(), "revision 2026-07-28 has no tasks in the core");
}

/// Guards the judge itself: values that were not adapted must be found out.
#[test]
fn the_schemas_notice_what_a_revision_does_not_define() {
    let parts: [(&str, Value, Revision); 5] = [
        ("Tool", json!(full::tool()), V2025_06_18),
        ("Implementation", json!(full::implementation()), V2025_03_26),
        ("ClientCapabilities", json!(full::client_capabilities()), V2026_07_28),
        ("CallToolResult", json!({ "content": full::content() }), V2024_11_05),
        ("ListToolsResult", json!({ "tools": [], "ttlMs": 1 }), V2025_11_25),
    ];
    for (definition, value, revision) in parts {
        let Some(mut official) = Official::load(revision) else { return };
        assert_ne!(official.judge(definition, &value), Vec::<String>::new(), "{revision} {definition}");
    }
}
