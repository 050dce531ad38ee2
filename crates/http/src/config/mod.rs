//! What an application sets: paths, limits, who authenticates requests, and routes of its own.

mod authenticate;
mod extra_routes;
mod http_config;
mod http_limits;
mod shared_token;

pub use authenticate::{Authentication, Authenticator};
pub use extra_routes::{ClientAddress, ExtraRoutes, RouteFuture};
pub use http_config::{HttpConfig, SsePaths};
pub use http_limits::HttpLimits;
pub use shared_token::SharedToken;
