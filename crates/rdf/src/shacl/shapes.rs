//! From the table to SHACL shapes.

use std::collections::BTreeSet;
use std::fmt::Write;

use jackfield_protocol::Revision;

use crate::Profile;
use crate::definitions::{
    Body, Definition, Member, Topic, Value, defined, definition, exchanges, is_group, used_by, words,
};
use crate::terms::basic;
use crate::vocabulary::{RDF, RDFS, SHACL, VOCABULARY, XSD, turtle_term};

/// Returns the SHACL shapes of a revision's messages in Turtle, for graphs of a profile.
///
/// Each type is a node shape, each of its members a property shape. They are applied to every node with `mcp:jsonrpc`, which is a
/// message, by its method; and to instances of the class of a request or notification. What a response brings depends on the
/// request: the shapes of results have no target of their own.
#[must_use]
pub fn shapes(revision: Revision, profile: Profile) -> String {
    let build = Build { revision, profile };
    let mut out = prefixes(revision);
    build.general(&mut out);
    build.methods(&mut out);
    for definition in defined(revision).filter(|definition| !is_group(definition)) {
        build.definition(&mut out, definition);
    }
    out
}

/// The shapes of JSON-RPC alone, whatever the method.
pub(crate) fn json_rpc_shapes(revision: Revision, profile: Profile) -> String {
    let build = Build { revision, profile };
    let mut out = prefixes(revision);
    build.general(&mut out);
    let used = used_by(Topic::JsonRpc, revision);
    for definition in defined(revision).filter(|definition| used.contains(&definition.name) && !is_group(definition)) {
        build.definition(&mut out, definition);
    }
    out
}

fn prefixes(revision: Revision) -> String {
    let mut out = String::new();
    let own = namespace(revision);
    let prefixes =
        [("mcp", VOCABULARY), ("rdf", RDF), ("rdfs", RDFS), ("sh", SHACL), ("shape", own.as_str()), ("xsd", XSD)];
    for (prefix, namespace) in prefixes {
        let _ = writeln!(out, "@prefix {prefix}: <{namespace}> .");
    }
    out
}

/// The namespace of a revision's shapes.
pub(super) fn namespace(revision: Revision) -> String {
    format!("http://modelcontextprotocol.io/shapes/{revision}#")
}

/// A type that holds any JSON, described by itself. Shapes must not be recursive, and it constrains nothing.
const ANY_JSON: &str = "JSONValue";

struct Build {
    revision: Revision,
    profile: Profile,
}

impl Build {
    /// What a message is.
    fn general(&self, out: &mut String) {
        let kinds = ["JSONRPCRequest", "JSONRPCNotification", "JSONRPCResultResponse", "JSONRPCErrorResponse"];
        let kinds = kinds.map(|name| format!("shape:{name}")).join(" ");
        let _ = write!(
            out,
            "\nshape:Message a sh:NodeShape ;\n    sh:targetSubjectsOf mcp:jsonrpc ;\n    sh:or ( {kinds} ) ;\n    \
             sh:message \"a message is a request, a notification, or an answer\" .\n"
        );
    }

    /// For each method, what its messages are.
    fn methods(&self, out: &mut String) {
        for exchange in exchanges(self.revision) {
            let (method, name) = (exchange.method.name(), exchange.message.name);
            let _ = write!(
                out,
                "\nshape:Message-{name} a sh:NodeShape ;\n    sh:targetSubjectsOf mcp:jsonrpc ;\n    sh:targetClass mcp:{name} ;\n    \
                 sh:or ( [ sh:not [ sh:path mcp:method ; sh:hasValue \"{method}\" ] ] shape:{name} ) ;\n    \
                 sh:message \"a message with the method {method} is a {name}\" .\n"
            );
        }
    }

    fn definition(&self, out: &mut String, definition: &Definition) {
        let name = definition.name;
        match &definition.body {
            Body::Object(_) => {
                let _ = write!(out, "\nshape:{name} a sh:NodeShape ;\n    rdfs:label \"{name}\" ;\n");
                for shape in self.property_names(definition) {
                    let _ = writeln!(out, "    sh:property {shape} ;");
                }
                let _ = writeln!(out, "    sh:nodeKind sh:BlankNodeOrIRI .");
                definition.members_in(self.revision).for_each(|member| self.member(out, definition, member));
            }
            Body::Alias(value @ (Value::Choice(_) | Value::All(_))) if name != ANY_JSON => {
                let constraints = self.constraints(value, None).join(" ;\n    ");
                let end = if constraints.is_empty() { "" } else { " ;\n    " };
                let _ = write!(out, "\nshape:{name} a sh:NodeShape{end}{constraints} .\n");
            }
            Body::Alias(_) => {}
        }
    }

