//! What the envelope reader accepts, and what it answers to the rest.

use bytes::Bytes;
use proptest::prelude::*;

use super::*;
use crate::RequestId;

fn read(text: impl AsRef<[u8]>) -> Result<Message, Rejected> {
    Message::read(&Bytes::copy_from_slice(text.as_ref()), 100)
}

/// Checks that a text is refused with `code`, answered to `id` (empty: the id cannot be read).
#[track_caller]
fn refused(text: impl AsRef<[u8]>, code: i64, id: &str) {
    let shown = String::from_utf8_lossy(text.as_ref()).chars().take(100).collect::<String>();
    let rejected = match read(text) {
        Err(rejected) => rejected,
        Ok(message) => panic!("accepted {shown}: {message:?}"),
    };
    assert_eq!(rejected.error.code, code, "{shown}: {}", rejected.error.message);
    let found = rejected.about.asked().map(|id| String::from_utf8_lossy(id.as_json()).into_owned()).unwrap_or_default();
    assert_eq!(found, id, "{shown}");
}

#[track_caller]
fn request(text: &str) -> Request {
    match read(text) {
        Ok(Message::Request(request)) => request,
        other => panic!("not a request: {text}: {other:?}"),
    }
}

/// What was found of the arguments holds for their own text and no other.
#[test]
fn arguments_are_found_with_the_request() {
    let call = |arguments: &str| {
        let text = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":A,"name":"echo"}}"#;
        request(&text.replace('A', arguments)).params
    };
    let params = call(r#"{"a": [1], "\u0062": "x"}"#);
    let json = params.get_bytes("arguments").unwrap();
    let found = params.arguments(&json).unwrap();
    assert_eq!((found.get("a"), found.get("b")), (Some(&b"[1]"[..]), Some(&b"\"x\""[..])));
    assert_eq!(found.names().collect::<Vec<_>>(), ["a", "b"]);
    assert!(params.arguments(&Bytes::copy_from_slice(&json)).is_none());
    assert!(params.arguments(&json.slice(1..)).is_none());
    for other in ["[]", "null", r#"{"a": 1, "a": 2}"#] {
        let params = call(other);
        assert!(params.arguments(&params.get_bytes("arguments").unwrap()).is_none(), "{other}");
    }
}

/// BASE-003, BASE-004
#[test]
fn a_request_is_found_with_its_id_method_and_parameters() {
    let request = request(
        r#" {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"a":[1,{"b":2}]},"_meta":{"progressToken":"p"}},"extra":null} "#,
    );
    assert_eq!(request.id.as_json(), b"7");
    assert_eq!(request.method.as_str(), "tools/call");
    assert_eq!(request.params.string("name").unwrap(), "echo");
    assert_eq!(request.params.get("arguments"), Some(&br#"{"a":[1,{"b":2}]}"#[..]));
    assert_eq!(request.params.meta("progressToken"), Some(&b"\"p\""[..]));
    assert_eq!(request.params.get("missing"), None);
    assert_eq!(request.params.as_json().first(), Some(&b'{'));
}

#[test]
fn escapes_in_names_and_strings_are_understood() {
    let request = request(
        r#"{"jsonrpc":"2.0","\u0069d":"\u0061","method":"tools\/call","params":{"n\u0061me":"é\ud83d\ude00\n"}}"#,
    );
    assert_eq!(request.method, MethodName::Known(crate::Method::CallTool));
    assert_eq!(request.params.string("name").unwrap(), "é😀\n");
    assert_eq!(request.id.decode(), Some("a".into()));
}

/// BASE-015, BASE-016
#[test]
fn a_message_without_id_is_a_notification() {
    assert!(matches!(read(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), Ok(Message::Notification(_))));
}

/// BASE-008, BASE-009, BASE-010, BASE-012
#[test]
fn answers_are_read_with_exactly_one_of_result_and_error() {
    let answer = |text: &str| match read(text) {
        Ok(Message::Answer(answer)) => answer,
        other => panic!("{text}: {other:?}"),
    };
    let good = answer(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_eq!((good.id, &*good.outcome.unwrap()), (Some(1.into()), &b"{}"[..]));
    let bad = answer(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-5,"message":"no"}}"#);
    assert_eq!(bad.outcome.unwrap_err().into_error_object().code, -5);
    assert!(answer(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#).outcome.is_err());
    assert_eq!(answer(r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}"#).id, None);
}

/// T-001, BASE-003: what a second parser might read differently is refused or ignored, never guessed.
#[test]
fn parser_differentials_are_refused() {
    for text in [
        r#"{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","m\u0065thod":"b"}"#,
        r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"a"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{},"params":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"name":"x","name":"y"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"name":"x","n\u0061me":"y"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":{"k":1,"k":2}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":{"k":1,"\u006b":2}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":{},"_meta":{}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":{},"\u005fmeta":{}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","x":1,"x":2}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","error":{"code":1,"message":""}}"#,
        r#"{"jsonrpc":"2.0","id":1,"Method":"a"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method\u0000":"a"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method ":"a"}"#,
        r#"{"jsonrpc":"2.0","id":1,"METHOD":"a"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":["a"]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":1}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#,
        r#"{"jsonrpc":2.0,"id":1,"method":"a"}"#,
        r#"{"JSONRPC":"2.0","id":1,"method":"a"}"#,
        r#"{"id":1,"method":"a"}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"params":{}}"#,
    ] {
        refused(text, -32600, "1");
    }
    for text in
        [r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}"#, r#"{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"a"}"#]
    {
        assert_eq!(read(text).unwrap_err().error.code, -32600);
    }
    let harmless = request(
        r#"{"jsonrpc":"2.0","id":1,"method":"a","Method":"b","METHOD":"c","Id":5,"params":{"Name":"x","name":"y"}}"#,
    );
    assert_eq!(harmless.method.as_str(), "a");
    assert_eq!(harmless.params.string("name").unwrap(), "y");
    let many = (0..300).map(|i| format!("\"k{i}\":{i}")).collect::<Vec<_>>().join(",");
    assert!(read(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{{{many}}}}}"#)).is_ok());
    refused(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{{{many},"k7":0}}}}"#), -32600, "1");
}

/// T-002: refused in linear time on a small stack, wherever the nesting stands.
#[test]
fn nesting_bombs_are_refused_on_a_small_stack() {
    let check = || {
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
            let bomb = open.repeat(100_000) + "1" + &close.repeat(100_000);
            refused(&bomb, -32700, "");
            refused(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{{"arguments":{bomb}}}}}"#), -32700, "1");
            refused(open.repeat(100_000), -32700, "");
        }
        let inside = "[".repeat(126) + &"]".repeat(126);
        assert!(read(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{{"x":{inside}}}}}"#)).is_ok());
        let outside = "[".repeat(127) + &"]".repeat(127);
        refused(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{{"x":{outside}}}}}"#), -32700, "1");
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(check).unwrap().join().unwrap();
}

/// T-005, T-007, BASE-004, BASE-005
#[test]
fn ids_are_strings_or_integers_of_64_bits() {
    for id in ["0", "-3", "9007199254740993", "18446744073709551615", "\"\"", "\"x\\n\""] {
        assert_eq!(request(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"a"}}"#)).id.as_json(), id.as_bytes());
    }
    let digits = "9".repeat(200_000);
    for id in ["null", "1.5", "1e400000", "true", "[1]", "{}", "18446744073709551616", &digits] {
        refused(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"a"}}"#), -32600, "");
    }
}

/// T-006, STDIO-001
#[test]
fn bad_text_is_a_parse_error() {
    let cases: [&[u8]; 14] = [
        b"",
        b"   ",
        b"hello",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}",
        b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}",
        b"\xff\xfe{\x00\"\x00",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"\\ud800\"}",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"\\ud800\\u0041\"}",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"\\udc00\"}",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"a\x00b\"}",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"a\nb\"}",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"\\x41\"}",
        b"{'jsonrpc':'2.0'}",
        b"{\"jsonrpc\":\"2.0\",}",
    ];
    for text in cases {
        refused(text, -32700, "");
    }
    refused(r#"{"jsonrpc":"2.0","id":5,"method":"a","params":{"#, -32700, "5");
    refused(r#"{"jsonrpc":"2.0","id":5,"method":"a"} trailing"#, -32700, "5");
    for number in ["01", "1.", ".5", "+1", "1e", "-", "0x1", "NaN", "Infinity"] {
        refused(format!(r#"{{"jsonrpc":"2.0","id":5,"method":"a","x":{number}}}"#), -32700, "5");
    }
}

/// T-116, BASE-008: what was meant to be an answer is never taken for a request, however it is broken: the id is then one of ours.
#[test]
fn a_broken_message_is_known_for_what_it_was_meant_to_be() {
    let deep = "[".repeat(200);
    let about = |text: &str| read(text).map(|message| panic!("{message:?}")).unwrap_err().about;
    for text in [
        r#"{"id":7,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{},"x":1,"x":2}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{"a":"#,
        r#"{"jsonrpc":"2.0","id":7,"r\u0065sult":"#,
        r#"{"jsonrpc":"2.0","id":7,"error":{"code"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{}} trailing"#,
        &format!(r#"{{"jsonrpc":"2.0","id":7,"result":{deep}"#),
    ] {
        assert_eq!(about(text), About::Answer(RequestId::Integer(7)), "{text}");
        assert_eq!(about(text).asked(), None);
        assert_eq!(about(text).answered(), Some(RequestId::Integer(7)));
    }
    for text in [
        r#"{"id":7,"method":"a"}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"a"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"result":"#,
    ] {
        assert!(matches!(about(text), About::Request(id) if id.as_json() == b"7"), "{text}");
        assert_eq!(about(text).answered(), None);
    }
    for text in [
        r#"{"jsonrpc":"2.0","id":7}"#,
        r#"{"jsonrpc":"2.0","id":7,"params":{"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"a","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"a","result":{"#,
    ] {
        assert!(matches!(about(text), About::Either(id) if id.as_json() == b"7"), "{text}");
        assert_eq!(about(text).asked().map(RawId::as_json), Some(&b"7"[..]));
        assert_eq!(about(text).answered(), Some(RequestId::Integer(7)));
    }
    for text in [r#"{"id":null,"result":{}}"#, r#"{"result":{}}"#] {
        assert_eq!((about(text).asked(), about(text).answered()), (None, None), "{text}");
    }
    let error = read(r#"{"id":7,"result":{}}"#).unwrap_err().into_answer().unwrap();
    assert_eq!(error.id, Some(RequestId::Integer(7)));
    assert!(error.outcome.unwrap_err().into_error_object().message.contains("cannot be read"));
}

#[test]
fn what_is_json_but_no_message_is_an_invalid_request() {
    for text in ["1", "\"x\"", "null", "true"] {
        refused(text, -32600, "");
    }
    refused(r#"{"jsonrpc":"2.0","id":"q","method":"a","params":[1]}"#, -32602, "\"q\"");
    refused(r#"{"jsonrpc":"2.0","id":"q","method":"a","params":5}"#, -32602, "\"q\"");
    assert!(read(r#"{"jsonrpc":"2.0","id":1,"method":"a","params":null}"#).is_ok());
}

/// T-008
#[test]
fn batches_are_split_and_bounded() {
    match read(r#" [ {"a":1} , 2 ] "#) {
        Ok(Message::Batch(entries)) => assert_eq!(entries, [&b"{\"a\":1}"[..], b"2"]),
        other => panic!("{other:?}"),
    }
    refused("[]", -32600, "");
    refused(format!("[{}1]", "1,".repeat(100)), -32600, "");
    refused(format!("[{}1]", "1,".repeat(20_000)), -32600, "");
    refused("[1,]", -32700, "");
    assert!(matches!(read(format!("[{}1]", "1,".repeat(99))), Ok(Message::Batch(entries)) if entries.len() == 100));
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        ".*".prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::hash_map(".{0,6}", inner, 0..10)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    /// T-006: reading never panics, whatever the bytes.
    #[test]
    fn reading_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(bytes);
    }

    #[test]
    fn reading_damaged_messages_never_panics(value in any_json(), at in any::<prop::sample::Index>(), byte: u8) {
        let mut text = serde_json::json!({"jsonrpc":"2.0","id":1,"method":"x","params":{"v":value}}).to_string().into_bytes();
        let index = at.index(text.len());
        text[index] = byte;
        let _ = read(text);
    }

    /// The reader agrees with serde_json about what is JSON, and about each member.
    #[test]
    fn members_are_what_serde_json_finds(value in any_json(), pretty: bool) {
        let message = serde_json::json!({"jsonrpc":"2.0","id":"i","method":"x","params":{"v":value,"_meta":{"m":value}}});
        let text = if pretty { serde_json::to_string_pretty(&message).unwrap() } else { message.to_string() };
        let request = request(&text);
        prop_assert_eq!(request.params.member::<serde_json::Value>("v").unwrap(), Some(value.clone()));
        let meta: serde_json::Value = serde_json::from_slice(request.params.meta("m").unwrap()).unwrap();
        prop_assert_eq!(meta, value);
    }

    #[test]
    fn text_is_accepted_only_if_serde_json_accepts_it(text in "[\\[\\]{},:\"\\\\0-9eE.+\\- nulltruefas]{0,24}") {
        let whole = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"v":{text}}}}}"#);
        let ours = read(&whole).is_ok();
        let theirs = serde_json::from_str::<serde::de::IgnoredAny>(&whole).is_ok();
        prop_assert!(!ours || theirs, "{}", whole);
    }
}

/// What was remembered of another message changes nothing but the time it takes.
#[test]
fn a_remembered_meta_is_read_as_if_for_the_first_time() {
    let mut memo = Memo::default();
    let texts = [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":1,"b":{"c":"d"}}}}"#,
        r#"{"jsonrpc":"2.0","id":22,"method":"tools/list","params":{"cursor":"x","_meta":{"a":1,"b":{"c":"d"}},"z":0}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"ping","params":{"_meta":{"a":1,"b":{"c":"d"},"e":5}}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"ping","params":{"_meta":{"a":1,"a":2}}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"ping","params":{"_meta":{"a":1,"a":2}}}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":{"_meta":{"a":1,"b":{"c":"d"},"e":5}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":{"_meta":{"a":1,"b":{"c":"d"},"e":5}}}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":"ping","params":{"_meta":{}}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{},"_meta":{}}}"#,
    ];
    for text in texts {
        let text = Bytes::from_static(text.as_bytes());
        match (Message::read_with(&text, 1, &mut memo), Message::read(&text, 1)) {
            (Ok(Message::Request(again)), Ok(Message::Request(first))) => {
                assert_eq!((again.id, again.method), (first.id, first.method));
                for name in ["a", "b", "c", "e"] {
                    assert_eq!(again.params.meta(name), first.params.meta(name), "{text:?}");
                }
                for name in ["cursor", "_meta", "z"] {
                    assert_eq!(again.params.get(name), first.params.get(name), "{text:?}");
                }
            }
            (Err(again), Err(first)) => assert_eq!(again.error, first.error),
            (again, first) => panic!("{again:?} is not {first:?}"),
        }
    }
}

/// What is remembered of one answer changes nothing about the next, whatever that says.
#[test]
fn results_are_the_same_with_and_without_a_memo() {
    let texts = [
        r#"{"_meta":{"a":{"b":1}},"content":[]}"#,
        r#"{"_meta":{"a":{"b":1}},"content":[]}"#,
        r#"{"_meta":{"a":{"b":1}} ,"more":{"_meta":{}}}"#,
        r#"{"_meta":{"a":{"b":10}}}"#,
        r#"{"_meta":{},"_meta":{"a":1}}"#,
        r#"{"_meta":[],"x":"_meta"}"#,
        r#"{"\u005fmeta":{"a":{"b":10}}}"#,
        "[1]",
    ];
    let mut memo = Memo::default();
    for text in texts.iter().chain(&texts) {
        let message = Bytes::from(format!(r#"{{"jsonrpc":"2.0","id":1,"result":{text}}}"#));
        let result = |memo: &mut Memo| match Message::read_with(&message, 1, memo) {
            Ok(Message::Answer(answer)) => answer.outcome.unwrap(),
            other => panic!("{text}: {other:?}"),
        };
        let (remembered, fresh) = (result(&mut memo), result(&mut Memo::default()));
        for name in ["_meta", "content", "more", "x", "a"] {
            assert_eq!(remembered.get(name), fresh.get(name), "{name} of {text}");
        }
        assert_eq!(&*remembered, text.as_bytes());
        assert_eq!(remembered.meta(), fresh.meta(), "{text}");
        assert_eq!(remembered.into_bytes(), text.as_bytes());
    }
}

/// How a peer writes its messages: requests or answers, spaces, and the order of members.
type Hand = (bool, bool, usize);

/// A message of one hand, with values that may be wrong, and with more members than it should have.
fn message_of((asks, spaced, turn): Hand) -> impl Strategy<Value = String> {
    let id = prop_oneof!["[0-9]{1,2}", Just(r#""\"""#.to_owned()), Just("1.5".to_owned()), Just("{}".to_owned())];
    let value = prop::sample::select(vec![
        "{}",
        r#"{"name":"x","arguments":{"a":[1]}}"#,
        r#"{"name":"y","_meta":{"k":1}}"#,
        r#"{"name":1,"name":2}"#,
        r#"{"_meta":{"k":2}} "#,
        "[]",
        "nul",
    ]);
    let method = prop::sample::select(vec!["ping", "ping", "tools/call", "x/y"]);
    let more = prop::sample::select(vec!["", "", "", r#""more":1"#, r#""id":2"#, r#""error":{}"#, "}"]);
    (id, value, method, more).prop_map(move |(id, value, method, more)| {
        let mut members = vec![r#""jsonrpc":"2.0""#.to_owned(), format!(r#""id":{id}"#)];
        match asks {
            true => members.extend([format!(r#""method":"{method}""#), format!(r#""params":{value}"#)]),
            false => members.push(format!(r#""result":{value}"#)),
        }
        let length = members.len();
        members.rotate_left(turn % length);
        members.extend(Some(more.to_owned()).filter(|more| !more.is_empty()));
        format!("{{{}}}", members.join(if spaced { ", " } else { "," }))
    })
}

proptest! {
    /// What is remembered of messages changes nothing about what the next one means, whatever stands in it.
    #[test]
    fn messages_are_the_same_with_and_without_a_memo(
        texts in (any::<bool>(), any::<bool>(), 0..4usize).prop_flat_map(|hand| prop::collection::vec(message_of(hand), 1..16))
    ) {
        let mut memo = Memo::default();
        for text in texts {
            let text = Bytes::from(text);
            let (again, fresh) = (Message::read_with(&text, 1, &mut memo), Message::read(&text, 1));
            prop_assert_eq!(format!("{again:?}"), format!("{fresh:?}"));
        }
    }
}

/// A message that is like the one before is read by its outline, in whichever order its members stand.
#[test]
fn the_outline_of_a_message_is_remembered() {
    for (first, second) in [
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":"b","method":"ping","params":{"_meta":{}}}"#,
        ),
        (
            r#"{"method":"ping","params":{"a":1},"jsonrpc":"2.0","id":1}"#,
            r#"{"method":"ping","params":{},"jsonrpc":"2.0","id":22}"#,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, r#"{"jsonrpc":"2.0","id":2,"result":[]}"#),
    ] {
        let [first, second] = [first, second].map(|text| Bytes::from_static(text.as_bytes()));
        let mut memo = Memo::default();
        let lexer = || Lexer::new(&second).unwrap();
        assert!(memo.outline.read(&second, lexer(), &mut memo.meta).is_none());
        Message::read_with(&first, 1, &mut memo).unwrap();
        let read = memo.outline.read(&second, lexer(), &mut memo.meta).unwrap();
        assert_eq!(format!("{read:?}"), format!("{:?}", Message::read(&second, 1).unwrap()));
    }
}
