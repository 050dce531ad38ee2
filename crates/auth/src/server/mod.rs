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
//! [`HttpServer`](jackfield_http::HttpServer) by [`HttpConfig::with_routes`](jackfield_http::HttpConfig::with_routes).

mod authorization;
mod builder;
mod description;
mod embedded;
mod oauth_clients;
mod requests;
mod signing;
mod tokens;
mod users;

pub use authorization::third_party::ThirdPartyError;
pub use authorization::upstream::Upstream;
pub use builder::{AuthorizationServer, AuthorizationServerBuilder, BuildError, Lifetimes, Resource};
pub use embedded::EmbeddedVerifier;
pub use oauth_clients::client::Client;
pub use oauth_clients::registration::Registration;
pub use requests::throttle::Rate;
pub use signing::keys::KeyRing;
pub use tokens::assertion::TrustedIssuer;
pub use tokens::exchange::AssertionTarget;
pub use users::{Users, UsersError};

#[cfg(feature = "store")]
pub use crate::shared_store::SharedStore;
pub use crate::store::{AuthStore, MemoryStore, StoreError, Storing};
