//! What is read and checked of a request before its message is served.

mod client_memo;
mod common_headers;
mod cors;
mod header_checks;
mod host_origin;
mod negotiation;
mod owner;
mod read_body;

pub(crate) use client_memo::ClientMemo;
pub(crate) use common_headers::{HeaderOccurrence, McpHeaders};
pub(crate) use cors::Cors;
pub(crate) use header_checks::{
    LAST_EVENT_ID, NamedSession, PROTOCOL_VERSION, SESSION_ID, Version, check_notification, check_request,
    check_version, missing, session, single,
};
pub(crate) use host_origin::HostOriginCheck;
pub(crate) use negotiation::{Accepts, is_json};
pub(crate) use owner::{Owner, OwnerCounts, Permit};
pub(crate) use read_body::read_body;
