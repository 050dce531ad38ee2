//! Where requests come in.

mod arrived;
mod front;

pub(crate) use arrived::{Arrived, apart, id_of};
pub(crate) use front::Endpoint;
