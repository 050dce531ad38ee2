//! The twenty messages that the OGC building block gives as examples: JSON, and the graph it says they are.

use jackfield_rdf::{Decoder, Encoder, Options, Profile, Syntax, decode};
use serde_json::Value;

use crate::graph::{canonical, read};

const PREFIX: &str = "@prefix mcp: <http://modelcontextprotocol.io/ontology#> .\n";

/// Converts a message in the plain profile to every syntax, compares the graphs, and reads the message back.
#[track_caller]
fn check(json: &str, turtle: &str) {
    let message: Value = serde_json::from_str(json).unwrap();
    let expected = canonical(read(&format!("{PREFIX}{turtle}"), Syntax::Turtle));
    for syntax in [Syntax::Turtle, Syntax::NTriples, Syntax::NQuads, Syntax::JsonLd, Syntax::Expanded] {
        let options = Options { profile: Profile::Plain, ..Options::default() };
        let text = Encoder::new(syntax, options).document(json.as_bytes()).unwrap();
        assert_eq!(canonical(read(&text, syntax)), expected, "{syntax}: {text}");
        let back = Decoder::new(syntax).plain().messages(text.as_bytes()).unwrap();
        assert_eq!(back, std::slice::from_ref(&message), "{syntax}");
        let text = Encoder::new(syntax, Options::default()).document(json.as_bytes()).unwrap();
        assert_eq!(decode(text.as_bytes(), syntax).unwrap(), std::slice::from_ref(&message), "{syntax}");
    }
}

#[track_caller]
fn request(id: &str, method: &str, params: &str, turtle: &str) {
    check(
        &format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"{method}","params":{params}}}"#),
        &format!(r#"[] mcp:jsonrpc "2.0"; mcp:id "{id}"; mcp:method "{method}"; mcp:params {turtle} ."#),
    );
}

#[track_caller]
fn notification(method: &str, params: &str, turtle: &str) {
    check(
        &format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#),
        &format!(r#"[] mcp:jsonrpc "2.0"; mcp:method "{method}"; mcp:params {turtle} ."#),
    );
}

#[track_caller]
fn bare_notification(method: &str) {
    check(
        &format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#),
        &format!(r#"[] mcp:jsonrpc "2.0"; mcp:method "{method}" ."#),
    );
}

#[test]
fn the_handshake_is_the_graph_of_the_building_block() {
    request(
        "1",
        "initialize",
        r#"{"protocolVersion":"2024-11-05",
            "capabilities":{"tools":{},"resources":{},"prompts":{},"logging":{}},
            "clientInfo":{"name":"example-client","version":"1.0.0"}}"#,
        r#"[ mcp:protocolVersion "2024-11-05";
             mcp:capabilities [ mcp:tools []; mcp:resources []; mcp:prompts []; mcp:logging [] ];
             mcp:clientInfo [ mcp:name "example-client"; mcp:version "1.0.0" ] ]"#,
    );
    bare_notification("notifications/initialized");
}

#[test]
fn lists_are_the_graphs_of_the_building_block() {
    for (id, method) in [("2", "tools/list"), ("4", "resources/list"), ("8", "prompts/list"), ("13", "roots/list")] {
        request(id, method, "{}", "[]");
    }
    for kind in ["resources", "tools", "prompts"] {
        bare_notification(&format!("notifications/{kind}/list_changed"));
    }
}

#[test]
fn calls_are_the_graphs_of_the_building_block() {
    request(
        "3",
        "tools/call",
        r#"{"name":"get_weather","arguments":{"location":"San Francisco","units":"celsius"}}"#,
        r#"[ mcp:name "get_weather"; mcp:arguments [ mcp:location "San Francisco"; mcp:units "celsius" ] ]"#,
    );
    request(
        "9",
        "prompts/get",
        r#"{"name":"code_review","arguments":{"language":"python","complexity":"high"}}"#,
        r#"[ mcp:name "code_review"; mcp:arguments [ mcp:language "python"; mcp:complexity "high" ] ]"#,
    );
    request("10", "logging/setLevel", r#"{"level":"info"}"#, r#"[ mcp:level "info" ]"#);
    request(
        "11",
        "completion/complete",
        r#"{"ref":{"type":"ref/resource","uri":"file:///path/to/file.py"},
            "argument":{"name":"query","value":"def calculate_"}}"#,
        r#"[ mcp:ref [ mcp:type "ref/resource"; mcp:uri "file:///path/to/file.py" ];
             mcp:argument [ mcp:name "query"; mcp:value "def calculate_" ] ]"#,
    );
}

#[test]
fn resources_are_the_graphs_of_the_building_block() {
    let about = |uri: &str| (format!(r#"{{"uri":"{uri}"}}"#), format!(r#"[ mcp:uri "{uri}" ]"#));
    let (params, turtle) = about("file:///path/to/document.txt");
    request("5", "resources/read", &params, &turtle);
    notification("notifications/resources/updated", &params, &turtle);
    let (params, turtle) = about("file:///path/to/watched/directory");
    request("6", "resources/subscribe", &params, &turtle);
    request("7", "resources/unsubscribe", &params, &turtle);
}

#[test]
fn notices_about_requests_are_the_graphs_of_the_building_block() {
    notification(
        "notifications/cancelled",
        r#"{"requestId":"3","reason":"User requested cancellation"}"#,
        r#"[ mcp:requestId "3"; mcp:reason "User requested cancellation" ]"#,
    );
    notification(
        "notifications/progress",
        r#"{"progressToken":"upload_123","progress":75,"total":100}"#,
        r#"[ mcp:progressToken "upload_123"; mcp:progress 75; mcp:total 100 ]"#,
    );
}

#[test]
fn sampling_is_the_graph_of_the_building_block() {
    request(
        "12",
        "sampling/createMessage",
        r#"{"messages":[{"role":"user","content":{"type":"text","text":"What's the weather like today?"}}],
            "modelPreferences":{"hints":[{"name":"claude-3-sonnet"}],
                "costPriority":0.5,"speedPriority":0.8,"intelligencePriority":0.9},
            "systemPrompt":"You are a helpful weather assistant.","includeContext":"thisServer",
            "temperature":0.7,"maxTokens":1000}"#,
        r#"[ mcp:messages [ mcp:role "user";
                            mcp:content [ mcp:type "text"; mcp:text "What's the weather like today?" ] ];
             mcp:modelPreferences [ mcp:hints [ mcp:name "claude-3-sonnet" ];
                            mcp:costPriority 5e-01; mcp:speedPriority 8e-01; mcp:intelligencePriority 9e-01 ];
             mcp:systemPrompt "You are a helpful weather assistant."; mcp:includeContext "thisServer";
             mcp:temperature 7e-01; mcp:maxTokens 1000 ]"#,
    );
}

/// Sampling with lists, as it is by default: the order of messages and hints is kept.
#[test]
fn arrays_are_lists_by_default() {
    let json = br#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"messages":[{"a":1},2,[true,null],[]]}}"#;
    let text = Encoder::new(Syntax::NQuads, Options::default()).document(json).unwrap();
    let expected = format!(
        "{PREFIX}@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
        [] mcp:jsonrpc \"2.0\"; mcp:id 1; mcp:method \"m\";
           mcp:params [ mcp:messages ( [ mcp:a 1 ] 2 ( true \"null\"^^rdf:JSON ) () ) ] ."
    );
    assert_eq!(canonical(read(&text, Syntax::NQuads)), canonical(read(&expected, Syntax::Turtle)));
}
