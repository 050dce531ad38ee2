//! A request before it reaches its endpoint.

pub(crate) mod http_service;
pub(crate) mod per_origin_limit;
pub(crate) mod request;
pub(crate) mod respond;
pub(crate) mod route;
pub(crate) mod throttle;
