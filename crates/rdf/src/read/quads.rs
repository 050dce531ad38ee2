//! Statements from text, in any syntax.

use oxjsonld::{JsonLdParser, JsonLdRemoteDocument};
use oxrdf::{GraphName, Quad};
use oxttl::{NQuadsParser, NTriplesParser, TurtleParser};

use crate::vocabulary::{CONTEXT_URL, context};
use crate::{Encoder, Error, Options, Syntax};

/// Returns the statements of a document. JSON-LD may be one document or one per line.
pub(crate) fn quads(text: &[u8], syntax: Syntax) -> Result<Vec<Quad>, Error> {
    quads_knowing(text, syntax, &[])
}

/// The same, taking the addresses `known` for copies of the vocabulary's context.
pub(crate) fn quads_knowing(text: &[u8], syntax: Syntax, known: &[String]) -> Result<Vec<Quad>, Error> {
    match syntax {
        Syntax::Json => {
            let (mut encoder, mut out) = (Encoder::new(Syntax::NQuads, Options::default()), Vec::new());
            encoder.message(&mut out, text)?;
            quads_knowing(&out, Syntax::NQuads, known)
        }
        Syntax::JsonLd | Syntax::Expanded => json_ld(text, syntax, known),
        Syntax::Turtle => {
            let triples = TurtleParser::new().for_slice(text);
            triples.map(|t| t.map(in_default_graph).map_err(|e| Error::malformed(syntax, e))).collect()
        }
        Syntax::NTriples => {
            let triples = NTriplesParser::new().for_slice(text);
            triples.map(|t| t.map(in_default_graph).map_err(|e| Error::malformed(syntax, e))).collect()
        }
        Syntax::NQuads => {
            NQuadsParser::new().for_slice(text).map(|q| q.map_err(|e| Error::malformed(syntax, e))).collect()
        }
    }
}

fn in_default_graph(triple: oxrdf::Triple) -> Quad {
    triple.in_graph(GraphName::DefaultGraph)
}

/// JSON-LD documents one after the other. A blank node without a name is a new one in each of them.
fn json_ld(text: &[u8], syntax: Syntax, known: &[String]) -> Result<Vec<Quad>, Error> {
    let mut all = Vec::new();
    for document in serde_json::Deserializer::from_slice(text).into_iter::<&serde_json::value::RawValue>() {
        let document = document.map_err(Error::NotJson)?;
        let known = known.to_vec();
        let parser = JsonLdParser::new().for_slice(document.get()).with_load_document_callback(move |url, _| {
            if url != CONTEXT_URL && !known.iter().any(|other| other == url) {
                return Err(format!("contexts are not fetched, and {url} is not the one that is embedded").into());
            }
            Ok(JsonLdRemoteDocument { document: context().to_string().into_bytes(), document_url: url.to_owned() })
        });
        for quad in parser {
            all.push(quad.map_err(|e| Error::malformed(syntax, e))?);
        }
    }
    Ok(all)
}