    /// The property shapes of a type.
    fn property_names(&self, definition: &Definition) -> Vec<String> {
        let mut names = Vec::new();
        for member in definition.members_in(self.revision) {
            let name = shape_name(definition.name, member.name);
            if self.has_items(&member.value, member.name) {
                names.push(format!("{name}-items"));
            }
            names.push(name);
        }
        names
    }

    fn member(&self, out: &mut String, definition: &Definition, member: &Member) {
        let (name, term) = (shape_name(definition.name, member.name), turtle_term(member.name));
        let mut constraints = Vec::new();
        // Of a set without values, and of null, a graph of the plain profile says nothing.
        let may_vanish = !self.profile.keeps_order() && self.may_be_absent(&member.value);
        if member.required && !may_vanish {
            constraints.push("sh:minCount 1".to_owned());
        }
        let is_set = !self.profile.keeps_order() && self.may_be_array(&member.value);
        if !is_set {
            constraints.push("sh:maxCount 1".to_owned());
        }
        constraints.extend(match self.has_items(&member.value, member.name) {
            true => self.list_head(&member.value),
            false => self.constraints(&member.value, Some(member.name)),
        });
        write_property(
            out,
            &name,
            &term,
            &constraints,
            &format!("{} of {}: {}", member.name, definition.name, member.doc),
        );
        if self.has_items(&member.value, member.name) {
            let path = format!("( {term} [ sh:zeroOrMorePath rdf:rest ] rdf:first )");
            let text = format!("an item of {} of {}: {}", member.name, definition.name, member.doc);
            write_property(out, &format!("{name}-items"), &path, &self.item_constraints(&member.value), &text);
        }
    }

    /// Whether a member is an RDF list whose items have shapes of their own.
    fn has_items(&self, value: &Value, name: &str) -> bool {
        self.profile.keeps_order() && self.may_be_array(value) && !self.profile.is_literal(Some(name))
    }

    fn may_be_array(&self, value: &Value) -> bool {
        match value {
            Value::List(..) | Value::Any => true,
            Value::Choice(values) => values.iter().any(|value| self.may_be_array(value)),
            Value::Of(name) | Value::InPlace(name) => match definition(name, self.revision).map(|found| &found.body) {
                Some(Body::Alias(value)) => self.may_be_array(value),
                _ => false,
            },
            _ => false,
        }
    }

    fn may_be_absent(&self, value: &Value) -> bool {
        self.may_be_array(value) || matches!(value, Value::Basic(types) if types.contains(&"null"))
    }

    /// What the value itself is where it may be a list: a list, or one of the alternatives beside it.
    fn list_head(&self, value: &Value) -> Vec<String> {
        let is_list = "[ sh:property [ sh:path rdf:first ; sh:minCount 1 ] ]";
        match value {
            Value::List(..) => vec!["sh:nodeKind sh:BlankNodeOrIRI".to_owned()],
            Value::Choice(values) => {
                let others = values.iter().filter(|value| !self.may_be_array(value) && self.exists(value));
                let others: Vec<String> = others.map(|value| self.alternative(value)).collect();
                vec![format!("sh:or ( {is_list} [ sh:in ( rdf:nil ) ] {} )", others.join(" "))]
            }
            _ => Vec::new(),
        }
    }

