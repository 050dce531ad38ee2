//! Reading and comparing graphs with the libraries themselves, beside the code under test.

use jackfield_rdf::{CONTEXT_URL, Syntax, context};
use oxrdf::dataset::{CanonicalizationAlgorithm, CanonicalizationHashAlgorithm};
use oxrdf::vocab::xsd;
use oxrdf::{Dataset, GraphName, Literal, Quad, Term};

/// Reads a document.
pub(crate) fn read(text: &str, syntax: Syntax) -> Vec<Quad> {
    let default = |triple: oxrdf::Triple| triple.in_graph(GraphName::DefaultGraph);
    match syntax {
        Syntax::Turtle => oxttl::TurtleParser::new().for_slice(text).map(|t| default(t.unwrap())).collect(),
        Syntax::NTriples => oxttl::NTriplesParser::new().for_slice(text).map(|t| default(t.unwrap())).collect(),
        Syntax::NQuads => oxttl::NQuadsParser::new().for_slice(text).map(Result::unwrap).collect(),
        Syntax::JsonLd | Syntax::Expanded => {
            let parser = oxjsonld::JsonLdParser::new().for_slice(text).with_load_document_callback(|url, _| {
                assert_eq!(url, CONTEXT_URL);
                let document = context().to_string().into_bytes();
                Ok(oxjsonld::JsonLdRemoteDocument { document, document_url: url.to_owned() })
            });
            parser.map(Result::unwrap).collect()
        }
        _ => panic!("{syntax} has no statements"),
    }
}

/// Gives blank nodes the names that depend on the graph alone (RDFC-1.0), so that equal graphs are equal text. Doubles are
/// compared by value: `5e-01` and `5.0E-1` are one number.
pub(crate) fn canonical(quads: Vec<Quad>) -> Vec<String> {
    let mut dataset = Dataset::new();
    for mut quad in quads {
        if let Term::Literal(literal) = &quad.object
            && literal.datatype() == xsd::DOUBLE
        {
            quad.object = Literal::from(literal.value().parse::<f64>().unwrap()).into();
        }
        dataset.insert(&quad);
    }
    dataset.canonicalize(CanonicalizationAlgorithm::Rdfc10 { hash_algorithm: CanonicalizationHashAlgorithm::Sha256 });
    let mut lines: Vec<String> = dataset.iter().map(|quad| quad.to_string()).collect();
    lines.sort();
    lines
}
