//! The terms of the vocabulary with what is known of them: classes for the types of the table, properties for their members.

use std::collections::{BTreeMap, BTreeSet};

use jackfield_protocol::Revision;

use crate::definitions::{Body, Definition, Lifetime, Member, Standing, Value, definitions, is_group};
use crate::ontology::{is_datatype, specification};
use crate::vocabulary::turtle_term;

/// A class of the ontology: a type of the protocol in all revisions that have it.
#[derive(Debug)]
pub(crate) struct Class {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) kind: ClassKind,
    /// The class that it is a kind of.
    pub(crate) above: Option<&'static str>,
    pub(crate) lifetime: Lifetime,
    /// The official schema of some revision defines it under this name.
    pub(crate) is_official: bool,
}

/// What the values of a class are.
#[derive(Debug, PartialEq)]
pub(crate) enum ClassKind {
    /// Nodes with properties.
    Object,
    /// The instances of these classes.
    Union(Vec<&'static str>),
    /// Literals.
    Datatype,
}

/// A property of the ontology: a member of one or more types.
#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) name: &'static str,
    pub(crate) docs: Vec<&'static str>,
    pub(crate) domain: Vec<String>,
    pub(crate) range: Vec<String>,
    pub(crate) lifetime: Option<Lifetime>,
}

/// Classes that no type of the protocol has, with what they are and the class above them.
pub(crate) const OWN_CLASSES: [(&str, &str, Option<&str>); 5] = [
    ("Server", "a server and what it offers", None),
    ("Parameter", "a parameter of a tool, from its input schema", None),
    ("Message", "a message on a tape", Some("prov:Entity")),
    ("Session", "a connection or session on a tape", Some("prov:Activity")),
    ("Side", "the client or the server of a session", Some("prov:Agent")),
];

/// Properties that no member of a message has: name, description, domain and range.
pub(crate) const OWN_PROPERTIES: [(&str, &str, &str, &str); 17] = [
    ("otherMembers", "the members of an object that no IRI can name", "rdfs:Resource", "rdf:JSON"),
    ("since", "the first revision that has it", "rdfs:Resource", "xsd:string"),
    ("until", "the last revision that has it", "rdfs:Resource", "xsd:string"),
    ("offersTool", "a tool of the server", "mcp:Server", "mcp:Tool"),
    ("offersPrompt", "a prompt of the server", "mcp:Server", "mcp:Prompt"),
    ("offersResource", "a resource of the server", "mcp:Server", "mcp:Resource"),
    ("offersResourceTemplate", "a resource template of the server", "mcp:Server", "mcp:ResourceTemplate"),
    ("parameter", "a parameter of the tool", "mcp:Tool", "mcp:Parameter"),
    ("schema", "the JSON Schema of the parameter", "mcp:Parameter", "rdf:JSON"),
    ("root", "the node of the message in its graph", "mcp:Message", "rdfs:Resource"),
    ("from", "who sent the message: client or server", "mcp:Message", "xsd:string"),
    ("over", "what carried the message: stdio, http or stream", "mcp:Message", "xsd:string"),
    ("session", "the session that the message belongs to", "mcp:Message", "mcp:Session"),
    ("answers", "the request that the message answers", "mcp:Message", "mcp:Message"),
    ("messageNumber", "the place of the message on its tape, from 1", "mcp:Message", "xsd:integer"),
    ("isRedacted", "secrets were removed from the message", "mcp:Message", "xsd:boolean"),
    ("httpStatus", "the status of the HTTP response that carried the message", "mcp:Message", "xsd:integer"),
];

/// The classes of the ontology, in the order of the table.
pub(crate) fn classes() -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    for definition in definitions().filter(|definition| !is_group(definition)) {
        let is_official = definition.standing == Standing::Type;
        let kind = kind_of(definition);
        match classes.iter_mut().find(|class| class.name == definition.name) {
            Some(class) => {
                class.lifetime = class.lifetime.joined(definition.lifetime);
                class.is_official |= is_official;
                class.doc = definition.doc;
                // Where a type is an object in one revision and a choice in another, it is the wider one.
                if class.kind != kind {
                    class.kind = ClassKind::Object;
                }
            }
            None => classes.push(Class {
                name: definition.name,
                doc: definition.doc,
                kind,
                above: above(definition),
                lifetime: definition.lifetime,
                is_official,
            }),
        }
    }
    classes
}

impl Class {
    /// The page of the specification that describes it. Revisions before structured output have no page of types.
    pub(crate) fn page(&self) -> Option<String> {
        let named = self.is_official && self.lifetime.last.has_structured_output();
        named.then(|| format!("{}/schema#{}", specification(self.lifetime.last), self.name.to_ascii_lowercase()))
    }
}

fn kind_of(definition: &Definition) -> ClassKind {
    match &definition.body {
        Body::Object(_) => ClassKind::Object,
        Body::Alias(Value::Choice(choices))
            if choices.iter().all(|choice| matches!(choice, Value::Of(_) | Value::InPlace(_))) =>
        {
            ClassKind::Union(choices.iter().flat_map(Value::names).collect())
        }
        Body::Alias(value) if ranges(value).iter().all(|range| is_datatype(range)) => ClassKind::Datatype,
        Body::Alias(_) => ClassKind::Object,
    }
}

