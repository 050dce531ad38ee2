//! The server `fetch`: web pages as Markdown, a drop-in replacement for `mcp-server-fetch`.
//!
//! Requests go to public addresses only, unless the operator allows others; a name is resolved once, and what was checked is what is
//! dialled, for the page, for each redirect and for robots.txt. Time, redirects, bytes and the size of pages are bounded.

mod address;
mod charset;
mod decompress;
mod destination;
mod downloader;
mod failure;
mod fetcher;
mod html;
mod limits;
mod options;
mod paging;
mod robots;
mod server;
#[cfg(test)]
mod tests;

pub use destination::Destinations;
pub use limits::Limits;
pub use options::{Options, Proxy};
pub use server::server;
