//! Protecting a server: who asks shows a token, and the token is checked before anything else happens.
//!
//! [`ResourceServer`] authenticates the requests of an [`HttpServer`](jackfield_http::HttpServer) as well as a `tower` layer for any service.
//! It takes the token off the request, and leaves an [`Authorized`] and a [`Principal`](jackfield_peer::Principal) in its place.

mod access_token;
mod authorized;
mod builder;
mod check;
mod introspection;
mod jwt;
mod layer;
mod refusal;
mod rules;
mod verifier;

pub use access_token::AccessToken;
pub use authorized::Authorized;
pub use builder::{BuildError, DpopUse, ResourceServer, ResourceServerBuilder};
pub use introspection::{Introspection, IntrospectionClient};
pub use jwt::JwtVerifier;
pub use layer::Protected;
pub use rules::{Operation, ScopeRules};
pub use verifier::{TokenVerifier, VerifyError, Verifying};
