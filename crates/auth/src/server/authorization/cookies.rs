//! The cookies that browsers keep for us.

use http::HeaderValue;

use crate::server::builder::AuthorizationServer;
use crate::server::requests::respond::Answer;

/// The cookies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) enum Cookie {
    /// Tells the browser that began a request from others.
    Browser,
    /// Says who is logged in.
    Session,
    /// Tells the browser that was sent to another provider from others. It exists only between consent and return.
    Upstream,
}

impl AuthorizationServer {
    pub(in crate::server) fn cookie_name(&self, cookie: Cookie) -> &'static str {
        match (cookie, self.0.is_secure) {
            (Cookie::Browser, true) => "__Host-jackfield-browser",
            (Cookie::Session, true) => "__Host-jackfield-session",
            (Cookie::Upstream, true) => "__Host-jackfield-upstream",
            // Browsers take such names over https only; on loopback there is none.
            (Cookie::Browser, false) => "jackfield-browser",
            (Cookie::Session, false) => "jackfield-session",
            (Cookie::Upstream, false) => "jackfield-upstream",
        }
    }

    /// Sets a cookie that scripts and other sites do not see; no time removes it.
    pub(in crate::server) fn set_cookie(&self, answer: &mut Answer, cookie: Cookie, value: &str, seconds: u64) {
        let secure = if self.0.is_secure { "; Secure" } else { "" };
        let name = self.cookie_name(cookie);
        let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
        if let Ok(value) = HeaderValue::from_str(&text) {
            answer.headers_mut().append(http::header::SET_COOKIE, value);
        }
    }
}
