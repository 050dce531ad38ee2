//! Several nodes of one server, each a process of its own, behind a proxy that knows nothing of sessions.

mod cost;
mod process;
mod proxy;
mod session;
mod storm;
mod wire;

pub use cost::{Cost, cost};
pub use process::NodeProcess;
pub use proxy::Proxy;
pub use session::{Call, Ended, Session};
pub use storm::{Report, Storm};
pub use wire::{Answer, Wire};
