//! What tests and measurements write and read byte by byte, without the code that is tested.
//!
//! It is compiled with optimisation in debug builds too: a sender that measures servers has to be faster than they are. So nothing
//! in here is generic, because that would be compiled by whoever uses it.

mod numbers;
mod pipes;
mod posts;
mod response;
mod turn;

pub use numbers::Numbers;
pub use pipes::Pipes;
pub use posts::send_posts;
pub use response::{Chunk, Head, Response};
pub use turn::Turn;
