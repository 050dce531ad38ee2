//! Documents in which servers and clients describe themselves.

mod authorization_server;
mod client;
mod protected_resource;
mod well_known;

pub use authorization_server::{AuthorizationServerMetadata, discover};
pub use client::{ApplicationType, ClientMetadata};
pub use protected_resource::ProtectedResourceMetadata;
#[cfg(feature = "resource")]
pub(crate) use well_known::is_loopback;
pub use well_known::{authorization_server_urls, canonical_resource, protected_resource_url, same_resource};
