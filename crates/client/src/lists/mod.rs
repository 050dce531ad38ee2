//! Lists and proposals of a server, and the results that it allows to keep.

mod cache;
mod listing;
mod typing;

pub use cache::{Cache, CacheOwner};
pub use listing::{Listed, Listing};
pub use typing::Typing;
