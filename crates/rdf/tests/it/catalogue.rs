//! A server's catalogue in a triple store, and questions to it.

use jackfield_protocol::{
    Annotations, Implementation, Prompt, PromptArgument, Resource, ResourceTemplate, Revision, Role, Schema, Tool,
    ToolAnnotations,
};
use jackfield_rdf::{Catalogue, Syntax};
use oxigraph::io::RdfFormat;
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store;
use serde_json::json;

use crate::graph::{canonical, read};

fn tool(name: &str, schema: &serde_json::Value, annotations: ToolAnnotations) -> Tool {
    Tool::new(name, Schema::new(schema).unwrap())
        .with_annotations(annotations)
        .with_description(format!("Does {name}."))
}

fn weather() -> Catalogue {
    let mut catalogue = Catalogue::new("https://example.com/mcp").unwrap();
    catalogue.server_info = Some(Implementation::new("weather", "1.2.3").with_title("Weather"));
    catalogue.revision = Some(Revision::LATEST);
    catalogue.instructions = Some("Ask for a place.".to_owned());
    let place = json!({ "type": "string", "description": "Where." });
    catalogue.tools = vec![
        tool(
            "forecast",
            &json!({ "type": "object", "properties": { "location": place, "days": { "type": ["integer", "null"] } },
                     "required": ["location"] }),
            ToolAnnotations::default().with_read_only(true),
        ),
        tool(
            "report storm",
            &json!({ "type": "object", "properties": { "location": place, "force": { "type": "number" } },
                     "required": ["force", "location"] }),
            ToolAnnotations::default().with_read_only(false).with_destructive(false),
        ),
        tool("reset", &json!({ "type": "object" }), ToolAnnotations::default().with_destructive(true)),
        tool("stations", &json!({ "type": "object" }), ToolAnnotations::default().with_read_only(true))
            .with_output_schema(
                Schema::new(&json!({ "type": "object", "properties": { "n": { "minimum": 1.0 } } })).unwrap(),
            ),
    ];
    catalogue.resources = vec![
        Resource::new("file:///map.png", "map").with_mime_type("image/png").with_size(1000_u64),
        Resource::new("file:///a b.txt", "notes")
            .with_mime_type("text/plain")
            .with_annotations(Annotations::default().with_audience(vec![Role::User, Role::Assistant])),
    ];
    catalogue.resource_templates = vec![ResourceTemplate::new("weather://{city}", "city")];
    catalogue.prompts = vec![Prompt::new("plan").with_arguments(vec![
        PromptArgument::new("city").with_required(true),
        PromptArgument::new("style").with_required(false),
    ])];
    catalogue
}

/// Asks a question whose answers are single values, and returns them in order.
fn ask(question: &str) -> Vec<String> {
    let store = Store::new().unwrap();
    store.load_from_slice(RdfFormat::Turtle, &weather().write(Syntax::Turtle).unwrap()).unwrap();
    let question = format!("PREFIX mcp: <http://modelcontextprotocol.io/ontology#> {question}");
    let query = SparqlEvaluator::new().parse_query(&question).unwrap();
    let QueryResults::Solutions(solutions) = query.on_store(&store).execute().unwrap() else { panic!("not a SELECT") };
    let mut found: Vec<String> = solutions
        .map(|solution| match solution.unwrap().get(0).unwrap() {
            oxigraph::model::Term::Literal(literal) => literal.value().to_owned(),
            other => other.to_string(),
        })
        .collect();
    found.sort();
    found
}

#[test]
fn which_tools_are_read_only() {
    let found = ask("SELECT ?name { ?tool a mcp:Tool ; mcp:name ?name ; mcp:annotations/mcp:readOnlyHint true }");
    assert_eq!(found, ["forecast", "stations"]);
}

#[test]
fn which_tools_take_a_parameter_named_location() {
    let found = ask("SELECT ?name { ?tool mcp:name ?name ; mcp:parameter/mcp:name 'location' }");
    assert_eq!(found, ["forecast", "report storm"]);
}

#[test]
fn which_parameters_of_a_tool_are_required_numbers() {
    let found = ask("SELECT ?name { <https://example.com/mcp#tool/report%20storm> mcp:parameter ?parameter .
        ?parameter mcp:name ?name ; mcp:type 'number' ; mcp:required true }");
    assert_eq!(found, ["force"]);
}

#[test]
fn which_resources_are_images_or_for_the_user() {
    let found = ask("SELECT ?uri { <https://example.com/mcp> mcp:offersResource ?resource . ?resource mcp:uri ?uri .
        { ?resource mcp:mimeType ?type FILTER(STRSTARTS(?type, 'image/')) } UNION
        { ?resource mcp:annotations/mcp:audience 'user' } }");
    assert_eq!(found, ["file:///a b.txt", "file:///map.png"]);
}

#[test]
fn how_many_arguments_does_each_prompt_require() {
    let found = ask("SELECT (CONCAT(?name, ' ', STR(COUNT(?argument))) AS ?line) {
        ?server mcp:serverInfo/mcp:name 'weather' ; mcp:offersPrompt ?prompt .
        ?prompt mcp:name ?name ; mcp:arguments ?argument . ?argument mcp:required true } GROUP BY ?name");
    assert_eq!(found, ["plan 1"]);
}

#[test]
fn what_is_destructive_or_has_no_hint_against_it() {
    let found = ask("SELECT ?name { ?tool a mcp:Tool ; mcp:name ?name .
        FILTER NOT EXISTS { ?tool mcp:annotations/mcp:readOnlyHint true }
        FILTER NOT EXISTS { ?tool mcp:annotations/mcp:destructiveHint false } }");
    assert_eq!(found, ["reset"]);
}

#[test]
fn every_syntax_has_the_same_graph() {
    let expected = canonical(read(&weather().write(Syntax::JsonLd).unwrap(), Syntax::JsonLd));
    for syntax in [Syntax::Turtle, Syntax::NTriples, Syntax::NQuads, Syntax::Expanded] {
        let text = weather().write(syntax).unwrap();
        assert_eq!(canonical(read(&text, syntax)), expected, "{syntax}");
    }
    assert!(weather().write(Syntax::Json).is_err());
}

#[test]
fn a_catalogue_needs_an_absolute_iri() {
    assert!(Catalogue::new("npx server").is_err());
    assert!(Catalogue::new("urn:example:server").is_ok());
}
