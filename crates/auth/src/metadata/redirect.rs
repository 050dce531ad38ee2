//! Where users may be sent back to.

use url::Url;

use super::is_loopback;

/// Which addresses users may be sent back to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Redirects {
    /// `https`, or `http` on the user's own machine, as the specification asks.
    #[default]
    Web,
    /// Those, and schemes of applications (RFC 8252, section 7.1).
    PrivateUse,
}

impl Redirects {
    /// Reads an address that users may be sent back to; none if they may not. No fragment, no user information.
    pub(crate) fn allowed(self, text: &str) -> Option<Url> {
        let url = Url::parse(text).ok()?;
        let is_plain = text.len() <= 2048
            && !text.contains(['#', '\\', ' ', '*'])
            && !text.chars().any(|character| character.is_control() || !character.is_ascii())
            && url.username().is_empty()
            && url.password().is_none();
        let is_allowed = match url.scheme() {
            "https" => url.host().is_some(),
            "http" => is_loopback(&url),
            // A reversed domain name cannot be one of the schemes that run something.
            scheme => self == Self::PrivateUse && scheme.contains('.'),
        };
        (is_plain && is_allowed).then_some(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AUTH-105
    #[test]
    fn users_come_back_to_https_or_to_their_own_machine() {
        for good in ["https://app.example/cb", "http://127.0.0.1:3000/cb", "http://localhost/cb", "http://[::1]/cb"] {
            assert!(Redirects::Web.allowed(good).is_some(), "{good}");
        }
        for bad in [
            "http://app.example/cb",
            "com.example.app:/cb",
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "vbscript:x",
            "about:blank",
            "blob:https://x",
            "ftp://app.example/",
            "https://app.example/#x",
            "https://u:p@app.example/",
            "not a url",
            "https://app.example/*",
            "ms-settings:x",
            "http://127.0.0.1.evil.example/",
        ] {
            assert!(Redirects::Web.allowed(bad).is_none(), "{bad}");
            assert_eq!(Redirects::PrivateUse.allowed(bad).is_some(), bad == "com.example.app:/cb", "{bad}");
        }
    }
}
