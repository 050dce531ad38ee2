//! Messages of a document.

use std::collections::HashMap;

use jackfield_protocol::Method;
use serde_json::{Map, Value};

use super::graph::Graph;
use super::quads::quads_knowing;
use crate::{Error, Syntax, definitions};

/// Returns the messages of a document, in the order in which they appear.
///
/// # Errors
///
/// Fails if the text does not follow its syntax, or if its graph does not consist of trees.
pub fn decode(text: &[u8], syntax: Syntax) -> Result<Vec<Value>, Error> {
    Decoder::new(syntax).messages(text)
}

/// Reads messages from linked data.
///
/// A graph of the plain profile does not tell an array of one value from the value itself. [`plain`](Self::plain) makes the
/// decoder restore arrays where the protocol has them; for the result of a request it needs to have seen the request, or to
/// be told with [`answering`](Self::answering).
#[derive(Debug)]
pub struct Decoder {
    syntax: Syntax,
    plain: bool,
    contexts: Vec<String>,
    answering: Option<Method>,
    /// The methods of the requests that have been read, by the JSON text of their id.
    asked: HashMap<String, Method>,
}

/// The most requests whose method is remembered for their answer.
const MAX_ASKED: usize = 10_000;

impl Decoder {
    /// Makes a decoder.
    #[must_use]
    pub fn new(syntax: Syntax) -> Self {
        Self { syntax, plain: false, contexts: Vec::new(), answering: None, asked: HashMap::new() }
    }

    /// Takes `url` for an address of the vocabulary's context.
    #[must_use]
    pub fn knowing(mut self, url: impl Into<String>) -> Self {
        self.contexts.push(url.into());
        self
    }

    /// Says that the document is of the plain profile, so that arrays must be restored.
    #[must_use]
    pub fn plain(mut self) -> Self {
        self.plain = true;
        self
    }

    /// Says which method the results answer whose request is not in the document.
    #[must_use]
    pub fn answering(mut self, method: Method) -> Self {
        self.answering = Some(method);
        self
    }

    /// Returns the messages of a document.
    ///
    /// # Errors
    ///
    /// Fails if the text does not follow its syntax, or if its graph does not consist of trees.
    pub fn messages(&mut self, text: &[u8]) -> Result<Vec<Value>, Error> {
        if self.syntax == Syntax::Json {
            return serde_json::from_slice(text).map(|message| vec![message]).map_err(Error::NotJson);
        }
        let graph = Graph::new(quads_knowing(text, self.syntax, &self.contexts)?);
        let trees = graph.trees()?;
        Ok(trees.into_iter().map(|tree| Value::Object(self.with_arrays(tree))).collect())
    }

    /// Makes arrays of the single values that stand where the protocol has an array.
    fn with_arrays(&mut self, mut message: Map<String, Value>) -> Map<String, Value> {
        if !self.plain {
            return message;
        }
        let id = message.get("id").map(Value::to_string);
        let method = message.get("method").and_then(Value::as_str).and_then(Method::from_name);
        match (method, id) {
            (Some(method), id) => {
                if let Some(params) = message.get_mut("params") {
                    definitions::restore_params(params, method);
                }
                if let Some(id) = id
                    && self.asked.len() < MAX_ASKED
                {
                    self.asked.insert(id, method);
                }
            }
            (None, id) => {
                let asked = id.and_then(|id| self.asked.remove(&id)).or(self.answering);
                if let (Some(method), Some(result)) = (asked, message.get_mut("result")) {
                    definitions::restore_result(result, method);
                }
            }
        }
        message
    }
}
