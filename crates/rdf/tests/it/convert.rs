//! Streams: any length, bad lines told and left behind.

use std::io::Read;

use jackfield_protocol::Revision;
use jackfield_rdf::{Converter, Error, Event, Options, Profile, Report, Syntax};
use serde_json::Value;

use crate::generate::{Dice, message};

struct Converted {
    out: String,
    bad: Vec<u64>,
    report: Report,
}

fn convert(converter: &Converter, input: &[u8]) -> Result<Converted, Error> {
    let (mut out, mut bad) = (Vec::new(), Vec::new());
    let report = converter.run(input, &mut out, |event| {
        if let Event::Bad { line, .. } = event {
            bad.push(line);
        }
    })?;
    Ok(Converted { out: String::from_utf8(out).unwrap(), bad, report })
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_stream_of_all_revisions_goes_there_and_back() {
    let mut dice = Dice(11);
    let mut input = Vec::new();
    for _ in 0..40 {
        for revision in Revision::ALL {
            input.extend(message(&mut dice, revision).map(|wire| wire.json).unwrap_or_default());
            input.push(b'\n');
        }
    }
    let expected: Vec<Value> =
        input.split(|b| *b == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    for syntax in Syntax::ALL {
        for (profile, graphs) in [(Profile::Lossless, None), (Profile::Json, Some("urn:example:".to_owned()))] {
            let mut there = Converter::new(Syntax::Json, syntax);
            there.options = Options { profile, graphs, ..Options::default() };
            let middle = convert(&there, &input).unwrap();
            assert_eq!((middle.report.messages, middle.report.bad), (expected.len() as u64, 0));
            assert_eq!(middle.report.bytes, input.len() as u64);
            let back = convert(&Converter::new(syntax, Syntax::Json), middle.out.as_bytes()).unwrap();
            assert_eq!(lines(&back.out), expected, "{syntax}");
        }
    }
}

#[test]
fn bad_lines_are_told_by_their_number_and_do_not_stop_the_rest() {
    let input = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\nnonsense\n\n{\"jsonrpc\":\"2.0\",\"met\n17\n[1]\n{\"jsonrpc\":\"2.0\",\"method\":\"b\"}";
    let mut converter = Converter::new(Syntax::Json, Syntax::NTriples);
    let done = convert(&converter, input).unwrap();
    assert_eq!(done.bad, [2, 4, 5, 6]);
    assert_eq!((done.report.messages, done.report.bad), (2, 4));
    assert_eq!(done.out.lines().count(), 4);

    converter.strict = true;
    let error = convert(&converter, input).map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::Strict { line: 2, .. }), "{error}");
}

#[test]
fn one_document_may_be_pretty_or_a_batch() {
    let message =
        "{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"a\",\n  \"params\": {\n    \"x\": [\n      {}\n    ]\n  }\n}";
    let one = convert(&Converter::new(Syntax::Json, Syntax::Turtle), message.as_bytes()).unwrap();
    assert_eq!((one.report.messages, one.bad), (1, vec![]));
    let batch = format!("[\n{message},\n{message}\n]\n");
    let two = convert(&Converter::new(Syntax::Json, Syntax::Turtle), batch.as_bytes()).unwrap();
    assert_eq!(two.report.messages, 2);
    let back = convert(&Converter::new(Syntax::Turtle, Syntax::Json), two.out.as_bytes()).unwrap();
    let message: Value = serde_json::from_str(message).unwrap();
    assert_eq!(lines(&back.out), [message.clone(), message]);
}

#[test]
fn a_plain_graph_gets_its_arrays_back() {
    let input = concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"result":{"content":[]}}"#,
        "\n",
    );
    let mut converter = Converter::new(Syntax::Json, Syntax::NQuads);
    converter.options.profile = Profile::Plain;
    let middle = convert(&converter, input.as_bytes()).unwrap();
    (converter.from, converter.to) = (Syntax::NQuads, Syntax::Json);
    assert_eq!(lines(&convert(&converter, middle.out.as_bytes()).unwrap().out), lines(input));
}

/// Statements that another program has sorted are still read, as a whole.
#[test]
fn statements_in_any_order_are_read() {
    let input =
        "{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{\"x\":[1,2]}}\n{\"jsonrpc\":\"2.0\",\"method\":\"b\"}\n";
    let middle = convert(&Converter::new(Syntax::Json, Syntax::NTriples), input.as_bytes()).unwrap();
    let mut sorted: Vec<String> = middle.out.lines().map(|line| line.replace("_:m", "_:x")).collect();
    sorted.sort_by_key(|line| std::cmp::Reverse(line.clone()));
    let back = convert(&Converter::new(Syntax::NTriples, Syntax::Json), sorted.join("\n").as_bytes()).unwrap();
    let mut found = lines(&back.out);
    found.sort_by_key(Value::to_string);
    assert_eq!(found, lines(input));
}

/// What is sorted by line, as `sort` does, is still whole; what is shuffled is refused rather than torn apart.
#[test]
fn statements_of_ours_may_be_sorted_but_not_shuffled() {
    let input: String = (1..=12).map(|n| format!("{{\"jsonrpc\":\"2.0\",\"method\":\"m{n}\"}}\n")).collect();
    let middle = convert(&Converter::new(Syntax::Json, Syntax::NQuads), input.as_bytes()).unwrap();
    let mut statements: Vec<&str> = middle.out.lines().collect();
    statements.sort_unstable();
    let back = convert(&Converter::new(Syntax::NQuads, Syntax::Json), statements.join("\n").as_bytes()).unwrap();
    assert_eq!(back.report.messages, 12);
    let shuffled = [middle.out.lines().step_by(2).collect::<Vec<_>>(), middle.out.lines().skip(1).step_by(2).collect()];
    let outcome = convert(&Converter::new(Syntax::NQuads, Syntax::Json), shuffled.concat().join("\n").as_bytes());
    assert!(matches!(outcome, Err(Error::Unordered { line: 13 })));
}

/// An endless reader of one and the same line.
struct Repeated {
    line: &'static [u8],
    at: usize,
    left: usize,
}

impl Read for Repeated {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let rest = &self.line[self.at..];
        let count = rest.len().min(buffer.len()).min(self.left);
        buffer[..count].copy_from_slice(&rest[..count]);
        self.at = (self.at + count) % self.line.len();
        self.left -= count;
        Ok(count)
    }
}

/// The writer sees what was made of the first lines long before the last one is read.
#[test]
fn a_stream_is_not_collected() {
    let line = include_bytes!("../data/call.json");
    let input = Repeated { line, at: 0, left: line.len() * 20_000 };
    let mut largest = 0;
    struct Sink<'a>(&'a mut usize);
    impl std::io::Write for Sink<'_> {
        fn write(&mut self, text: &[u8]) -> std::io::Result<usize> {
            *self.0 = (*self.0).max(text.len());
            Ok(text.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut notices = 0;
    let report = Converter::new(Syntax::Json, Syntax::NQuads)
        .run(input, Sink(&mut largest), |event| notices += u32::from(matches!(event, Event::Progress(_))))
        .unwrap();
    assert_eq!(report.messages, 20_000);
    assert!(largest < 128 * 1024, "{largest}");
    assert!(notices >= 19, "{notices}");
}

#[test]
fn a_message_that_is_too_long_is_left_out() {
    let mut converter = Converter::new(Syntax::Json, Syntax::NQuads);
    converter.max_message = 40;
    let done = convert(
        &converter,
        b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"aaaaaaaaaaaaaaaaaaaaaaa\"}\n",
    )
    .unwrap();
    assert_eq!((done.report.messages, done.bad), (1, vec![2]));
}
