//! N-Triples and N-Quads, straight from the message: one line per statement, nothing in between.

use serde_json::{Map, Value};

use jackfield_protocol::json::write_u64;

use crate::Profile;
use crate::literal::Literal;
use crate::view::{View, other_members, terms};
use crate::vocabulary::{OTHER_MEMBERS, RDF, RDF_JSON, VOCABULARY, XSD};

/// Writes the statements of one message.
pub(crate) struct Lines<'a> {
    out: &'a mut Vec<u8>,
    profile: Profile,
    /// Makes the names of blank nodes different from those of other messages.
    message: u64,
    /// The IRI of the graph that the statements are in.
    graph: Option<&'a str>,
    nodes: u64,
}

/// The subject and predicate that the next value belongs to.
#[derive(Clone, Copy)]
enum Link<'k> {
    Property(u64, &'k str),
    First(u64),
}

impl<'a> Lines<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>, profile: Profile, message: u64, graph: Option<&'a str>) -> Self {
        Self { out, profile, message, graph, nodes: 0 }
    }

    pub(crate) fn message(&mut self, members: &Map<String, Value>) {
        let root = self.node();
        self.members(root, members);
    }

    fn members(&mut self, subject: u64, members: &Map<String, Value>) {
        for (key, value) in terms(members) {
            self.value(Link::Property(subject, key), value, Some(key));
        }
        if let Some(others) = other_members(members, self.profile) {
            self.literal(Link::Property(subject, OTHER_MEMBERS), &Literal::json(&others));
        }
    }

    fn value(&mut self, link: Link<'_>, value: &Value, key: Option<&str>) {
        match View::of(value, key, self.profile) {
            View::Absent => {}
            View::Literal(literal) => self.literal(link, &literal),
            View::Node(members) => {
                let node = self.node();
                self.link(link);
                self.blank(node);
                self.end();
                self.members(node, members);
            }
            View::List(items) => self.list(link, items),
            View::Set(items) => items.iter().for_each(|item| self.value(link, item, None)),
        }
    }

    fn list(&mut self, link: Link<'_>, items: &[Value]) {
        self.link(link);
        let mut before = None;
        for item in items {
            let cell = self.node();
            if let Some(before) = before {
                self.rest(before);
            }
            self.blank(cell);
            self.end();
            self.value(Link::First(cell), item, None);
            before = Some(cell);
        }
        if let Some(last) = before {
            self.rest(last);
        }
        self.rdf("nil");
        self.end();
    }

    fn node(&mut self) -> u64 {
        self.nodes += 1;
        self.nodes
    }

    fn link(&mut self, link: Link<'_>) {
        match link {
            Link::Property(subject, key) => {
                self.blank(subject);
                self.out.extend_from_slice(b" <");
                self.out.extend_from_slice(VOCABULARY.as_bytes());
                self.out.extend_from_slice(key.as_bytes());
                self.out.extend_from_slice(b"> ");
            }
            Link::First(cell) => {
                self.blank(cell);
                self.out.push(b' ');
                self.rdf("first");
                self.out.push(b' ');
            }
        }
    }

    fn rest(&mut self, cell: u64) {
        self.blank(cell);
        self.out.push(b' ');
        self.rdf("rest");
        self.out.push(b' ');
    }

    fn blank(&mut self, node: u64) {
        self.out.extend_from_slice(b"_:m");
        write_u64(self.out, self.message);
        self.out.push(b'n');
        write_u64(self.out, node);
    }

    fn rdf(&mut self, name: &str) {
        self.iri(RDF, name);
    }

    fn iri(&mut self, namespace: &str, name: &str) {
        self.out.push(b'<');
        self.out.extend_from_slice(namespace.as_bytes());
        self.out.extend_from_slice(name.as_bytes());
        self.out.push(b'>');
    }

    fn literal(&mut self, link: Link<'_>, literal: &Literal<'_>) {
        self.link(link);
        match literal {
            Literal::Text(text) => escape(self.out, text),
            Literal::Boolean(truth) => self.typed(if *truth { "true" } else { "false" }, XSD, "boolean"),
            Literal::Integer(digits) => self.typed(digits, XSD, "integer"),
            Literal::Double(text) => self.typed(text, XSD, "double"),
            Literal::Json(text) => self.typed(text, RDF_JSON, ""),
        }
        self.end();
    }

    fn typed(&mut self, text: &str, namespace: &str, name: &str) {
        escape(self.out, text);
        self.out.extend_from_slice(b"^^");
        self.iri(namespace, name);
    }

    fn end(&mut self) {
        if let Some(graph) = self.graph {
            self.out.extend_from_slice(b" <");
            self.out.extend_from_slice(graph.as_bytes());
            self.out.push(b'>');
        }
        self.out.extend_from_slice(b" .\n");
    }
}

/// Appends a string as Turtle, N-Triples and N-Quads write it, quotes included.
pub(crate) fn escape(out: &mut Vec<u8>, text: &str) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut copied = 0;
    for (at, byte) in bytes.iter().enumerate() {
        if *byte >= 0x20 && !matches!(byte, b'"' | b'\\' | 0x7F) {
            continue;
        }
        out.extend_from_slice(&bytes[copied..at]);
        copied = at + 1;
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0C => out.extend_from_slice(b"\\f"),
            _ => {
                let digit = |half: u8| HEX[usize::from(half & 15)];
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&[digit(byte >> 4), digit(*byte)]);
            }
        }
    }
    out.extend_from_slice(&bytes[copied..]);
    out.push(b'"');
}
