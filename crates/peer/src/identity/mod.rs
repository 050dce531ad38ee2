//! Who sends a request: the caller, how it is found out, and what a legacy session remembers of it.

mod caller;
mod caller_memo;
mod identify;
mod session;

pub use caller::{Caller, Principal};
pub use caller_memo::CallerMemo;
pub use identify::{CallerResolver, ResolvedCaller, check_method};
pub use session::{Session, SessionChange};
