//! The rules about names, keys, headers and tags.

use jackfield_protocol::meta::{BadKey, check_extension_id, check_key, check_own_key, is_reserved, key};
use jackfield_protocol::*;
use serde_json::{Value, json};

/// BASE-051, BASE-053
#[test]
fn keys_of_meta_have_labels_and_a_name() {
    for good in [
        "a",
        "",
        "progressToken",
        "a-b_c.d9",
        "com.example/",
        "com.example/key",
        "a1/b",
        "x-y.z/k",
        key::SERVER_INFO,
        key::RELATED_TASK,
        key::TRACEPARENT,
    ] {
        assert_eq!(check_key(good), Ok(()), "{good:?}");
    }
    for bad in ["/a", "1a/b", "a-/b", "-a/b", "a..b/c", ".a/b", "a./b", "a_b/c", "ä/b"] {
        assert_eq!(check_key(bad), Err(BadKey::Prefix), "{bad:?}");
    }
    for bad in ["-a", "a-", "_a", "a b", "com.example/-", "com.example/a/b", "ü"] {
        assert_eq!(check_key(bad), Err(BadKey::Name), "{bad:?}");
    }
}

/// BASE-052, BASE-054
#[test]
fn prefixes_of_the_protocol_are_reserved() {
    let newest = Revision::LATEST;
    for reserved in ["io.modelcontextprotocol/a", "dev.mcp/a", "org.modelcontextprotocol.api/a", "com.mcp.tools/a"] {
        assert!(is_reserved(reserved, newest), "{reserved}");
        assert_eq!(check_own_key(reserved, newest), Err(BadKey::Reserved));
    }
    for free in ["com.example.mcp/a", "mcp/a", "mcp.dev/a", "example/a", "mcp"] {
        assert_eq!(check_own_key(free, newest), Ok(()), "{free}");
    }
    for reserved in ["modelcontextprotocol.io/a", "mcp.dev/a", "api.modelcontextprotocol.org/a", "tools.mcp.com/a"] {
        assert!(is_reserved(reserved, Revision::V2025_06_18), "{reserved}");
    }
    assert!(!is_reserved("com.example/a", Revision::V2025_06_18));
}

/// LIFE-030
#[test]
fn extension_identifiers_need_a_prefix() {
    assert_eq!(check_extension_id(TASKS_EXTENSION), Ok(()));
    assert_eq!(check_extension_id("tasks"), Err(BadKey::NoPrefix));
    assert_eq!(check_extension_id("com.example/"), Err(BadKey::Name));
    assert_eq!(check_extension_id("1.example/a"), Err(BadKey::Prefix));
}

/// SRV-014, SRV-015, SRV-016, SRV-017
#[test]
fn tool_names_are_short_and_plain() {
    for good in ["a", "getUser", "DATA_EXPORT_v2", "admin.tools.list", "a-b", &"x".repeat(128)] {
        assert_eq!(check_tool_name(good), Ok(()), "{good}");
    }
    assert_eq!(check_tool_name(""), Err(BadToolName::Empty));
    assert_eq!(check_tool_name(&"x".repeat(129)), Err(BadToolName::TooLong));
    for (bad, c) in [("a b", ' '), ("a,b", ','), ("a/b", '/'), ("ä", 'ä')] {
        assert_eq!(check_tool_name(bad), Err(BadToolName::Character(c)));
    }
}

fn trace(meta: Value) -> TraceContext {
    TraceContext::read(&serde_json::from_value(meta).unwrap())
}

/// BASE-066, XTRC-001
#[test]
fn malformed_trace_context_is_dropped() {
    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
    let good = trace(json!({ "traceparent": PARENT, "tracestate": "a=b,t@v=c", "baggage": "k=v;p=1;q, l = %20" }));
    assert_eq!(good.parent.unwrap().to_string(), PARENT);
    assert_eq!((good.state.as_deref(), good.baggage.as_deref()), (Some("a=b,t@v=c"), Some("k=v;p=1;q, l = %20")));
    let mut written = Meta::new();
    good.write(&mut written);
    assert_eq!(TraceContext::read(&written), good);

    for bad in [
        "",
        "00",
        "00-0AF7651916CD43DD8448EB211C80319C-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "ff-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
        "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01-x",
        "00_0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
        "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-0é",
    ] {
        assert_eq!(trace(json!({ "traceparent": bad, "tracestate": "a=b" })), TraceContext::default(), "{bad}");
    }
    let later = "01-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01-more";
    assert!(trace(json!({ "traceparent": later })).parent.is_some());
    for bad in ["", "a", "A=b", "a=b,a=c", "a=", "a=b=c", "1a=b", "@v=c", "t@=c"] {
        assert_eq!(trace(json!({ "traceparent": PARENT, "tracestate": bad })).state, None, "{bad}");
    }
    for bad in ["", "k", "=v", "k=a b", "k=\"v\"", "k=v;", "k=v,", "ü=v"] {
        assert_eq!(trace(json!({ "baggage": bad })), TraceContext::default(), "{bad}");
    }
    assert_eq!(trace(json!({ "traceparent": 7, "baggage": {} })), TraceContext::default());
}

