//! How much of a site's answer is taken.

use std::time::Duration;

/// How much of a site's answer is taken. The defaults are far above what ordinary pages need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The most bytes of a body as it is sent.
    pub wire_bytes: usize,
    /// The most bytes of a body when it is decompressed.
    pub decoded_bytes: usize,
    /// The longest time for one call, redirects and robots.txt included.
    pub time: Duration,
    /// The most redirects for one page.
    pub redirects: usize,
    /// The most pages that are fetched at the same time; further calls wait within their time.
    pub pages: usize,
    /// The most elements and texts of a page.
    pub nodes: usize,
    /// How deep elements of a page may be nested.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wire_bytes: 16 * 1024 * 1024,
            decoded_bytes: 32 * 1024 * 1024,
            time: Duration::from_secs(30),
            redirects: 20,
            pages: 16,
            nodes: 500_000,
            depth: 512,
        }
    }
}
