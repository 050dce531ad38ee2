//! From messages to linked data.

use serde_json::{Map, Value, json};

use crate::view::parse;
use crate::vocabulary::{CONTEXT_URL, RDF, VOCABULARY, XSD, context};
use crate::write::{Lines, expanded, marked, turtle};
use crate::{Error, Profile, Syntax};

/// How messages are written.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How much of a message is kept.
    pub profile: Profile,
    /// How JSON-LD names its context.
    pub context: Context,
    /// N-Quads only: each message is in a graph of its own, whose IRI is this and the message's number, from 1.
    pub graphs: Option<String>,
}

/// How JSON-LD names its context.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Context {
    /// By its address. [`Decoder`](crate::Decoder) knows [`CONTEXT_URL`] and those that it is told.
    Reference(String),
    /// The context stands in each message.
    Inline,
}

impl Default for Context {
    fn default() -> Self {
        Self::Reference(CONTEXT_URL.to_owned())
    }
}

/// Writes messages in a [`Syntax`].
///
/// A document is what [`begin`](Self::begin) writes, followed by any number of messages. In the JSON syntaxes each message
/// is a line.
#[derive(Debug)]
pub struct Encoder {
    syntax: Syntax,
    options: Options,
    context: Value,
    messages: u64,
}

impl Encoder {
    /// Makes an encoder. The IRI of [`Options::graphs`] must not have characters that N-Quads would have to escape.
    #[must_use]
    pub fn new(syntax: Syntax, options: Options) -> Self {
        let context = match &options.context {
            Context::Reference(url) => Value::String(url.clone()),
            Context::Inline => context()["@context"].take(),
        };
        Self { syntax, options, context, messages: 0 }
    }

    /// Numbers the messages from `number` on, so that several documents can be put together: the number makes their blank
    /// nodes different.
    #[must_use]
    pub fn numbered_after(mut self, number: u64) -> Self {
        self.messages = number;
        self
    }

    /// Appends what stands before the first message: in Turtle the prefixes, otherwise nothing.
    pub fn begin(&self, out: &mut Vec<u8>) {
        if self.syntax == Syntax::Turtle {
            for (prefix, namespace) in [("mcp", VOCABULARY), ("rdf", RDF), ("xsd", XSD)] {
                out.extend_from_slice(format!("@prefix {prefix}: <{namespace}> .\n").as_bytes());
            }
        }
    }

    /// Appends one message, given as JSON text.
    ///
    /// # Errors
    ///
    /// Fails, and writes nothing, if the text is not a JSON object.
    pub fn message(&mut self, out: &mut Vec<u8>, json: &[u8]) -> Result<(), Error> {
        let members = parse(json)?;
        self.members(out, members);
        Ok(())
    }

    /// Appends one message, given as the members of its object.
    pub fn members(&mut self, out: &mut Vec<u8>, members: Map<String, Value>) {
        self.messages += 1;
        let profile = self.options.profile;
        match self.syntax {
            Syntax::Json => line(out, &Value::Object(members)),
            Syntax::JsonLd => {
                let mut document = marked(&members, profile);
                document.insert("@context".to_owned(), self.context.clone());
                line(out, &Value::Object(document));
            }
            Syntax::Expanded => line(out, &json!([expanded(&members, profile)])),
            Syntax::Turtle => {
                out.push(b'\n');
                turtle(out, &members, profile);
            }
            Syntax::NTriples => Lines::new(out, profile, self.messages, None).message(&members),
            Syntax::NQuads => {
                let graph = self.options.graphs.as_ref().map(|iri| format!("{iri}{}", self.messages));
                Lines::new(out, profile, self.messages, graph.as_deref()).message(&members);
            }
        }
    }

    /// Writes a whole document with one message.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a JSON object.
    pub fn document(&mut self, json: &[u8]) -> Result<String, Error> {
        let mut out = Vec::new();
        self.begin(&mut out);
        self.message(&mut out, json)?;
        Ok(String::from_utf8(out).expect("JSON text is UTF-8, and so is all that is written around it"))
    }
}

fn line(out: &mut Vec<u8>, value: &Value) {
    serde_json::to_writer(&mut *out, value).expect("a JSON tree always serializes, and a Vec takes every byte");
    out.push(b'\n');
}
