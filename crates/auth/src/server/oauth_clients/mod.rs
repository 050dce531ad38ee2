//! The programs that ask for tokens.

pub(crate) mod client;
pub(crate) mod client_auth;
pub(crate) mod client_keys;
pub(crate) mod clients;
pub(crate) mod documents;
pub(crate) mod registration;
