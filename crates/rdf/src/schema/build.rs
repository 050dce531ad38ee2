//! From the table to JSON Schema.

use jackfield_protocol::Revision;
use serde_json::{Map, Value as Json, json};

use crate::Profile;
use crate::definitions::{
    BUILDING_BLOCK, Body, Definition, Member, Standing, Topic, Value, defined, definition, exchanges, used_by, words,
};
use crate::vocabulary::{REGISTER, VOCABULARY, context};

/// Returns the definitions of a revision's official schema: the same names, members, types, enumerations, required members
/// and alternatives, in the same draft of JSON Schema, annotated with `x-jsonld-*` and described in our own words.
///
/// Every member carries `x-jsonld-id`; in the profiles that keep the order of arrays these also carry `x-jsonld-container`,
/// and in [`Profile::Json`] what is free-form carries `x-jsonld-type`.
#[must_use]
pub fn schema(revision: Revision, profile: Profile) -> Json {
    Build { revision, profile, complete: false }.schema(|_| true)
}

/// Returns the same with what the official schema leaves out: in the older revisions the envelope and the `_meta` of each
/// request and notification, and the types of the extension for tasks. Its root describes a message as it is sent.
#[must_use]
pub fn complete_schema(revision: Revision, profile: Profile) -> Json {
    let build = Build { revision, profile, complete: true };
    let mut schema = build.schema(|_| true);
    schema["title"] = format!("Messages of the Model Context Protocol, revision {revision}").into();
    schema["anyOf"] = build.messages().into();
    schema
}

/// The part of a revision's schema that is JSON-RPC, with an anchor for each definition.
pub(crate) fn json_rpc_schema(revision: Revision, profile: Profile) -> Json {
    let build = Build { revision, profile, complete: false };
    let used = used_by(Topic::JsonRpc, revision);
    let mut schema = build.schema(|definition| used.contains(&definition.name));
    for (name, definition) in schema[definitions_key(revision)].as_object_mut().into_iter().flatten() {
        // The register's tool looks for `$anchor` in every draft; validators of draft-07 know `$id` only.
        definition["$anchor"] = name.clone().into();
        if !revision.has_json_schema_2020_12() {
            definition["$id"] = format!("#{name}").into();
        }
    }
    schema
}

/// The schema of a revision's building block: `ProgressToken` refers to the block of JSON-RPC.
pub(crate) fn block_schema(revision: Revision, profile: Profile) -> Json {
    let mut schema = schema(revision, profile);
    let address = format!("{REGISTER}json-rpc/schema.yaml#ProgressToken");
    schema[definitions_key(revision)]["ProgressToken"] = json!({ "$ref": address });
    schema
}

/// Returns the definitions as OGC's register publishes them, for who has to agree with its block exactly.
///
/// `ProgressToken` refers to the block of JSON-RPC, as in every block. In the revision of the published block, the bounds of a
/// `NumberSchema` are integers: so the official schema had them when the block was made, and it has been corrected since.
#[must_use]
pub fn published_schema(revision: Revision, profile: Profile) -> Json {
    let mut schema = block_schema(revision, profile);
    if revision == BUILDING_BLOCK {
        for bound in ["minimum", "maximum"] {
            schema[definitions_key(revision)]["NumberSchema"]["properties"][bound]["type"] = "integer".into();
        }
    }
    schema
}

/// The member that holds the definitions of a revision's schema.
pub(crate) fn definitions_key(revision: Revision) -> &'static str {
    if revision.has_json_schema_2020_12() { "$defs" } else { "definitions" }
}

struct Build {
    revision: Revision,
    profile: Profile,
    /// Also what the official schema leaves out.
    complete: bool,
}

impl Build {
    fn schema(&self, wanted: impl Fn(&Definition) -> bool) -> Json {
        let named = defined(self.revision).filter(|definition| self.is_named(definition) && wanted(definition));
        let definitions: Map<String, Json> =
            named.map(|definition| (definition.name.to_owned(), self.described(definition))).collect();
        let vocabulary = context()["@context"].take();
        let draft = match self.revision.has_json_schema_2020_12() {
            true => "https://json-schema.org/draft/2020-12/schema",
            false => "http://json-schema.org/draft-07/schema#",
        };
        json!({
            "$schema": draft,
            definitions_key(self.revision): definitions,
            "x-jsonld-vocab": VOCABULARY,
            "x-jsonld-prefixes": { "mcp": vocabulary["mcp"], "rdfs": vocabulary["rdfs"], "xsd": vocabulary["xsd"] },
        })
    }

    fn is_named(&self, definition: &Definition) -> bool {
        definition.is_named(self.revision) || (self.complete && definition.standing == Standing::Extension)
    }

    fn described(&self, definition: &Definition) -> Json {
        let mut schema = self.body(definition);
        schema["description"] = definition.doc.into();
        schema
    }

    fn body(&self, definition: &Definition) -> Json {
        match &definition.body {
            Body::Alias(value) => self.value(value),
            Body::Object(_) => self.object(definition),
        }
    }

