//! A server and what it offers as one graph, for a triple store.

use jackfield_protocol::{
    Implementation, Prompt, Resource, ResourceTemplate, Revision, Schema, ServerCapabilities, Tool,
};
use oxttl::{NQuadsSerializer, NTriplesSerializer, TurtleSerializer};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::read::quads;
use crate::vocabulary::{CONTEXT_URL, RDF, VOCABULARY, XSD};
use crate::write::marked;
use crate::{Error, Profile, Syntax};

/// A server and what it offers.
///
/// In the graph everything has an IRI: the server its own, a tool that of the server with `#tool/` and its name, and
/// likewise `#resource/`, `#template/` and `#prompt/`. Each is an instance of its class (`mcp:Tool`) and has the members
/// it has in messages; arrays are sets. JSON Schemas and `_meta` are JSON literals, and each parameter of a tool is also a
/// node of its own (`mcp:parameter`), with name, type, description and whether it is required, so that it can be asked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Catalogue {
    /// The IRI of the server, such as the URL of its endpoint.
    pub iri: String,
    /// Who the server is.
    pub server_info: Option<Implementation>,
    /// The revision in which the server described itself.
    pub revision: Option<Revision>,
    /// What the server can do.
    pub capabilities: Option<ServerCapabilities>,
    /// How to use the server.
    pub instructions: Option<String>,
    /// Its tools.
    pub tools: Vec<Tool>,
    /// Its resources.
    pub resources: Vec<Resource>,
    /// Its resource templates.
    pub resource_templates: Vec<ResourceTemplate>,
    /// Its prompts.
    pub prompts: Vec<Prompt>,
}

impl Catalogue {
    /// Makes the catalogue of a server of which nothing is known yet.
    ///
    /// # Errors
    ///
    /// Fails if `iri` is not an absolute IRI.
    pub fn new(iri: impl Into<String>) -> Result<Self, Error> {
        let iri = iri.into();
        if oxrdf::NamedNode::new(iri.as_str()).is_err() {
            return Err(Error::BadIri(iri));
        }
        Ok(Self {
            iri,
            server_info: None,
            revision: None,
            capabilities: None,
            instructions: None,
            tools: Vec::new(),
            resources: Vec::new(),
            resource_templates: Vec::new(),
            prompts: Vec::new(),
        })
    }

    /// Makes the catalogue of a server that a command starts: its IRI is `urn:mcp:command:` and the words of the command.
    ///
    /// # Errors
    ///
    /// Fails if there are no words.
    pub fn of_command(words: &[String]) -> Result<Self, Error> {
        if words.is_empty() {
            return Err(Error::BadIri(String::new()));
        }
        let words: Vec<String> = words.iter().map(|word| encoded(word)).collect();
        Self::new(format!("urn:mcp:command:{}", words.join("+")))
    }

    /// Writes the graph.
    ///
    /// # Errors
    ///
    /// Fails if the syntax is [`Syntax::Json`], which has no graphs.
    pub fn write(&self, syntax: Syntax) -> Result<String, Error> {
        let document = self.document();
        if syntax == Syntax::JsonLd {
            return Ok(format!("{document:#}\n"));
        }
        let quads = quads(document.to_string().as_bytes(), Syntax::JsonLd)?;
        let bad = |iri: oxrdf::IriParseError| Error::BadIri(iri.to_string());
        let out = match syntax {
            Syntax::Turtle => {
                let prefixes = [("mcp", VOCABULARY), ("rdf", RDF), ("xsd", XSD)];
                let writer =
                    prefixes.into_iter().try_fold(TurtleSerializer::new(), |w, (p, iri)| w.with_prefix(p, iri));
                let mut writer = writer.map_err(bad)?.for_writer(Vec::new());
                quads.iter().try_for_each(|quad| writer.serialize_triple(quad.as_ref()))?;
                writer.finish()?
            }
            Syntax::NTriples => {
                let mut writer = NTriplesSerializer::new().for_writer(Vec::new());
                quads.iter().try_for_each(|quad| writer.serialize_triple(quad.as_ref()))?;
                writer.finish()
            }
            Syntax::NQuads => {
                let mut writer = NQuadsSerializer::new().for_writer(Vec::new());
                quads.iter().try_for_each(|quad| writer.serialize_quad(quad.as_ref()))?;
                writer.finish()
            }
            Syntax::Expanded => {
                let mut writer = oxjsonld::JsonLdSerializer::new().for_writer(Vec::new());
                quads.iter().try_for_each(|quad| writer.serialize_quad(quad.as_ref()))?;
                writer.finish()?
            }
            Syntax::Json | Syntax::JsonLd => return Err(Error::NotAnObject),
        };
        Ok(String::from_utf8(out).expect("the writers of RDF write UTF-8"))
    }

