//! What a store of values can do.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use crate::{Boxed, StoreError};

/// Keeps values by key until they expire.
///
/// Each method is one step that happens whole or not at all, whoever else uses the store: single use, first come and rotation depend on
/// it. How long a value is kept is counted from the call; `None` is for ever.
pub trait KvStore: fmt::Debug + Send + Sync + 'static {
    /// Returns a value.
    ///
    /// # Errors
    /// The store is not available.
    fn get<'a>(&'a self, key: &'a str) -> Boxed<'a, Result<Option<Bytes>, StoreError>>;

    /// Sets a value, whatever was there.
    ///
    /// # Errors
    /// There is no room, or the store is not available.
    fn put<'a>(&'a self, key: &'a str, value: Bytes, keep: Option<Duration>) -> Boxed<'a, Result<(), StoreError>>;

    /// Sets a value if there is none; says whether it did.
    ///
    /// # Errors
    /// There is no room, or the store is not available.
    fn add<'a>(&'a self, key: &'a str, value: Bytes, keep: Option<Duration>) -> Boxed<'a, Result<bool, StoreError>>;

    /// Removes a value and returns it: of many who take it, one gets it.
    ///
    /// # Errors
    /// The store is not available.
    fn take<'a>(&'a self, key: &'a str) -> Boxed<'a, Result<Option<Bytes>, StoreError>>;

    /// Sets a value if the one before is `before` still; says whether it did.
    ///
    /// # Errors
    /// There is no room, or the store is not available.
    fn replace<'a>(
        &'a self,
        key: &'a str,
        before: &'a [u8],
        after: Bytes,
        keep: Option<Duration>,
    ) -> Boxed<'a, Result<bool, StoreError>>;

    /// Removes a value; says whether there was one.
    ///
    /// # Errors
    /// The store is not available.
    fn remove<'a>(&'a self, key: &'a str) -> Boxed<'a, Result<bool, StoreError>>;
}
