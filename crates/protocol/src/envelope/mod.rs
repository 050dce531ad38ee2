//! JSON-RPC messages, read once.
//!
//! [`Message::read`] walks over the text a single time: it checks that it is JSON, finds the members of the envelope, of
//! `params` and of `_meta`, and refuses what two parsers might understand differently. Nothing is copied; parameters stay
//! slices of the received buffer until a handler decodes them into its own type.

// What a peer sends cannot make this module panic.
#![cfg_attr(
    not(test),
    warn(
        clippy::indexing_slicing,
        clippy::expect_used,
        clippy::panic,
        clippy::arithmetic_side_effects,
        clippy::unreachable
    )
)]

mod lexer;
mod members;
mod memo;
mod message;
mod meta_memo;
mod object;
mod outline;
mod params;
mod raw_id;
mod rejected;
mod result_text;

pub(crate) use lexer::{Fault, Key, Lexer};
pub use members::{Member, Members, MetaMembers, ParamMembers, Span};
pub use memo::Memo;
pub use message::{Message, MethodName, RawNotification, RawResponse, Request, ResponseError};
pub use object::Object;
pub use params::Params;
pub(crate) use params::decode_str;
pub use raw_id::RawId;
pub use rejected::{About, Rejected};
pub use result_text::ResultText;

#[cfg(test)]
mod tests;
