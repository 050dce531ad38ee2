//! Authorization: who may use what.
//!
//! # Servers
//!
//! [`ResourceServer`](resource::ResourceServer) checks tokens; [`Protect::protect`] says what they have to allow for
//! each tool, prompt and resource. A call that needs more is answered with 403 and a challenge that names all scopes it
//! needs, so that a client can ask its user for them; what a caller may not use is not listed.
//!
//! ```no_run
//! use jackfield::auth::Protect as _;
//! use jackfield::auth::resource::{JwtVerifier, ResourceServer, ScopeRules};
//! use jackfield::http::HttpConfig;
//! use jackfield::{Server, tool, tools};
//! # use std::sync::Arc;
//!
//! #[tool]
//! fn delete(file: String) -> String { format!("{file} is gone") }
//!
//! # async fn example(keys: Arc<dyn jackfield::auth::jose::KeySource>) -> jackfield::Result {
//! let issuer = "https://auth.example.com";
//! let authenticator = ResourceServer::builder("https://mcp.example.com/mcp").issuer(issuer, JwtVerifier::new(issuer, keys)).build()?;
//! let server = Server::new("files").tools(tools![delete]).protect(ScopeRules::new().tool("delete", "files:write"));
//! server.serve_http_with("127.0.0.1:8000", HttpConfig::default().with_authenticator(authenticator).allow_host("mcp.example.com")).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Clients
//!
//! [`OAuth`](client::OAuth) says how an application gets tokens; [`OAuth::server`](client::OAuth::server) returns the authorizer that adds
//! them to the requests to one server. Nothing happens before the server answers 401. Then the authorization server is discovered, the
//! user's browser is opened, and the request is sent again with the token; later it is renewed in time.
//!
//! Credentials are kept in the platform's keyring by `jackfield_auth::client::PlatformKeyring` (crate `jackfield-auth`, feature `keyring`).
//!
//! ```no_run
//! # #[cfg(all(feature = "client", feature = "http"))]
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use jackfield::auth::client::{FileStore, Loopback, OAuth};
//! use jackfield::client::{Client, Http};
//!
//! let url = "https://mcp.example.com/mcp";
//! let oauth = OAuth::new("My App").store(FileStore::of_user()?).interaction(Loopback::in_browser());
//! let client = Client::builder().connect(Http::new(url).authorizer(oauth.server(url)?)).await?;
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "server")]
mod protect;

pub use jackfield_auth::{
    AuthStore, Clock, MemoryStore, NoRandomness, ScopeHierarchy, Scopes, Secret, SharedStore, StoreError, Storing,
};
pub use jackfield_auth::{challenge, client, dpop, jose, metadata, pkce, resource, server};
#[cfg(feature = "server")]
pub use protect::{AuthContext, Protect};
