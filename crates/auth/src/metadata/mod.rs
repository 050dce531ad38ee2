//! Documents in which servers and clients describe themselves.

mod authorization_server;
mod client;
mod protected_resource;
#[cfg(any(feature = "client", feature = "server"))]
mod redirect;
mod well_known;

pub use authorization_server::{AuthorizationServerMetadata, discover};
pub use client::{ApplicationType, ClientMetadata};
pub use protected_resource::ProtectedResourceMetadata;
#[cfg(any(feature = "client", feature = "server"))]
pub(crate) use redirect::Redirects;
#[cfg(any(feature = "client", feature = "resource"))]
pub(crate) use well_known::is_loopback;
pub use well_known::{authorization_server_urls, canonical_resource, protected_resource_url, same_resource};
