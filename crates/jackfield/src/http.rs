//! The HTTP transport: configuration, limits, and a service to mount in an application of your own.

#[cfg(feature = "axum")]
pub use jackfield_http::router;
pub use jackfield_http::{
    Authentication, Authenticator, Body, BoundServer, ClientAddress, Error, ExtraRoutes, HttpConfig, HttpLimits,
    HttpServer, RouteFuture, SessionId, SharedToken, SsePaths, StreamableService,
};
#[cfg(any(feature = "auth", feature = "client"))]
pub use jackfield_http::{client, fetch};