    fn object(&self, definition: &Definition) -> Json {
        let listed = || definition.members_in(self.revision).filter(|m| self.complete || m.is_listed(self.revision));
        let properties: Map<String, Json> =
            listed().map(|member| (member.name.to_owned(), self.member(member))).collect();
        let mut required: Vec<&str> = listed().filter(|member| member.required).map(|member| member.name).collect();
        required.sort_unstable();
        let mut schema = json!({ "type": "object", "properties": properties });
        if !required.is_empty() {
            schema["required"] = required.into();
        }
        if definition.is_open(self.revision) {
            schema["additionalProperties"] = json!({});
        }
        schema
    }

    fn member(&self, member: &Member) -> Json {
        let mut schema = self.value(&member.value);
        schema["description"] = member.doc.into();
        schema["x-jsonld-id"] = format!("{VOCABULARY}{}", member.name).into();
        match member.value {
            Value::List(..) if self.profile.keeps_order() => schema["x-jsonld-container"] = "@list".into(),
            _ if self.profile.is_literal(Some(member.name)) && self.may_be_object(&member.value) => {
                schema["x-jsonld-type"] = "@json".into();
            }
            _ => {}
        }
        schema
    }

    fn may_be_object(&self, value: &Value) -> bool {
        match value {
            Value::Object | Value::Bare | Value::Map(_) | Value::Any => true,
            Value::Of(name) | Value::InPlace(name) => {
                definition(name, self.revision).is_some_and(|definition| match &definition.body {
                    Body::Alias(value) => self.may_be_object(value),
                    Body::Object(_) => true,
                })
            }
            _ => false,
        }
    }

    fn value(&self, value: &Value) -> Json {
        match value {
            Value::Text(None) => json!({ "type": "string" }),
            Value::Text(Some(format)) => json!({ "type": "string", "format": format }),
            Value::Boolean => json!({ "type": "boolean" }),
            Value::Integer { natural: false } => json!({ "type": "integer" }),
            Value::Integer { natural: true } => json!({ "type": "integer", "minimum": 0 }),
            Value::Number { fraction: false } => json!({ "type": "number" }),
            Value::Number { fraction: true } => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
            Value::Any => json!({}),
            Value::Object => json!({ "type": "object", "additionalProperties": true, "properties": {} }),
            Value::Bare => json!({ "type": "object" }),
            Value::Map(inner) => json!({ "type": "object", "additionalProperties": self.value(inner) }),
            Value::Word(word) => json!({ "type": "string", "const": word }),
            Value::Enum(name) => json!({ "type": "string", "enum": words(name) }),
            Value::Code(code) => json!({ "type": "integer", "const": code }),
            Value::Basic(types) => json!({ "type": types }),
            Value::Of(name) => self.reference(name),
            Value::InPlace(name) => definition(name, self.revision).map_or(json!({}), |found| self.body(found)),
            Value::List(item, None) => json!({ "type": "array", "items": self.value(item) }),
            Value::List(item, most) => json!({ "type": "array", "items": self.value(item), "maxItems": most }),
            Value::Choice(choices) => self.choice(choices),
            Value::All(values) => json!({ "allOf": values.iter().map(|v| self.value(v)).collect::<Vec<_>>() }),
        }
    }

    /// Whether there is such a type; extensions are no part of the official schema.
    fn has(&self, name: &str) -> bool {
        let found = definition(name, self.revision);
        found.is_some_and(|found| self.complete || found.standing != Standing::Extension)
    }

    /// Alternatives that the revision does not have are left out.
    fn choice(&self, choices: &[Value]) -> Json {
        let exists = |value: &&Value| value.names().iter().all(|name| self.has(name));
        let mut choices: Vec<Json> = choices.iter().filter(exists).map(|choice| self.value(choice)).collect();
        if choices.len() == 1 { choices.remove(0) } else { json!({ "anyOf": choices }) }
    }

    /// A definition of the revision is referred to; what is none there is written in place.
    fn reference(&self, name: &str) -> Json {
        match definition(name, self.revision) {
            Some(found) if self.is_named(found) => {
                json!({ "$ref": format!("#/{}/{name}", definitions_key(self.revision)) })
            }
            Some(found) => self.body(found),
            None => json!({}),
        }
    }

    /// What may be sent: a message of each method, one of a method outside the specification, an answer.
    fn messages(&self) -> Vec<Json> {
        let mut messages: Vec<Json> = exchanges(self.revision).map(|e| self.reference(e.message.name)).collect();
        let known: Vec<&str> = exchanges(self.revision).map(|exchange| exchange.method.name()).collect();
        let other = json!({ "properties": { "method": { "not": { "enum": known } } } });
        let general = ["JSONRPCRequest", "JSONRPCNotification"].map(|name| self.reference(name));
        messages.extend(general.into_iter().map(|message| json!({ "allOf": [message, other] })));
        let answers = ["JSONRPCResultResponse", "JSONRPCErrorResponse"].map(|name| self.reference(name));
        messages.extend(answers);
        messages
    }
}
