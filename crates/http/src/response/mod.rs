//! How a request is answered: the body, the usual responses, and their recording.

mod body;
mod recording;
pub(crate) mod respond;
mod served;

pub use body::Body;
pub(crate) use recording::{RecordedExchange, RecordedStream};
pub(crate) use served::{Served, written};
