//! The vocabulary: which IRIs the members of messages have, and the context that says so.

use serde_json::{Value, json};

/// The namespace of every term, written `mcp:`.
pub const VOCABULARY: &str = "http://modelcontextprotocol.io/ontology#";

/// Where the building block publishes its context. Documents refer to it by default; it is never fetched.
pub const CONTEXT_URL: &str = "https://ogcincubator.github.io/modelcontextprotocol/build/annotated/mcp/context.jsonld";

/// Where the register publishes the annotated schemas and contexts of its building blocks.
pub(crate) const REGISTER: &str = "https://ogcincubator.github.io/modelcontextprotocol/build/annotated/";

pub(crate) const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
pub(crate) const RDFS: &str = "http://www.w3.org/2000/01/rdf-schema#";
pub(crate) const XSD: &str = "http://www.w3.org/2001/XMLSchema#";
pub(crate) const OWL: &str = "http://www.w3.org/2002/07/owl#";
pub(crate) const PROV: &str = "http://www.w3.org/ns/prov#";
pub(crate) const SHACL: &str = "http://www.w3.org/ns/shacl#";
pub(crate) const RDF_JSON: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON";

/// The member that holds, as one JSON literal, those members of an object that no term can name.
pub(crate) const OTHER_MEMBERS: &str = "otherMembers";

/// The prefixes of the context. A member of this name would mean the namespace itself.
const PREFIXES: [(&str, &str); 3] = [("mcp", VOCABULARY), ("rdfs", RDFS), ("xsd", XSD)];

/// Returns the JSON-LD context: a document with the single member `@context`.
#[must_use]
pub fn context() -> Value {
    let mut context = json!({ "@version": 1.1, "@vocab": VOCABULARY });
    for (prefix, namespace) in PREFIXES {
        context[prefix] = namespace.into();
    }
    json!({ "@context": context })
}

/// Whether the vocabulary can name a member: its name, put behind the namespace, is an IRI, and JSON-LD reads it so.
pub(crate) fn is_term(key: &str) -> bool {
    !key.is_empty()
        && key.bytes().all(|byte| byte >= 0x80 || TERM_BYTES[usize::from(byte)])
        && (key.is_ascii() || key.chars().all(|c| c.is_ascii() || c.is_alphanumeric()))
        && key != OTHER_MEMBERS
        && PREFIXES.iter().all(|(prefix, _)| key != *prefix)
}

/// A term as Turtle writes it: with its prefix where that is possible.
pub(crate) fn turtle_term(key: &str) -> String {
    let is_simple = key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if is_simple { format!("mcp:{key}") } else { format!("<{VOCABULARY}{key}>") }
}

/// The characters of ASCII that may stand in a fragment (RFC 3987), without `:` and `@`, which mean something in JSON-LD.
const TERM_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let letters = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=/?";
    let mut at = 0;
    while at < letters.len() {
        table[letters[at] as usize] = true;
        at += 1;
    }
    table
};

/// Returns the member that an IRI names; an IRI of another vocabulary names a member of its own.
pub(crate) fn key_of(iri: &str) -> &str {
    iri.strip_prefix(VOCABULARY).unwrap_or(iri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_the_protocol_are_terms() {
        for key in ["jsonrpc", "_meta", "io.modelcontextprotocol/clientInfo", "$schema", "größe", "a-b_c.d"] {
            assert!(is_term(key), "{key}");
            assert!(oxrdf::NamedNode::new(format!("{VOCABULARY}{key}")).is_ok(), "{key}");
        }
        for key in ["", "@id", "a:b", "a b", "a#b", "a%b", "<", "mcp", "otherMembers", "\u{e000}", "\u{0}"] {
            assert!(!is_term(key), "{key}");
        }
    }

    /// Every character that we take as part of a term is one that an RDF library takes as part of an IRI.
    #[test]
    fn every_term_makes_an_iri() {
        for c in (0..=0x10_FFFF_u32).filter_map(char::from_u32) {
            let key = format!("a{c}");
            if is_term(&key) {
                assert!(oxrdf::NamedNode::new(format!("{VOCABULARY}{key}")).is_ok(), "{c:?}");
            }
        }
    }
}
