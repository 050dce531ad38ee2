//! Serving a byte stream with one message per line.

mod batches;
mod byte_stream;
mod connection;
mod dispatch;
mod lines;
mod output;
mod stream_outlet;

pub use byte_stream::ByteStream;
pub use connection::{Connection, Error};
pub use lines::{Line, Lines};
