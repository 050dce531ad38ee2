//! Times that begin now.

pub(crate) use jackfield_peer::deadline::after;
