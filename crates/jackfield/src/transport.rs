//! Connections: byte streams, their limits, who is at the other end, and how they are closed.

pub use jackfield_peer::{
    ByteStream, CallLimits, Caller, Principal, Rate, Session, Shutdown, ShutdownTrigger, StreamLimits,
};
