//! A request as an endpoint gets it.

use std::net::IpAddr;
use std::sync::Arc;

use http::Request;
use http::request::Parts;
use jackfield_peer::Principal;
use jackfield_protocol::envelope::{Message, Params, RawId};

use crate::ClientAddress;
use crate::request::{Accepts, ClientMemo, Owner, Version};

/// A request as the front passes it on.
pub(crate) struct Arrived {
    pub(crate) parts: Arc<Parts>,
    /// Where it came from, if that is known.
    pub(crate) address: Option<IpAddr>,
    pub(crate) version: Version,
    pub(crate) accepts: Accepts,
}

impl Arrived {
    pub(crate) fn principal(&self) -> Option<&Principal> {
        self.parts.extensions.get::<Principal>()
    }

    /// Returns who is accountable for the request.
    pub(crate) fn owner(&self) -> Owner {
        let address = self.address.map_or(Owner::Anyone, Owner::Address);
        self.principal().map_or(address, |principal| Owner::Principal(principal.clone()))
    }
}

/// Takes a request apart, as `Endpoint::serve` wants it.
pub(crate) fn apart<B>(request: Request<B>) -> (Arc<Parts>, B) {
    let (parts, body) = request.into_parts();
    (Arc::new(parts), body)
}

/// Finds out where a request comes from: the connection knows it, or the application that the service is mounted in.
pub(super) fn address_of(parts: &Parts, from: Option<&ClientMemo>) -> Option<IpAddr> {
    from.map(|from| from.address).or_else(|| parts.extensions.get::<ClientAddress>().map(|address| address.0))
}

pub(super) fn params_of(message: &Message) -> Option<&Params> {
    match message {
        Message::Request(request) => Some(&request.params),
        Message::Notification(incident) => Some(&incident.params),
        Message::Answer(_) | Message::Batch(_) => None,
    }
}

pub(crate) fn id_of(message: &Message) -> Option<&RawId> {
    match message {
        Message::Request(request) => Some(&request.id),
        _ => None,
    }
}