fn headers(schema: Value) -> Result<Vec<ParamHeader>, BadParamHeader> {
    param_headers(&Schema::new(&schema).unwrap())
}

/// HTTP-076, HTTP-077, HTTP-078, HTTP-079, HTTP-080, HTTP-082, HTTP-083, HTTP-084
#[test]
fn header_annotations_follow_the_rules() {
    let one = |property: Value| headers(json!({ "type": "object", "properties": { "a": property } }));
    let found = headers(json!({ "type": "object", "properties": {
        "region": { "type": "string", "x-mcp-header": "Region" },
        "deep": { "type": "object", "properties": { "n": { "type": "integer", "x-mcp-header": "N" } } },
        "properties": { "type": "boolean", "x-mcp-header": "Flag" },
        "x-mcp-header": { "type": "string", "default": { "x-mcp-header": "not one" } },
    } }))
    .unwrap();
    let mut paths: Vec<_> = found.iter().map(|header| (header.name.as_str(), header.path.join("."))).collect();
    paths.sort();
    assert_eq!(paths, [("Flag", "properties".into()), ("N", "deep.n".into()), ("Region", "region".into())]);

    for name in ["", "a b", "a\r\nb", "a:b", "ä"] {
        let refused = one(json!({ "type": "string", "x-mcp-header": name }));
        assert_eq!(refused, Err(BadParamHeader::Name(name.into())));
    }
    assert_eq!(one(json!({ "type": "string", "x-mcp-header": 1 })), Err(BadParamHeader::NotText));
    for kind in
        [json!("number"), json!("object"), json!("array"), json!("null"), json!(["string", "null"]), json!(null)]
    {
        assert_eq!(one(json!({ "type": kind, "x-mcp-header": "A" })), Err(BadParamHeader::Type("A".into())));
    }
    let twice = json!({ "type": "object", "properties": {
        "a": { "type": "string", "x-mcp-header": "Same" }, "b": { "type": "string", "x-mcp-header": "sAME" },
    } });
    assert!(matches!(headers(twice), Err(BadParamHeader::Duplicate(_))));
    let inner = json!({ "type": "string", "x-mcp-header": "A" });
    for place in [
        json!({ "type": "array", "items": inner }),
        json!({ "anyOf": [inner] }),
        json!({ "oneOf": [inner] }),
        json!({ "allOf": [{ "properties": { "b": inner } }] }),
        json!({ "not": inner }),
        json!({ "if": inner }),
        json!({ "then": { "properties": { "x": inner } } }),
        json!({ "additionalProperties": inner }),
    ] {
        assert_eq!(one(place.clone()), Err(BadParamHeader::Place("A".into())), "{place}");
    }
    let behind_ref =
        json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/a" } }, "$defs": { "a": inner } });
    assert_eq!(headers(behind_ref), Err(BadParamHeader::Place("A".into())));
    assert_eq!(headers(json!({ "type": "object", "x-mcp-header": "A" })), Err(BadParamHeader::Place("A".into())));
}

