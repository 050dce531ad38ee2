//! JSON-RPC messages, read once.
//!
//! [`Message::read`] walks over the text a single time: it checks that it is JSON, finds the members of the envelope, of
//! `params` and of `_meta`, and refuses what two parsers might understand differently. Nothing is copied; parameters stay
//! slices of the received buffer until a handler decodes them into its own type.

mod lexer;
mod members;
mod message;
mod params;
mod rejected;

pub use members::{Member, Members, Span};
pub use message::{Answer, Incident, Message, MethodName, RawId, Request};
pub use params::Params;
pub use rejected::Rejected;

#[cfg(test)]
mod tests;
