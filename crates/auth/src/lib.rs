//! Authorization for the Model Context Protocol, after OAuth 2.1.
//!
//! The feature `resource` protects a server: tokens are checked, missing ones are challenged, the metadata of the resource is
//! served. The feature `server` is an authorization server to embed, for those who have none. The feature `client` gets tokens for
//! a client, and keeps them. What all of them are made of stands at the root: metadata documents, challenges, scopes, signed tokens, proofs of possession.

#[cfg(any(feature = "client", feature = "resource"))]
mod basic;
pub mod challenge;
mod clock;
pub mod dpop;
pub mod jose;
pub mod metadata;
pub mod pkce;
mod random;
mod scope;
#[cfg(any(feature = "client", feature = "server"))]
mod seal;
mod secret;
#[cfg(feature = "store")]
mod shared_store;
mod store;

#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "resource")]
pub mod resource;
#[cfg(feature = "server")]
pub mod server;

pub use clock::Clock;
pub use random::NoRandomness;
pub use scope::{ScopeHierarchy, Scopes};
pub use secret::Secret;
#[cfg(feature = "store")]
pub use shared_store::SharedStore;
pub use store::{AuthStore, MemoryStore, StoreError, Storing};