    /// The catalogue as JSON-LD.
    fn document(&self) -> Value {
        let mut server = node(&self.iri, "Server");
        server.insert("@context".to_owned(), CONTEXT_URL.into());
        let facts = json!({
            "serverInfo": self.server_info, "protocolVersion": self.revision, "capabilities": self.capabilities,
            "instructions": self.instructions,
        });
        server.extend(plain(&facts));
        let tools = self.tools.iter().map(|tool| self.tool(tool));
        server.insert("offersTool".to_owned(), tools.collect());
        let resources = self.resources.iter().map(|r| self.part("resource", &r.uri, "Resource", r).into());
        server.insert("offersResource".to_owned(), resources.collect::<Vec<Value>>().into());
        let templates = self.resource_templates.iter();
        let templates = templates.map(|t| self.part("template", &t.uri_template, "ResourceTemplate", t).into());
        server.insert("offersResourceTemplate".to_owned(), templates.collect::<Vec<Value>>().into());
        let prompts = self.prompts.iter().map(|p| self.part("prompt", &p.name, "Prompt", p).into());
        server.insert("offersPrompt".to_owned(), prompts.collect::<Vec<Value>>().into());
        Value::Object(server)
    }

    fn tool(&self, tool: &Tool) -> Value {
        let mut node = self.part("tool", &tool.name, "Tool", tool);
        node.insert("parameter".to_owned(), parameters(&tool.input_schema).into());
        Value::Object(node)
    }

    fn part(&self, kind: &str, name: &str, class: &str, value: &impl Serialize) -> Map<String, Value> {
        let separator = if self.iri.contains('#') { '/' } else { '#' };
        let mut node = node(&format!("{}{separator}{kind}/{}", self.iri, encoded(name)), class);
        node.extend(plain(&serde_json::to_value(value).unwrap_or_default()));
        node
    }
}

fn node(iri: &str, class: &str) -> Map<String, Value> {
    Map::from_iter([("@id".to_owned(), iri.into()), ("@type".to_owned(), class.into())])
}

/// The members of an object, with sets for arrays and JSON literals for what is free-form.
fn plain(value: &Value) -> Map<String, Value> {
    let Value::Object(members) = value else { return Map::new() };
    let mut out = Map::new();
    for (key, value) in members.iter().filter(|(_, value)| !value.is_null()) {
        let alone = Map::from_iter([(key.clone(), value.clone())]);
        let profile =
            if Profile::Json.is_literal(Some(key)) && value.is_object() { Profile::Json } else { Profile::Plain };
        out.extend(marked(&alone, profile));
    }
    out
}

/// The parameters of a tool, from the first level of its input schema.
fn parameters(schema: &Schema) -> Vec<Value> {
    let schema = schema.to_value();
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties
        .map(|(name, field)| {
            let mut parameter = json!({
                "@type": "Parameter", "name": name, "required": required.contains(&name.as_str()),
                "schema": { "@type": "@json", "@value": field },
            });
            for key in ["type", "description", "title"] {
                // A type may be one word or several.
                if field[key].is_string() || field[key].is_array() {
                    parameter[key] = field[key].clone();
                }
            }
            parameter
        })
        .collect()
}

/// Writes what cannot stand in the fragment of an IRI with percent signs.
fn encoded(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => {
                out.push(char::from(byte))
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
