//! A long run: clients of all revisions over all transports, and a fault every minute.
//!
//! Each error is told apart by whether a fault explains it. What no fault explains, a call that does not end, a wrong answer, and memory
//! that grows are failures.

mod actions;
mod faults;
mod ledger;
mod memory;
mod report;
mod run;
mod worker;

pub use report::Report;
pub use run::Soak;
