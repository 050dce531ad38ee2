//! Where credentials are kept.

mod file;
mod keyring;
mod memory;
#[cfg(unix)]
#[path = "unix.rs"]
mod platform;
#[cfg(not(unix))]
#[path = "windows.rs"]
mod platform;
#[cfg(feature = "keyring")]
mod platform_keyring;

use std::any::Any;
use std::fmt;
use std::io;

use jackfield_http::client::Boxed;

use crate::Secret;

pub use file::FileStore;
pub use keyring::{Keyring, KeyringStore, Sealing};
pub use memory::MemoryStore;
#[cfg(feature = "keyring")]
pub use platform_keyring::PlatformKeyring;

/// Keeps credentials by name. What is kept is secret as a whole; the names are not, they are URLs.
pub trait CredentialStore: Send + Sync + fmt::Debug + 'static {
    /// Returns what is kept under a name.
    fn load<'a>(&'a self, name: &'a str) -> Boxed<'a, Result<Option<Secret>, StoreError>>;

    /// Keeps something under a name, in place of what was there. It is there as a whole or not at all.
    fn save<'a>(&'a self, name: &'a str, value: &'a Secret) -> Boxed<'a, Result<(), StoreError>>;

    /// Forgets a name.
    fn remove<'a>(&'a self, name: &'a str) -> Boxed<'a, Result<(), StoreError>>;

    /// Returns all names. What is kept but cannot be read, not even its name, is there as what is wrong with it.
    fn names(&self) -> Boxed<'_, Result<Vec<Result<String, StoreError>>, StoreError>>;

    /// Waits until nobody else holds the name, in this process or another, for at most a minute.
    fn lock<'a>(&'a self, name: &'a str) -> Boxed<'a, Result<StoreLock, StoreError>>;

    /// Says where things are kept, for people.
    fn place(&self) -> Place {
        Place::default()
    }
}

/// Where credentials are kept, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The name of the place, such as a directory; empty if it has none.
    pub name: String,
    /// Whether what is kept there is sealed with a key in the keyring of the platform.
    pub is_sealed: bool,
    /// Why no keyring is used that should have been.
    pub no_keyring: Option<String>,
}

impl Place {
    /// A place with a name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

/// Holds a name until it is dropped.
pub struct StoreLock(#[expect(dead_code, reason = "it is held, not read")] Box<dyn Any + Send>);

impl StoreLock {
    /// Wraps what holds the name.
    pub fn new(held: impl Any + Send) -> Self {
        Self(Box::new(held))
    }
}

impl fmt::Debug for StoreLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoreLock")
    }
}

/// Credentials cannot be read or kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file system says no.
    #[error("credentials cannot be kept in {place}")]
    File {
        /// Where.
        place: String,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// Others can read the file, or it is not one.
    #[error("{0} is not safe for credentials: {1}")]
    Unsafe(String, &'static str),
    /// There is no place for them.
    #[error("there is no directory for credentials; HOME is not set")]
    NoPlace,
    /// What was kept cannot be read any more.
    #[error("the credentials for {0} cannot be read; log out and in again")]
    Damaged(String),
    /// A file of the store cannot be read any more, so that nobody knows what it was for.
    #[error("{0} does not hold credentials that can be read; remove it, and log in again where they are missing")]
    DamagedFile(String),
    /// They are sealed with a key in the keyring, which this store does not use.
    #[error("the credentials for {0} are sealed with a key in the keyring")]
    Sealed(String),
    /// Somebody else holds them for too long.
    #[error("another process holds the credentials for too long")]
    Locked,
    /// The keyring of the platform says no.
    #[error("the keyring cannot be used: {0}")]
    Keyring(String),
}

impl StoreError {
    /// Whether it is about one entry, so that others may still be read.
    pub(super) fn is_of_one_entry(&self) -> bool {
        matches!(self, Self::File { .. } | Self::Unsafe(..) | Self::Damaged(_) | Self::DamagedFile(_) | Self::Sealed(_))
    }
}
