//! Why a store could not do what it was asked.

use std::error::Error;

/// Why a store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The store as a whole has no room.
    #[error("the store has no room for more {0}")]
    Full(&'static str),
    /// This owner has no room.
    #[error("more than {limit} {what} are kept for one owner")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many there may be.
        limit: usize,
    },
    /// There is one of that name already.
    #[error("the id is in use already")]
    Exists,
    /// The cursor is none of this store.
    #[error("the cursor is none of this store")]
    BadCursor,
    /// The address of the store cannot be read.
    #[error("the address of the store is bad: {0}")]
    BadUrl(&'static str),
    /// This kind of store was left out when the program was built.
    #[error("this program was built without the feature `{0}`, which the address of the store needs")]
    NotCompiled(&'static str),
    /// The store cannot be reached, or what it keeps cannot be read.
    #[error("the store is not available")]
    Unavailable(#[source] Box<dyn Error + Send + Sync>),
}

impl StoreError {
    /// The store cannot be reached, for a reason in words.
    pub(crate) fn unavailable(reason: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Unavailable(reason.into())
    }
}
