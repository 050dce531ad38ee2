//! Graphs of messages against shapes.

use std::collections::HashMap;

use jackfield_protocol::{Method, Revision};
use oxrdf::vocab::rdf;
use oxrdf::{NamedNode, NamedOrBlankNode, Term};
use serde::Serialize;

use super::check::{Breach, Check};
use super::data::{Data, node_of};
use super::read::{Shapes, Target};
use super::shapes::{namespace, shapes};
use crate::definitions::{Body, Exchange, Value, definition, exchange};
use crate::read::quads_knowing;
use crate::vocabulary::{VOCABULARY, key_of};
use crate::{Encoder, Error, Options, Profile, Syntax};

/// Checks graphs of messages against the SHACL shapes of a revision.
///
/// Results are checked as well where the request that they answer is in the same graph.
#[derive(Debug)]
pub struct Validator {
    revision: Revision,
    profile: Profile,
    shapes: Shapes,
    /// Whether the shapes are our own, so that the names of those for results are known.
    own: bool,
}

/// What a check found.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Validation {
    /// How many messages were checked.
    pub messages: u64,
    /// The rules that they break.
    pub violations: Vec<Violation>,
}

/// A message that breaks a rule.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Violation {
    /// The number of the message in its document, from 1; none for a node that is no message.
    pub message: Option<u64>,
    /// Its method, if it has one.
    pub method: Option<String>,
    /// Its id, if it has one.
    pub id: Option<String>,
    /// The member that is wrong.
    pub path: Option<String>,
    /// Its value, as N-Triples write it.
    pub value: Option<String>,
    /// The constraint of SHACL, such as `sh:minCount`.
    pub rule: &'static str,
    /// The shape that has it.
    pub shape: String,
    /// What the shape says.
    pub text: Option<String>,
    /// What exactly is wrong, where the rule is a choice.
    pub details: Vec<Violation>,
}

impl Validator {
    /// Makes a validator for graphs of a revision and a profile.
    ///
    /// # Errors
    ///
    /// Does not fail for a revision and a profile that exist; tests read the shapes of all of them.
    pub fn new(revision: Revision, profile: Profile) -> Result<Self, Error> {
        let shapes = Shapes::read(&shapes(revision, profile))?;
        Ok(Self { revision, profile, shapes, own: true })
    }

    /// Uses other shapes, in Turtle.
    ///
    /// # Errors
    ///
    /// Fails if the text is not Turtle, or if the shapes use more of SHACL than is known here.
    pub fn with_shapes(self, turtle: &str) -> Result<Self, Error> {
        Ok(Self { shapes: Shapes::read(turtle)?, own: false, ..self })
    }

    /// Checks a document.
    ///
    /// # Errors
    ///
    /// Fails if the text does not follow its syntax.
    pub fn validate(&self, text: &[u8], syntax: Syntax) -> Result<Validation, Error> {
        let statements = match syntax {
            Syntax::Json => quads_knowing(&self.encoded(text)?, Syntax::NQuads, &[])?,
            other => quads_knowing(text, other, &[])?,
        };
        let data = Data::new(statements);
        let check = Check { shapes: &self.shapes, data: &data };
        let messages = messages(&data);
        let describe = |breach: &Breach| violation(breach, &messages, &data);
        let mut validation = Validation { messages: messages.len() as u64, violations: Vec::new() };
        for name in &self.shapes.targeted {
            for focus in self.focus_nodes(name, &data) {
                validation.violations.extend(check.breaches(name, &focus).iter().map(describe));
            }
        }
        for (shape, message, result) in self.results(&data) {
            let breaches = check.breaches(&shape, &result);
            validation.violations.extend(breaches.iter().map(|breach| {
                let inner = describe(breach);
                let (number, method, id) = about(&message, &messages, &data);
                Violation { message: number, method, id, ..inner }
            }));
        }
        validation.violations.sort_by_key(|violation| violation.message);
        Ok(validation)
    }

    /// Messages as they are on the wire become a graph first.
    fn encoded(&self, text: &[u8]) -> Result<Vec<u8>, Error> {
        let options = Options { profile: self.profile, ..Options::default() };
        let (mut encoder, mut out) = (Encoder::new(Syntax::NQuads, options), Vec::new());
        for document in serde_json::Deserializer::from_slice(text).into_iter::<&serde_json::value::RawValue>() {
            encoder.message(&mut out, document.map_err(Error::NotJson)?.get().as_bytes())?;
        }
        Ok(out)
    }

    fn focus_nodes(&self, name: &NamedOrBlankNode, data: &Data) -> Vec<Term> {
        let targets = self.shapes.get(name).map_or(&[][..], |shape| shape.targets.as_slice());
        let is_target = |node: &NamedOrBlankNode| {
            targets.iter().any(|target| match target {
                Target::SubjectsOf(property) => data.object(node, property.as_str()).is_some(),
                Target::Class(class) => {
                    let class = Term::from(class.clone());
                    data.objects(node, rdf::TYPE.as_str()).any(|found| *found == class)
                }
            })
        };
        // A part of a message is no message, even if an argument is called `jsonrpc`.
        let nodes = data.subjects.iter().filter(|node| !self.own || !data.is_part(node));
        nodes.filter(|node| is_target(node)).map(|node| node.clone().into()).collect()
    }

