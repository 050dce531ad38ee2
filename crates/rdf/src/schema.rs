//! The JSON Schema of a revision, made from the table of types, annotated with JSON-LD.

use jackfield_protocol::{Method, Revision};
use serde_json::{Map, Value, json};

use crate::Profile;
use crate::shape::{Kind, Member, Shape, body, shape, shapes};
use crate::vocabulary::{VOCABULARY, context};

/// Returns our JSON Schema of a revision, annotated with `x-jsonld-*`.
///
/// Its root describes a message. Each type of the protocol is a definition, and so are the request, the notification or the
/// response of each method (`CallToolRequest`, `CallToolResponse`). Members carry `x-jsonld-id`; in the profiles that keep
/// the order of arrays also `x-jsonld-container`, and in [`Profile::Json`] what is free-form `x-jsonld-type`.
#[must_use]
pub fn schema(revision: Revision, profile: Profile) -> Value {
    let build = Build { revision, profile };
    let mut definitions = Map::new();
    for shape in shapes().filter(|shape| shape.is_defined(revision)) {
        definitions.insert(shape.name.to_owned(), build.shape(shape));
    }
    let mut messages = Vec::new();
    let mut known = Vec::new();
    for row in Method::TABLE.iter().filter(|row| row.method.is_defined(revision)) {
        let name = message_name(row.method);
        definitions.insert(name.clone(), build.message(row.method));
        messages.push(reference(&name));
        known.push(row.name);
        if is_request(row.method) {
            definitions.insert(format!("{:?}Response", row.method), build.response(row.method));
        }
    }
    // Methods outside the specification are allowed as well.
    let other = json!({ "properties": { "method": { "not": { "enum": known } } } });
    messages.extend(["Request", "Notification"].map(|name| json!({ "allOf": [reference(name), other] })));
    messages.extend(["ResultResponse", "ErrorResponse"].map(reference));

    let vocabulary = context()["@context"].take();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("Messages of the Model Context Protocol, revision {revision}"),
        "anyOf": messages,
        "$defs": definitions,
        "x-jsonld-vocab": VOCABULARY,
        "x-jsonld-prefixes": {
            "mcp": vocabulary["mcp"], "rdfs": vocabulary["rdfs"], "xsd": vocabulary["xsd"],
        },
    })
}

/// The name of a method's request or notification, such as `CallToolRequest`.
pub(crate) fn message_name(method: Method) -> String {
    format!("{method:?}{}", if is_request(method) { "Request" } else { "Notification" })
}

fn is_request(method: Method) -> bool {
    method.row().kind == jackfield_protocol::Kind::Request
}

struct Build {
    revision: Revision,
    profile: Profile,
}

impl Build {
    fn shape(&self, shape: &Shape) -> Value {
        if !shape.choices.is_empty() {
            let defined = shape.choices.iter().filter(|name| is_defined(name, self.revision));
            let choices: Vec<Value> = defined.map(|name| reference(name)).collect();
            return json!({ "description": shape.doc, "anyOf": choices });
        }
        let properties: Map<String, Value> =
            shape.members_in(self.revision).map(|member| (member.name.to_owned(), self.member(member))).collect();
        let required: Vec<&str> = shape
            .members_in(self.revision)
            .filter(|member| member.is_required(self.revision))
            .map(|member| member.name)
            .collect();
        let mut schema = json!({ "description": shape.doc, "type": "object", "properties": properties });
        if !required.is_empty() {
            schema["required"] = required.into();
        }
        if shape.open {
            schema["additionalProperties"] = true.into();
        }
        schema
    }

    fn member(&self, member: &Member) -> Value {
        let mut schema = self.kind(member.kind);
        schema["description"] = member.doc.into();
        schema["x-jsonld-id"] = format!("{VOCABULARY}{}", member.name).into();
        match member.kind {
            Kind::List(_) if self.profile.keeps_order() => schema["x-jsonld-container"] = "@list".into(),
            Kind::Object | Kind::Any if self.profile.is_literal(Some(member.name)) => {
                schema["x-jsonld-type"] = "@json".into();
            }
            _ => {}
        }
        schema
    }

    fn kind(&self, kind: Kind) -> Value {
        match kind {
            Kind::Text => json!({ "type": "string" }),
            Kind::Boolean => json!({ "type": "boolean" }),
            Kind::Count => json!({ "type": "integer", "minimum": 0 }),
            Kind::CountOrNull => json!({ "type": ["integer", "null"] }),
            Kind::Integer => json!({ "type": "integer" }),
            Kind::Number => json!({ "type": "number" }),
            Kind::Id => json!({ "type": ["string", "integer"] }),
            Kind::Any => json!({}),
            Kind::Object => json!({ "type": "object", "additionalProperties": true }),
            Kind::Word(word) => json!({ "type": "string", "const": word }),
            Kind::Words(words) => json!({ "type": "string", "enum": words() }),
            Kind::Of(name) => reference(name),
            Kind::List(item) => json!({ "type": "array", "items": self.kind(*item) }),
            Kind::OneOrList(item) => {
                // Before sampling knew tools, a message had one block.
                if !is_defined("ToolUseContent", self.revision) {
                    return self.kind(*item);
                }
                json!({ "anyOf": [self.kind(*item), self.kind(Kind::List(item))] })
            }
            Kind::Map(item) => json!({ "type": "object", "additionalProperties": self.kind(*item) }),
        }
    }

    fn message(&self, method: Method) -> Value {
        let (row, body) = (method.row(), body(method, self.revision));
        let mut schema =
            self.shape(shape(if is_request(method) { "Request" } else { "Notification" }).expect("in the table"));
        schema["properties"]["method"]["const"] = row.name.into();
        schema["description"] =
            format!("{} of {}", if is_request(method) { "a request" } else { "a notification" }, row.name).into();
        if let Value::Object(params) = &mut schema["properties"]["params"] {
            params.insert("$ref".to_owned(), reference(body.params)["$ref"].take());
        }
        if !body.optional
            && let Value::Array(required) = &mut schema["required"]
        {
            required.push("params".into());
        }
        schema
    }

    fn response(&self, method: Method) -> Value {
        let mut schema = self.shape(shape("ResultResponse").expect("in the table"));
        schema["description"] = format!("the answer to {}", method.name()).into();
        let outcomes = ["InputRequired", "TaskHandle", "CreateTaskResult"];
        let outcomes = outcomes.into_iter().filter(|name| is_defined(name, self.revision));
        if let Some(result) = body(method, self.revision).result {
            schema["properties"]["result"]["anyOf"] = std::iter::once(result).chain(outcomes).map(reference).collect();
        }
        schema
    }
}

fn is_defined(name: &str, revision: Revision) -> bool {
    shape(name).is_some_and(|shape| shape.is_defined(revision))
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}
