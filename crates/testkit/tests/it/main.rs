//! The fixtures themselves, where the conformance suite does not look; and pages in a real browser.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[cfg(all(feature = "fixtures", target_os = "linux"))]
mod browser;
#[cfg(feature = "fixtures")]
mod nodes;
#[cfg(feature = "fixtures")]
mod simulated;
#[cfg(feature = "fixtures")]
mod stdio;
