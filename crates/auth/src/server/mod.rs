//! An authorization server to embed, for those who have none.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use jackfield_auth::server::{AuthorizationServer, Resource, Users};
//!
//! let server = AuthorizationServer::builder("https://mcp.example.com")
//!     .resource(Resource::new("https://mcp.example.com/mcp").scope("files:read", "Read your files"))
//!     .users(Users::open("users.json")?)
//!     .build()?;
//! let protection = server.protect("https://mcp.example.com/mcp")?.build()?;
//! # Ok(())
//! # }
//! ```
//!
//! Serve it as a `tower` service, as an axum router (feature `axum`), or beside the endpoint of an
//! [`HttpServer`](jackfield_http::HttpServer) by [`HttpConfig::beside`](jackfield_http::HttpConfig::beside).

mod assertion;
mod assertion_claims;
mod authorize;
mod builder;
mod client;
mod client_auth;
mod client_keys;
mod clients;
mod code;
mod consent;
mod cookies;
mod credentials;
mod description;
mod documents;
mod embedded;
mod exchange;
mod grant;
mod http_service;
mod introspect;
mod issue;
mod key_schedule;
mod keys;
mod login;
mod pages;
mod per_origin_limit;
mod redirect;
mod refresh;
mod registration;
mod request;
mod respond;
mod revoke;
mod route;
mod session;
mod shared_keys;
mod third_party;
mod throttle;
mod token;
mod upstream;
mod upstream_redirect;
mod users;

pub use assertion::TrustedIssuer;
pub use builder::{AuthorizationServer, AuthorizationServerBuilder, BuildError, Lifetimes, Resource};
pub use client::Client;
pub use embedded::EmbeddedVerifier;
pub use exchange::AssertionTarget;
pub use keys::KeyRing;
pub use registration::Registration;
pub use third_party::ThirdPartyError;
pub use throttle::Rate;
pub use upstream::Upstream;
pub use users::{Users, UsersError};

#[cfg(feature = "store")]
pub use crate::shared_store::SharedStore;
pub use crate::store::{AuthStore, MemoryStore, StoreError, Storing};