    fn item_constraints(&self, value: &Value) -> Vec<String> {
        match value {
            Value::List(item, _) => self.constraints(item, None),
            Value::Choice(values) => {
                let lists = values.iter().filter(|value| self.may_be_array(value));
                lists.flat_map(|value| self.item_constraints(value)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What a value must be; `key` is the member that holds it.
    fn constraints(&self, value: &Value, key: Option<&str>) -> Vec<String> {
        let one = |text: &str| vec![text.to_owned()];
        if self.profile.is_literal(key) && self.is_object(value) {
            return one("sh:datatype rdf:JSON");
        }
        match value {
            Value::Text(_) => one("sh:datatype xsd:string"),
            Value::Boolean => one("sh:datatype xsd:boolean"),
            Value::Integer { natural: false } => one("sh:datatype xsd:integer"),
            Value::Integer { natural: true } => {
                vec!["sh:datatype xsd:integer".to_owned(), "sh:minInclusive 0".to_owned()]
            }
            Value::Number { fraction } => {
                let mut all = vec!["sh:or ( [ sh:datatype xsd:integer ] [ sh:datatype xsd:double ] )".to_owned()];
                if *fraction {
                    all.extend(["sh:minInclusive 0".to_owned(), "sh:maxInclusive 1".to_owned()]);
                }
                all
            }
            Value::Any => Vec::new(),
            Value::Object | Value::Bare | Value::Map(_) => one("sh:nodeKind sh:BlankNodeOrIRI"),
            Value::Word(word) => vec![format!("sh:in ( \"{word}\" )")],
            Value::Enum(name) => {
                let words: Vec<String> = words(name).into_iter().flatten().map(|word| format!("\"{word}\"")).collect();
                vec![format!("sh:in ( {} )", words.join(" "))]
            }
            Value::Code(code) => vec![format!("sh:in ( {code} )")],
            Value::Basic(types) => vec![self.basic(types)],
            Value::Of(ANY_JSON) => Vec::new(),
            Value::Of(name) | Value::InPlace(name) => self.named(name, key),
            // In the plain profile an array is its items.
            Value::List(item, _) => self.constraints(item, None),
            Value::All(values) => values.iter().flat_map(|value| self.constraints(value, key)).collect(),
            Value::Choice(values) => self.choice(values),
        }
    }

    fn basic(&self, types: &[&str]) -> String {
        let known = types.iter().filter(|name| self.profile.keeps_order() || **name != "null");
        let types: Vec<String> = known.map(|name| format!("[ sh:datatype {} ]", basic(name))).collect();
        format!("sh:or ( {} )", types.join(" "))
    }

    fn named(&self, name: &str, key: Option<&str>) -> Vec<String> {
        let Some(found) = definition(name, self.revision) else { return Vec::new() };
        match &found.body {
            Body::Alias(value) => self.constraints(value, key),
            // The property shapes themselves, so that a report names the very member.
            Body::Object(_) => {
                let members = self.property_names(found).into_iter().map(|shape| format!("sh:property {shape}"));
                members.chain(["sh:nodeKind sh:BlankNodeOrIRI".to_owned()]).collect()
            }
        }
    }

    fn choice(&self, values: &[Value]) -> Vec<String> {
        let known: Vec<&Value> = values.iter().filter(|value| self.exists(value)).collect();
        if known.iter().any(|value| matches!(value, Value::Any)) {
            return Vec::new();
        }
        let alternatives: BTreeSet<String> = known.into_iter().map(|value| self.alternative(value)).collect();
        vec![format!("sh:or ( {} )", alternatives.into_iter().collect::<Vec<_>>().join(" "))]
    }

    fn exists(&self, value: &Value) -> bool {
        value.names().iter().all(|name| definition(name, self.revision).is_some())
    }

    /// A shape of its own for one alternative.
    fn alternative(&self, value: &Value) -> String {
        match value {
            Value::Of(name) | Value::InPlace(name)
                if definition(name, self.revision).is_some_and(|found| {
                    matches!(&found.body, Body::Object(_) | Body::Alias(Value::Choice(_) | Value::All(_)))
                }) =>
            {
                format!("shape:{name}")
            }
            other => format!("[ {} ]", self.constraints(other, None).join(" ; ")),
        }
    }

    fn is_object(&self, value: &Value) -> bool {
        match value {
            Value::Object | Value::Bare | Value::Map(_) => true,
            Value::Of(name) | Value::InPlace(name) => match definition(name, self.revision).map(|found| &found.body) {
                Some(Body::Alias(value)) => self.is_object(value),
                Some(Body::Object(_)) => true,
                None => false,
            },
            _ => false,
        }
    }
}

fn write_property(out: &mut String, name: &str, path: &str, constraints: &[String], message: &str) {
    let _ = write!(out, "\n{name} a sh:PropertyShape ;\n    sh:path {path} ;\n");
    for constraint in constraints {
        let _ = writeln!(out, "    {constraint} ;");
    }
    let _ = writeln!(out, "    sh:message \"{message}\" .");
}

/// The name of a member's shape; what cannot stand in it becomes an underscore.
fn shape_name(definition: &str, member: &str) -> String {
    let member: String = member.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("shape:{definition}-{member}")
}
