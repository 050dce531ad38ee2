//! Who sends a request: the caller, how it is found out, and what a legacy session remembers of it.

mod caller;
mod identify;
mod session;

pub use caller::{Caller, Principal};
pub use identify::{CallerResolver, ResolvedCaller};
pub use session::{Session, SessionChange};
