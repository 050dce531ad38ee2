//! The envelope: what JSON-RPC puts around parameters and results.

use super::kind::Kind::{Any, Id, Of, Text, Word};
use super::kind::{Member, Shape, may, must};

const JSONRPC: Member = must("jsonrpc", Word("2.0"), "the version of JSON-RPC");
const ID: Member = must("id", Id, "names the request");
const METHOD: Member = must("method", Text, "what is asked for or told");
const PARAMS: Member = may("params", Any, "the parameters of the method");

pub(super) const SHAPES: &[Shape] = &[
    Shape::new("Request", "a message that is answered", &[JSONRPC, ID, METHOD, PARAMS]),
    Shape::new("Notification", "a message that is not answered", &[JSONRPC, METHOD, PARAMS]),
    Shape::new(
        "ResultResponse",
        "an answer of a request that succeeded",
        &[JSONRPC, ID, must("result", Any, "the result of the method")],
    ),
    Shape::new(
        "ErrorResponse",
        "an answer of a request that failed",
        &[
            JSONRPC,
            may("id", Id, "names the request, if that could be read"),
            must("error", Of("Error"), "why it failed"),
        ],
    ),
];
