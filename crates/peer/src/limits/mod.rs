//! Bounds: how much a peer may ask for, and how often.

mod call_limits;
mod rate;
mod stream_limits;
mod token_bucket;

pub use call_limits::CallLimits;
pub use rate::Rate;
pub use stream_limits::StreamLimits;
pub use token_bucket::TokenBucket;