/// HTTP-081, HTTP-090, HTTP-093: texts as they are if a header can carry them and they do not look encoded, numbers in decimal, truth in
/// words.
#[test]
fn header_values_are_encoded_and_compared() {
    let examples = [
        ("us-west1", "us-west1"),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
    ];
    for (text, encoded) in examples {
        assert_eq!(encode_header(text), encoded);
        assert_eq!(decode_header(encoded).unwrap(), text);
    }
    for bad in ["a\nb", "ä", "=?base64?*?=", "=?base64?/w==?="] {
        assert_eq!(decode_header(bad), None, "{bad}");
    }
    let schema = json!({ "type": "object", "properties": {
        "n": { "type": "integer", "x-mcp-header": "N" },
        "s": { "type": "string", "x-mcp-header": "S" },
        "t": { "type": "boolean", "x-mcp-header": "T" },
    } });
    let found = headers(schema).unwrap();
    let value =
        |name: &str, arguments: Value| found.iter().find(|header| header.name == name).unwrap().value(&arguments);
    for (text, encoded) in examples {
        assert_eq!(value("S", json!({ "s": text })).as_deref(), Some(encoded));
    }
    assert_eq!(value("T", json!({ "t": true })).as_deref(), Some("true"));
    assert_eq!(value("T", json!({ "t": false })).as_deref(), Some("false"));
    let header = found.iter().find(|header| header.name == "N").unwrap();
    assert_eq!(header.value(&json!({ "n": -7 })).as_deref(), Some("-7"));
    assert_eq!(header.value(&json!({ "n": 42.0 })).as_deref(), Some("42"));
    for none in [
        json!({}),
        json!({ "n": null }),
        json!({ "n": 9_007_199_254_740_993_i64 }),
        json!({ "n": i64::MIN }),
        json!({ "n": 0.5 }),
    ] {
        assert_eq!(header.value(&none), None, "{none}");
    }
    assert!(header.agrees(Some("42.0"), &json!({ "n": 42 })));
    assert!(header.agrees(Some("9007199254740993"), &json!({ "n": 9_007_199_254_740_993_i64 })));
    for near in ["9007199254740992", "9007199254740992.0", "inf", "NaN", "+42", ""] {
        assert!(!header.agrees(Some(near), &json!({ "n": 9_007_199_254_740_993_i64 })), "{near}");
    }
    assert!(header.agrees(None, &json!({ "n": null })));
    for (value, n) in [(Some("41"), json!(42)), (None, json!(42)), (Some("42"), json!(null))] {
        assert!(!header.agrees(value, &json!({ "n": n })));
    }
}

