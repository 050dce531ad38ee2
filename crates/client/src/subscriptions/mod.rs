//! Subscriptions to the server's notifications of change.

mod mailbox;
mod subscription;

pub use subscription::{Event, Subscribe, Subscription};

pub(crate) use mailbox::{IsLast, Mailbox, Subscriptions};
