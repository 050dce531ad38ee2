//! What stands between a connection and the handlers: [`Next`] for requests of all kinds, [`NextTool`] for calls of tools, [`TowerHandler`]
//! for layers of `tower`.

pub use jackfield_peer::{Extensions, Incoming, Reply, TowerHandler};
pub use jackfield_protocol::Method;
pub use jackfield_protocol::envelope::MethodName;
#[cfg(feature = "server")]
pub use jackfield_server::{Next, NextTool, Route};