/// BASE-020, BASE-021, BASE-022
#[test]
fn results_are_read_by_their_tag() {
    let read = |text: &str, revision| Outcome::<CallToolResult>::read(text.as_bytes(), revision);
    let newest = Revision::LATEST;
    assert!(matches!(read(r#"{"content":[]}"#, newest), Ok(Outcome::Complete(_))));
    assert!(matches!(read(r#"{"resultType":"complete","content":[]}"#, newest), Ok(Outcome::Complete(_))));
    assert!(matches!(read(r#"{"content":[],"resultType":"complete"}"#, newest), Ok(Outcome::Complete(_))));
    assert!(matches!(
        read(r#"{"requestState":"s","resultType":"input_required"}"#, newest),
        Ok(Outcome::InputRequired(_))
    ));
    let unknown = read(r#"{"resultType":"later","content":[]}"#, newest).unwrap_err();
    assert_eq!(unknown.to_string(), "the result has the unknown resultType \"later\"");
    assert!(matches!(read(r#"{"resultType":"later","content":[]}"#, Revision::V2025_11_25), Ok(Outcome::Complete(_))));
    assert!(read(r#"{"content":{}}"#, newest).is_err());
}

/// XTSK-006, XTSK-015
#[test]
fn tasks_of_the_extension_are_tagged_and_carry_what_their_state_brings() {
    let handle = TaskHandle::new("t", TaskStatus::Working, "2026-01-01T00:00:00Z");
    let write = |outcome| {
        let mut out = Vec::new();
        write_result(&mut out, outcome, Revision::LATEST, None).unwrap();
        out
    };
    let created = write(Outcome::Task(Box::new(handle.clone())));
    assert_eq!(
        Outcome::<CallToolResult>::read(&created, Revision::LATEST).unwrap(),
        Outcome::Task(Box::new(handle.clone()))
    );
    let states = [
        TaskState::Working,
        TaskState::Cancelled,
        TaskState::Completed(json!({ "content": [] }).into()),
        TaskState::Failed(ErrorObject::internal("oops")),
        TaskState::InputRequired(InputRequests::from([("q".into(), ElicitParams::url("m", "https://a").into())])),
    ];
    for state in states {
        let task = DetailedTask::new(handle.clone(), state);
        let text = write(Outcome::Complete(task.clone().into()));
        assert!(text.starts_with(br#"{"resultType":"complete","taskId":"t""#));
        assert_eq!(Outcome::<DetailedTask>::read(&text, Revision::LATEST).unwrap(), Outcome::Complete(task));
    }
}

/// BASE-062: what the server adds stands beside the result's own `_meta`, and no key appears twice.
#[test]
fn the_server_names_itself_in_each_result() {
    let write = |result: AnyResult, revision| {
        let mut out = Vec::new();
        write_result(&mut out, result.into(), revision, Some(br#"{"name":"s","version":"1"}"#)).unwrap();
        String::from_utf8(out).unwrap()
    };
    const INFO: &str = r#""io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}"#;
    let plain = write(CallToolResult::text("a\"b").into(), Revision::LATEST);
    let content = r#""content":[{"type":"text","text":"a\"b"}]"#;
    assert_eq!(plain, format!(r#"{{"resultType":"complete","_meta":{{{INFO}}},{content}}}"#));
    assert_eq!(write(CallToolResult::text("a\"b").into(), Revision::V2025_11_25), format!("{{{content}}}"));
    let empty = write(EmptyResult::default().into(), Revision::LATEST);
    assert_eq!(empty, format!(r#"{{"resultType":"complete","_meta":{{{INFO}}}}}"#));
    let own = Meta::new().with("k", 1).with(key::SERVER_INFO, "other");
    let merged = write(CallToolResult::new([]).with_meta(own).into(), Revision::LATEST);
    assert_eq!(merged, format!(r#"{{"resultType":"complete","_meta":{{{INFO},"k":1}},"content":[]}}"#));
    let other = write(json!({ "x": 1, "_meta": { "k": 2 } }).into(), Revision::LATEST);
    assert_eq!(other, format!(r#"{{"resultType":"complete","_meta":{{{INFO},"k":2}},"x":1}}"#));
    let mut unnamed = Vec::new();
    let other = AnyResult::from(json!({ "_meta": { "k": 2 } }));
    write_result(&mut unnamed, other.into(), Revision::LATEST, None).unwrap();
    assert_eq!(String::from_utf8(unnamed).unwrap(), r#"{"resultType":"complete","_meta":{"k":2}}"#);
    let encoded = write(bytes::Bytes::from_static(b"{\"any\":1}").into(), Revision::LATEST);
    assert_eq!(encoded, "{\"any\":1}");
}

/// BASE-055: required members of `_meta` win over what a request says, and come first.
#[test]
fn the_client_names_itself_in_each_request() {
    let caller = CallerMeta::new(Revision::LATEST, None, &ClientCapabilities::default(), None);
    let own = Meta::new().with(key::PROGRESS_TOKEN, 7).with(key::PROTOCOL_VERSION, "1999");
    let mut out = Vec::new();
    let request = ClientRequest::CallTool(CallToolParams::new("t").with_meta(own));
    write_request(&mut out, &RequestId::from(1), request, Revision::LATEST, Some(&caller)).unwrap();
    let expected = concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"#,
        r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"#,
        r#""progressToken":7},"name":"t"}}"#,
    );
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

/// Guards stdio framing: text that is kept as it was must not bring line breaks into a line. SRV-012
#[test]
fn kept_json_has_no_line_breaks() {
    let params: CallToolParams =
        serde_json::from_str("{\"name\":\"t\",\"arguments\":{\n \"b\": \"x\\ny\",\r\n \"a\": 1}}").unwrap();
    assert_eq!(params.arguments.unwrap().get(), "{  \"b\": \"x\\ny\",   \"a\": 1}");
    assert!(serde_json::from_str::<CallToolParams>(r#"{"name":"t","arguments":[1]}"#).is_err());
    assert!(serde_json::from_str::<Tool>(r#"{"name":"t","inputSchema":null}"#).is_err());
}

#[test]
fn contents_need_text_or_blob() {
    let read = |value: Value| serde_json::from_value::<ResourceContents>(value);
    assert!(matches!(read(json!({ "blob": "", "uri": "a" })), Ok(ResourceContents::Blob(_))));
    assert!(matches!(read(json!({ "uri": "a", "text": "" })), Ok(ResourceContents::Text(_))));
    assert!(read(json!({ "uri": "a" })).unwrap_err().to_string().contains("`text` or `blob`"));
}
