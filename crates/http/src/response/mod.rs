//! How a request is answered: the body, the usual responses, and their recording.

mod body;
mod http_answer;
mod recording;
pub(crate) mod respond;

pub use body::Body;
pub(crate) use http_answer::{HttpAnswer, written};
pub(crate) use recording::{RecordedExchange, RecordedStream};
