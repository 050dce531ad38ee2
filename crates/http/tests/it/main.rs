//! The transport at its border: real sockets on loopback, raw bytes, and a client of a few lines.

mod client;
mod fixture;

mod guards;
mod header_checks;
mod http_sse;
mod legacy;
mod malformed;
mod modern;
mod mount;
mod resume;
mod security;
mod shutdown;
mod streams;
mod timing;
