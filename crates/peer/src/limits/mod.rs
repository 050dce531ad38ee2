//! Bounds: how much a peer may ask for, and how often.

#[expect(clippy::module_inception, reason = "split in the next step")]
mod limits;
mod rate;
mod token_bucket;

pub use limits::Limits;
pub use rate::Rate;
pub use token_bucket::TokenBucket;
