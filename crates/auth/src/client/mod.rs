//! The client's side: finds out where tokens come from, gets them, keeps them, renews them.
//!
//! [`OAuth`] says how an application gets tokens. [`OAuth::server`] makes a [`Login`] for one server, which the HTTP client asks
//! who is asking. Nothing happens until the server wants to know.
//!
//! ```no_run
//! use jackfield_auth::client::{FileStore, Loopback, OAuth};
//!
//! # fn example() -> Result<(), jackfield_auth::client::AuthError> {
//! let oauth = OAuth::new("My App").store(FileStore::of_user()?).interaction(Loopback::in_browser());
//! let login = oauth.server("https://mcp.example.com/mcp")?;
//! # Ok(())
//! # }
//! ```
//!
//! A [`KeyringStore`] seals what a [`FileStore`] keeps with a key in a keyring; `PlatformKeyring` is that of the platform (feature `keyring`).
//! Clients that connect with a login declare the extensions of the protocol by which it gets its tokens.

mod assertion;
mod authorize;
mod binding;
mod browser;
mod callback;
mod discovery;
mod error;
mod event;
mod grant;
mod identity;
mod interaction;
mod login;
mod oauth;
mod reaction;
mod registration;
mod renewal;
mod response;
mod store;
mod token_endpoint;
mod turn;

pub use assertion::{AssertionFile, AssertionSource, AssertionWanted, IdentityProvider};
pub use browser::{Opener, SystemBrowser, Terminal};
pub use callback::Loopback;
pub use error::AuthError;
pub use event::{AuthEvent, ClientOrigin, Document};
pub use identity::GivenClient;
pub use interaction::{Interaction, Page, Paste, Visit};
pub use login::{Account, Login};
pub use oauth::{Binding, OAuth};
#[cfg(feature = "keyring")]
pub use store::PlatformKeyring;
pub use store::{
    CredentialStore, FileStore, Keyring, KeyringStore, MemoryStore, Place, Sealing, StoreError, StoreLock,
};
