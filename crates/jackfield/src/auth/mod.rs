//! Authorization: who may use what.
//!
//! # Servers
//!
//! [`ResourceServer`](resource::ResourceServer) checks tokens at the door; [`Protect::protect`] says what they have to allow for
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
//! let door = ResourceServer::builder("https://mcp.example.com/mcp").issuer(issuer, JwtVerifier::new(issuer, keys)).build()?;
//! let server = Server::new("files").tools(tools![delete]).protect(ScopeRules::new().tool("delete", "files:write"));
//! server.serve_http_with("127.0.0.1:8000", HttpConfig::default().with_authenticator(door).allow_host("mcp.example.com")).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Clients
//!
//! [`OAuth`](client::OAuth) says how an application gets tokens; a login for one server is what the HTTP client asks who is asking.
//! Nothing happens until the server wants to know. Then the authorization server is found, the user's browser is opened, and the
//! request is sent again with the token; later it is renewed in time.
//!
//! ```no_run
//! # #[cfg(all(feature = "auth-client", feature = "client"))]
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

#[cfg(all(feature = "auth", feature = "server"))]
mod protect;

pub use jackfield_auth::*;

#[cfg(all(feature = "auth", feature = "server"))]
pub use protect::{AuthContext, Protect};
