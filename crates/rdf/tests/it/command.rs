//! What the command does, without the command.

use jackfield_protocol::Revision;
use jackfield_rdf::cli::{
    self, CatalogueArgs, ConvertArgs, Format, OntologyArgs, OntologyFormat, SchemaArgs, ShapesArgs, Subject,
    ValidateArgs,
};
use jackfield_rdf::{Profile, Syntax};

fn args(files: &[&str], to: Syntax) -> ConvertArgs {
    ConvertArgs {
        files: files.iter().map(Into::into).collect(),
        from: Syntax::Json,
        to,
        profile: Profile::Lossless,
        inline_context: false,
        context: None,
        graphs: None,
        strict: false,
    }
}

#[test]
fn convert_reads_files_and_standard_input_as_one() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/call.json");
    let (mut out, mut log) = (Vec::new(), Vec::new());
    let mut input: &[u8] = b"bad\n{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n";
    let report = cli::convert(&args(&[file, "-"], Syntax::NQuads), &mut input, &mut out, &mut log, true).unwrap();
    assert_eq!((report.messages, report.bad), (2, 1));
    let (out, log) = (String::from_utf8(out).unwrap(), String::from_utf8(log).unwrap());
    // The blank nodes of the second input are others than those of the first.
    assert!(out.contains("_:m1n1 ") && out.contains("_:m2n1 "), "{out}");
    assert!(log.contains("-:1: not JSON: expected value"), "{log}");
    assert!(log.contains("messages"), "{log}");
    assert!(
        cli::convert(&args(&["no such file"], Syntax::NQuads), &mut input, &mut Vec::new(), &mut Vec::new(), false)
            .is_err()
    );
}

#[test]
fn documents_are_written() {
    let written = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    };
    for revision in Revision::ALL {
        let args = SchemaArgs {
            revision,
            profile: Profile::Lossless,
            format: Format::Json,
            complete: false,
            published: false,
        };
        let text = written(&|out| cli::schema(&args, out).unwrap());
        assert!(text.contains("x-jsonld-id") && text.contains("CallToolRequest"));
    }
    assert!(written(&|out| cli::context(out).unwrap()).contains("@vocab"));
    let ontology = |format| written(&|out| cli::ontology(&OntologyArgs { format }, out).unwrap());
    assert!(ontology(OntologyFormat::Turtle).contains("mcp:Tool a owl:Class"));
    assert!(ontology(OntologyFormat::Markdown).contains("| `mcp:Tool` |"));
    let args = SchemaArgs {
        revision: Revision::V2025_06_18,
        profile: Profile::Plain,
        format: Format::Yaml,
        complete: false,
        published: false,
    };
    let text = written(&|out| cli::schema(&args, out).unwrap());
    assert!(
        text.contains("\"$schema\": \"http://json-schema.org/draft-07/schema#\"\n")
            && text.contains("\ndefinitions:\n  Annotations:\n")
    );
    let args = ShapesArgs { revision: Revision::LATEST, profile: Profile::Plain };
    assert!(written(&|out| cli::shapes(&args, out).unwrap()).contains("shape:CallToolRequest a sh:NodeShape"));
}

#[test]
fn violations_are_written_for_people_and_for_programs() {
    let mut args = ValidateArgs {
        files: Vec::new(),
        from: Syntax::Json,
        revision: Revision::LATEST_WITH_HANDSHAKE,
        profile: Profile::Lossless,
        shapes: None,
        json: false,
    };
    let input = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":{}}}"#;
    let mut out = Vec::new();
    let found = cli::validate(&args, &mut &input[..], &mut out).unwrap();
    assert_eq!((found.messages, found.violations.len()), (1, 1));
    let text = String::from_utf8(out).unwrap();
    assert!(
        text.starts_with("-: message 1 (tools/call, id 7): a message with the method tools/call is a CallToolRequest"),
        "{text}"
    );
    assert!(
        text.contains("\n    name of CallToolRequestParams: the name of the tool; sh:minCount is broken"),
        "{text}"
    );

    args.json = true;
    let mut out = Vec::new();
    cli::validate(&args, &mut &input[..], &mut out).unwrap();
    let line: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!((&line["message"], &line["method"], &line["rule"]), (&1.into(), &"tools/call".into(), &"sh:or".into()));
    assert_eq!(line["details"][0]["path"], "name");
}

#[test]
fn a_catalogue_is_named_after_its_target() {
    let words = ["npx", "-y", "a server"].map(str::to_owned);
    for (subject, iri, expected) in [
        (Subject::Url("https://example.com/mcp"), None, "https://example.com/mcp"),
        (Subject::Command(&words), None, "urn:mcp:command:npx+-y+a%20server"),
        (Subject::Command(&words), Some("urn:example:x"), "urn:example:x"),
    ] {
        let args = CatalogueArgs { to: Syntax::NTriples, iri: iri.map(str::to_owned) };
        let catalogue = args.begin(subject).unwrap();
        assert_eq!(catalogue.iri, expected);
        let mut out = Vec::new();
        cli::catalogue(&args, &catalogue, &mut out).unwrap();
        assert!(String::from_utf8(out).unwrap().starts_with(&format!("<{expected}> ")));
    }
}

#[cfg(feature = "cli")]
#[test]
fn arguments_are_read_from_a_command_line() {
    use clap::{Args, Command, FromArgMatches, Subcommand};
    let command = ConvertArgs::augment_args(Command::new("convert"));
    let words = ["convert", "--to", "nquads", "--profile", "plain", "--graphs", "urn:x:", "--strict", "a.json", "-"];
    let args = ConvertArgs::from_arg_matches(&command.get_matches_from(words)).unwrap();
    assert_eq!((args.from, args.to, args.profile), (Syntax::Json, Syntax::NQuads, Profile::Plain));
    assert_eq!((args.files.len(), args.graphs.as_deref(), args.strict), (2, Some("urn:x:"), true));

    let command = SchemaArgs::augment_args(Command::new("schema"));
    let args = SchemaArgs::from_arg_matches(&command.get_matches_from(["schema", "--revision", "2025-06-18"])).unwrap();
    assert_eq!(args.revision.as_str(), "2025-06-18");

    let command = cli::Command::augment_subcommands(Command::new("rdf"));
    let matches = command.get_matches_from(["rdf", "schema", "--profile", "plain"]);
    let Ok(cli::Command::Schema(args)) = cli::Command::from_arg_matches(&matches) else { panic!("{matches:?}") };
    assert_eq!(args.profile, Profile::Plain);

    let command = CatalogueArgs::augment_args(Command::new("catalogue"));
    let args = CatalogueArgs::from_arg_matches(&command.get_matches_from(["catalogue", "--to", "jsonld"])).unwrap();
    assert_eq!((args.to, args.iri), (Syntax::JsonLd, None));
}
