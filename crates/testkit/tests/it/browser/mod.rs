//! The pages of the authorization server in a real browser, which does more than a test of headers can tell.
//!
//! They need Chromium and its driver (in Debian `chromium` and `chromium-driver`); without them they skip themselves.

mod login;
mod place;
mod refused;
mod webdriver;
