//! Turtle, nested as the message is, for people.

use serde_json::{Map, Value};

use super::lines::escape;
use crate::Profile;
use crate::literal::Literal;
use crate::view::{View, other_members, terms};
use crate::vocabulary::{OTHER_MEMBERS, VOCABULARY};

/// Appends a message as one statement; the prefixes `mcp`, `rdf` and `xsd` must be declared.
pub(crate) fn turtle(out: &mut Vec<u8>, message: &Map<String, Value>, profile: Profile) {
    let mut writer = Turtle { out, profile };
    let pairs = writer.pairs(message);
    match pairs.is_empty() {
        // A node without properties makes no statement, so there is nothing to say about it.
        true => return,
        false => writer.out.extend_from_slice(b"[]"),
    }
    writer.properties(&pairs, 0);
    writer.out.extend_from_slice(b" .\n");
}

struct Turtle<'o> {
    out: &'o mut Vec<u8>,
    profile: Profile,
}

/// A property with one of its values.
struct Pair<'a> {
    key: &'a str,
    value: View<'a>,
}

impl Turtle<'_> {
    /// Returns what a node says; values of a set stand one by one.
    fn pairs<'a>(&self, members: &'a Map<String, Value>) -> Vec<Pair<'a>> {
        let mut pairs = Vec::new();
        for (key, value) in terms(members) {
            self.spread(&mut pairs, key, View::of(value, Some(key), self.profile));
        }
        if let Some(others) = other_members(members, self.profile) {
            pairs.push(Pair { key: OTHER_MEMBERS, value: View::Literal(Literal::json(&others)) });
        }
        pairs
    }

    fn spread<'a>(&self, pairs: &mut Vec<Pair<'a>>, key: &'a str, value: View<'a>) {
        match value {
            View::Absent => {}
            View::Set(items) => {
                items.iter().for_each(|item| self.spread(pairs, key, View::of(item, None, self.profile)));
            }
            value => pairs.push(Pair { key, value }),
        }
    }

    fn properties(&mut self, pairs: &[Pair<'_>], depth: usize) {
        for (index, pair) in pairs.iter().enumerate() {
            self.out.extend_from_slice(if index == 0 { b" " } else { b" ;\n" });
            if index > 0 {
                self.out.extend(std::iter::repeat_n(b' ', 4 * (depth + 1)));
            }
            self.predicate(pair.key);
            self.out.push(b' ');
            self.object(&pair.value, depth + 1);
        }
    }

    fn object(&mut self, value: &View<'_>, depth: usize) {
        match value {
            View::Absent | View::Set(_) => {}
            View::Literal(literal) => self.literal(literal),
            View::Node(members) => {
                let pairs = self.pairs(members);
                self.out.push(b'[');
                self.properties(&pairs, depth);
                self.out.extend_from_slice(b" ]");
            }
            View::List(items) => {
                self.out.push(b'(');
                for item in *items {
                    self.out.push(b' ');
                    self.object(&View::of(item, None, self.profile), depth);
                }
                self.out.extend_from_slice(b" )");
            }
        }
    }

    fn predicate(&mut self, key: &str) {
        let is_simple = key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let (before, after): (&[u8], &[u8]) = if is_simple { (b"mcp:", b"") } else { (b"<", b">") };
        self.out.extend_from_slice(before);
        if !is_simple {
            self.out.extend_from_slice(VOCABULARY.as_bytes());
        }
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(after);
    }

    fn literal(&mut self, literal: &Literal<'_>) {
        match literal {
            Literal::Text(text) => escape(self.out, text),
            Literal::Boolean(truth) => self.out.extend_from_slice(if *truth { b"true" } else { b"false" }),
            Literal::Integer(digits) => self.out.extend_from_slice(digits.as_bytes()),
            Literal::Double(text) => self.out.extend_from_slice(text.as_bytes()),
            Literal::Json(text) => {
                escape(self.out, text);
                self.out.extend_from_slice(b"^^rdf:JSON");
            }
        }
    }
}