    /// The results whose request is known, each with its shape and its message.
    fn results(&self, data: &Data) -> Vec<(NamedOrBlankNode, Term, Term)> {
        let term = |name: &str| format!("{VOCABULARY}{name}");
        let mut asked: HashMap<&Term, Option<&str>> = HashMap::new();
        let mut found = Vec::new();
        let is_message =
            |node: &&NamedOrBlankNode| data.object(node, &term("jsonrpc")).is_some() && !data.is_part(node);
        for node in data.subjects.iter().filter(|node| self.own && is_message(node)) {
            let Some(id) = data.object(node, &term("id")) else { continue };
            if let Some(Term::Literal(method)) = data.object(node, &term("method")) {
                // Two requests of the same id: which one is answered cannot be said.
                asked.entry(id).and_modify(|known| *known = None).or_insert(Some(method.value()));
                continue;
            }
            let method = asked.get(id).copied().flatten().and_then(Method::from_name);
            let exchange = method.and_then(|method| exchange(method, self.revision));
            let (Some(exchange), Some(result)) = (exchange, data.object(node, &term("result"))) else { continue };
            if let Some(shape) = self.result_shape(data, result, exchange) {
                found.push((shape, node.clone().into(), result.clone()));
            }
        }
        found
    }

    fn result_shape(&self, data: &Data, result: &Term, exchange: &Exchange) -> Option<NamedOrBlankNode> {
        let node = node_of(result)?;
        let tag = data.object(&node, &format!("{VOCABULARY}resultType"));
        let tag = tag.map(|tag| if let Term::Literal(tag) = tag { tag.value() } else { "" });
        let is_task = data.object(&node, &format!("{VOCABULARY}task")).is_some();
        let name = match tag {
            Some("input_required") => "InputRequiredResult",
            Some("task") => "TaskHandle",
            _ if is_task && self.revision.has_core_tasks() => "CreateTaskResult",
            _ => {
                let mut found = exchange.result?;
                // Another name has no shape of its own.
                while let Body::Alias(Value::Of(name)) = &found.body {
                    found = definition(name, self.revision)?;
                }
                found.name
            }
        };
        NamedNode::new(format!("{}{name}", namespace(self.revision))).ok().map(Into::into)
    }
}

/// The messages of a graph with their numbers: what has the version of JSON-RPC.
fn messages(data: &Data) -> HashMap<Term, u64> {
    let jsonrpc = format!("{VOCABULARY}jsonrpc");
    let is_message = |node: &&NamedOrBlankNode| data.object(node, &jsonrpc).is_some() && !data.is_part(node);
    data.subjects.iter().filter(is_message).map(|node| node.clone().into()).zip(1..).collect()
}

fn about(focus: &Term, messages: &HashMap<Term, u64>, data: &Data) -> (Option<u64>, Option<String>, Option<String>) {
    let member = |name: &str| {
        let found = data.object(&node_of(focus)?, &format!("{VOCABULARY}{name}"))?;
        if let Term::Literal(literal) = found { Some(literal.value().to_owned()) } else { None }
    };
    match messages.get(focus) {
        Some(number) => (Some(*number), member("method"), member("id")),
        None => (None, None, None),
    }
}

fn violation(breach: &Breach, messages: &HashMap<Term, u64>, data: &Data) -> Violation {
    let (message, method, id) = about(&breach.focus, messages, data);
    Violation {
        message,
        method,
        id,
        path: breach.path.as_ref().map(|path| key_of(path.as_str()).to_owned()),
        value: breach.value.as_ref().map(ToString::to_string),
        rule: breach.rule,
        shape: match &breach.shape {
            NamedOrBlankNode::NamedNode(name) => name.as_str().to_owned(),
            NamedOrBlankNode::BlankNode(name) => name.to_string(),
        },
        text: breach.message.clone(),
        details: breach.details.iter().map(|detail| violation(detail, messages, data)).collect(),
    }
}

impl std::fmt::Display for Violation {
    /// One line for the rule, and one more for each detail.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(number) = self.message {
            write!(f, "message {number}")?;
            let about = [self.method.clone(), self.id.as_ref().map(|id| format!("id {id}"))];
            let about: Vec<String> = about.into_iter().flatten().collect();
            if !about.is_empty() {
                write!(f, " ({})", about.join(", "))?;
            }
            f.write_str(": ")?;
        }
        f.write_str(self.text.as_deref().unwrap_or(&self.shape))?;
        match (&self.path, &self.value) {
            // A blank node has a name of no meaning.
            (_, Some(value)) if !value.starts_with("_:") => write!(f, "; {} is broken by {value}", self.rule)?,
            _ => write!(f, "; {} is broken", self.rule)?,
        }
        for detail in &self.details {
            write!(f, "\n    {}", detail.to_string().replace('\n', "\n    "))?;
        }
        Ok(())
    }
}