fn above(definition: &Definition) -> Option<&'static str> {
    let has_method = definition.members().iter().any(|m| m.name == "method" && matches!(m.value, Value::Word(_)));
    match definition.name {
        name if has_method && name.ends_with("Request") => Some("Request"),
        _ if has_method => Some("Notification"),
        "JSONRPCRequest" => Some("Request"),
        "JSONRPCNotification" => Some("Notification"),
        name if name.ends_with("ResultResponse") && name != "JSONRPCResultResponse" => Some("JSONRPCResultResponse"),
        _ => None,
    }
}

/// The properties of the ontology, in the order of their names.
pub(crate) fn properties() -> Vec<Property> {
    let mut uses: BTreeMap<&'static str, Vec<(&Definition, &Member)>> = BTreeMap::new();
    for definition in definitions().filter(|definition| !is_group(definition)) {
        for member in definition.members() {
            uses.entry(member.name).or_default().push((definition, member));
        }
    }
    uses.into_iter().map(|(name, uses)| property(name, &uses)).collect()
}

fn property(name: &'static str, uses: &[(&Definition, &Member)]) -> Property {
    let mut docs: Vec<&str> = Vec::new();
    for (_, member) in uses {
        if !docs.contains(&member.doc) {
            docs.push(member.doc);
        }
    }
    let domain: BTreeSet<String> = uses.iter().map(|(definition, _)| format!("mcp:{}", definition.name)).collect();
    let range: BTreeSet<String> = uses.iter().flat_map(|(_, member)| ranges(&member.value)).collect();
    // A member exists as long as one of the types that have it does.
    let lifetimes = uses.iter().filter_map(|(definition, member)| member.lifetime.common(definition.lifetime));
    let lifetime = lifetimes.reduce(Lifetime::joined);
    Property { name, docs, domain: domain.into_iter().collect(), range: widest(range), lifetime }
}

/// A range that holds everything needs no other beside it.
fn widest(range: BTreeSet<String>) -> Vec<String> {
    match range.contains("rdfs:Resource") {
        true => vec!["rdfs:Resource".to_owned()],
        false => range.into_iter().collect(),
    }
}

impl Property {
    pub(crate) fn term(&self) -> String {
        turtle_term(self.name)
    }

    /// Whether all its values are literals, or none; nothing if both occur.
    pub(crate) fn is_data(&self) -> Option<bool> {
        let data = self.range.iter().filter(|range| is_datatype(range)).count();
        match data {
            0 if self.range.iter().any(|range| range == "rdfs:Resource") => None,
            0 => Some(false),
            all if all == self.range.len() => Some(true),
            _ => None,
        }
    }
}

/// What the values of a member are. An array is a list, or in the plain profile its items.
pub(crate) fn ranges(value: &Value) -> Vec<String> {
    let one = |name: &str| vec![name.to_owned()];
    match value {
        Value::Text(_) | Value::Word(_) | Value::Enum(_) => one("xsd:string"),
        Value::Boolean => one("xsd:boolean"),
        Value::Integer { .. } | Value::Code(_) => one("xsd:integer"),
        Value::Number { .. } => vec!["xsd:integer".to_owned(), "xsd:double".to_owned()],
        Value::Basic(types) => types.iter().map(|name| basic(name).to_owned()).collect(),
        Value::Any | Value::Object | Value::Bare | Value::Map(_) => one("rdfs:Resource"),
        Value::List(item, _) => {
            let mut all = ranges(item);
            all.push("rdf:List".to_owned());
            all
        }
        Value::Choice(values) => values.iter().flat_map(ranges).collect(),
        // Details of an error are said of the error itself.
        Value::All(values) => values.first().map(ranges).unwrap_or_default(),
        Value::Of(name) | Value::InPlace(name) => {
            let mut found: Vec<String> = definitions()
                .filter(|definition| definition.name == *name)
                .flat_map(|definition| match &definition.body {
                    Body::Alias(value) if !matches!(value, Value::Choice(_)) => ranges(value),
                    _ => one(&format!("mcp:{name}")),
                })
                .collect();
            found.dedup();
            found
        }
    }
}

/// The datatype of a basic type of JSON; null is a JSON literal.
pub(crate) fn basic(name: &str) -> &'static str {
    match name {
        "string" => "xsd:string",
        "integer" => "xsd:integer",
        "number" => "xsd:double",
        "boolean" => "xsd:boolean",
        _ => "rdf:JSON",
    }
}

/// The revisions in words: `2025-06-18 to 2025-11-25`, `since 2025-06-18`, `all`.
pub(crate) fn lifetime_words(lifetime: Lifetime) -> String {
    let always = Lifetime::always();
    match (lifetime.first == always.first, lifetime.last == Revision::LATEST) {
        (true, true) => "all".to_owned(),
        (true, false) => format!("until {}", lifetime.last),
        (false, true) => format!("since {}", lifetime.first),
        _ if lifetime.first == lifetime.last => format!("{} only", lifetime.first),
        _ => format!("{} to {}", lifetime.first, lifetime.last),
    }
}
