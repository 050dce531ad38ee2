//! The person: login, consent, and the way back to the client.

pub(crate) mod authorize;
pub(crate) mod code;
pub(crate) mod consent;
pub(crate) mod cookies;
pub(crate) mod credentials;
pub(crate) mod login;
pub(crate) mod pages;
pub(crate) mod redirect;
pub(crate) mod session;
pub(crate) mod third_party;
pub(crate) mod upstream;
pub(crate) mod upstream_redirect;
