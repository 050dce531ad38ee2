//! Tapes as datasets: questions in SPARQL.

use jackfield_rdf::{Error, Profile, Syntax, TapeConverter, TapeReport, decode};
use oxigraph::io::RdfFormat;
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store;

const TAPE: &str = include_str!("../data/calls.tape");
const QUERIES: [&str; 5] = [
    include_str!("../../examples/queries/failed_calls.rq"),
    include_str!("../../examples/queries/failed_after_question.rq"),
    include_str!("../../examples/queries/slowest_requests.rq"),
    include_str!("../../examples/queries/unanswered_requests.rq"),
    include_str!("../../examples/queries/messages_by_session.rq"),
];

fn dataset(tape: &str, profile: Profile) -> (String, TapeReport, Vec<String>) {
    let mut converter = TapeConverter::new("urn:example:tape").unwrap();
    converter.profile = profile;
    let (mut out, mut bad) = (Vec::new(), Vec::new());
    let report = converter.run(tape.as_bytes(), &mut out, &mut |problem| bad.push(problem.to_owned())).unwrap();
    (String::from_utf8(out).unwrap(), report, bad)
}

/// The rows of a query, each value as text.
fn ask(store: &Store, query: &str) -> Vec<Vec<String>> {
    let prepared = SparqlEvaluator::new().parse_query(query).unwrap();
    let QueryResults::Solutions(rows) = prepared.on_store(store).execute().unwrap() else { panic!("no rows") };
    let show = |term: &oxigraph::model::Term| match term {
        oxigraph::model::Term::Literal(literal) => literal.value().to_owned(),
        other => other.to_string(),
    };
    rows.map(|row| row.unwrap().values().iter().map(|value| value.as_ref().map(show).unwrap_or_default()).collect())
        .collect()
}

#[test]
fn five_questions_are_answered() {
    for profile in [Profile::Plain, Profile::Lossless, Profile::Json] {
        let (text, report, bad) = dataset(TAPE, profile);
        assert_eq!((report.messages, report.bad, report.missed), (15, 0, 2), "{bad:?}");
        let store = Store::new().unwrap();
        store.load_from_slice(RdfFormat::NQuads, text.as_bytes()).unwrap();
        let answers = QUERIES.map(|query| ask(&store, query));
        let expected: [&[&[&str]]; 5] = [
            // The calls that failed, by an error or by a result that says so.
            &[&["book_table", "no table is free"], &["get_weather", "Unknown place"]],
            // Of these the one that failed after the person was asked something.
            &[&["book_table", "For how many people?", "accept"]],
            &[
                &["tools/call", "book_table", "PT2.5S"],
                &["elicitation/create", "", "PT2S"],
                &["tools/call", "get_weather", "PT0.25S"],
            ],
            &[&["tools/call", "get_forecast"]],
            &[
                &["<urn:example:tape#session/1/1>", "11"],
                &["<urn:example:tape#session/1/2>", "2"],
                &["<urn:example:tape#session/2/1>", "2"],
            ],
        ];
        for (answer, expected) in answers.iter().zip(expected) {
            assert_eq!(answer, expected, "{profile:?}");
        }
    }
}

/// Each graph is a message, byte for byte.
#[test]
fn every_message_can_be_taken_out_again() {
    let (text, report, _) = dataset(TAPE, Profile::Lossless);
    let in_graphs: String = text
        .lines()
        .filter(|line| line.contains("#message/") && line.starts_with("_:"))
        .map(|line| format!("{line}\n"))
        .collect();
    let messages = decode(in_graphs.as_bytes(), Syntax::NQuads).unwrap();
    assert_eq!(messages.len() as u64, report.messages);
    let sent: Vec<serde_json::Value> = TAPE
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap().get("message").cloned())
        .flat_map(|message| if let serde_json::Value::Array(batch) = message { batch } else { vec![message] })
        .collect();
    assert_eq!(messages, sent);
}

#[test]
fn what_is_no_message_is_reported_and_the_rest_goes_on() {
    let begin = r#"{"tape":1,"at":"2026-07-28T12:00:00.000Z"}"#;
    let ping = r#"{"ms":1.5,"from":"client","over":"stdio","session":"a b","message":{"jsonrpc":"2.0","id":1,"method":"ping"}}"#;
    let text = r#"{"ms":2,"from":"client","over":"stdio","text":"hello"}"#;
    let number = r#"{"ms":3,"from":"client","over":"stdio","message":17}"#;
    let head = r#"{"ms":4,"from":"server","over":"http","status":202}"#;
    let (out, report, bad) = dataset(&[begin, text, number, "broken", head, ping].join("\n"), Profile::Lossless);
    assert_eq!((report.messages, report.bad, bad.len()), (1, 3, 3), "{bad:?}");
    assert!(out.contains("\"2026-07-28T12:00:00.001500Z\"^^<http://www.w3.org/2001/XMLSchema#dateTime>"), "{out}");
    assert!(out.contains("<urn:example:tape#session/1/a%20b>"), "{out}");

    let converter = TapeConverter::new("urn:example:tape").unwrap();
    let outcome = converter.run(&b"no tape"[..], &mut Vec::new(), &mut |_| {});
    assert!(matches!(outcome, Err(Error::Tape(_))));
    assert!(TapeConverter::new("no iri").is_err() && TapeConverter::new("urn:a#b").is_err());
}
