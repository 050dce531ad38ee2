//! Web pages that a server asks the person to visit. Nothing is fetched, and nothing is opened without a yes.

use std::io;

use jackfield::auth::client::{Opener as _, SystemBrowser};
use jackfield::protocol::{ElicitAction, ElicitResult, ElicitUrlParams};

use super::dialogue::{Dialogue, Typed};
use super::host_name;
use crate::show::one_line;

/// Shows the address with its host apart, and asks before it is opened.
pub(crate) fn visit(
    dialogue: &mut Dialogue<'_>,
    who: &str,
    page: &ElicitUrlParams,
    open: &dyn Fn(&str) -> io::Result<()>,
) -> io::Result<ElicitResult> {
    dialogue.say(&dialogue.style.heading(&format!("\n{} asks you to open a web page:", one_line(who))))?;
    dialogue.quote(&page.message)?;
    let address = match Address::read(&page.url) {
        Ok(address) => address,
        Err(what) => {
            dialogue.say(&dialogue.style.warning(&format!("declined: the address {} {what}", one_line(&page.url))))?;
            return Ok(ElicitResult::new(ElicitAction::Decline));
        }
    };
    dialogue.say(&format!("  host:    {}", dialogue.style.name(address.host)))?;
    dialogue.say(&format!("  address: {}", one_line(&page.url)))?;
    for warning in address.warnings() {
        dialogue.say(&dialogue.style.warning(&format!("  beware:  {warning}")))?;
    }
    loop {
        match dialogue.ask("Open it? [o]pen it in the browser, [m]anually: I open it myself, [d]ecline, [c]ancel: ")? {
            Typed::End => return Ok(ElicitResult::new(ElicitAction::Cancel)),
            Typed::Line(line) => match line.trim().to_ascii_lowercase().as_str() {
                "o" | "open" => {
                    if let Err(error) = open(&page.url) {
                        let what = format!("the browser cannot be started ({error}); open the address yourself");
                        dialogue.say(&dialogue.style.warning(&what))?;
                        continue;
                    }
                    return Ok(ElicitResult::new(ElicitAction::Accept));
                }
                "m" | "manually" => return Ok(ElicitResult::new(ElicitAction::Accept)),
                "d" | "decline" | "n" | "no" => return Ok(ElicitResult::new(ElicitAction::Decline)),
                "c" | "cancel" => return Ok(ElicitResult::new(ElicitAction::Cancel)),
                _ => {}
            },
        }
    }
}

/// An address whose parts every browser sees alike.
#[derive(Debug, PartialEq, Eq)]
struct Address<'a> {
    is_secure: bool,
    has_user: bool,
    host: &'a str,
}

impl<'a> Address<'a> {
    /// Reads an address. What browsers may read in different ways is refused.
    fn read(url: &'a str) -> Result<Self, &'static str> {
        if url.chars().any(|c| !c.is_ascii_graphic() || c == '\\') {
            return Err("has characters that can mislead");
        }
        let (scheme, rest) = url.split_once("://").ok_or("is not a web address")?;
        let is_secure = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err("is not a web address"),
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority),
        };
        let name = if host.starts_with('[') {
            host.find(']').map_or(host, |end| &host[..=end])
        } else {
            host.split(':').next().unwrap_or(host)
        };
        if name.is_empty() || name.contains('%') {
            return Err("has no clear host");
        }
        Ok(Self { is_secure, has_user: user.is_some(), host: name })
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let is_local = matches!(self.host, "localhost" | "127.0.0.1" | "[::1]");
        if !self.is_secure && !is_local {
            warnings.push("the connection is not encrypted (http)".to_owned());
        }
        if self.has_user {
            warnings.push("the address has a user name in it, which is often meant to mislead".to_owned());
        }
        if let Some(shown) = host_name::decoded(self.host) {
            warnings.push(format!("the host has letters of other scripts and reads as {}", one_line(&shown)));
        }
        warnings
    }
}

/// Opens an address in the user's browser.
pub(crate) fn open_in_browser(url: &str) -> io::Result<()> {
    let page = url::Url::parse(url).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    SystemBrowser.open(&page)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-060, T-114: the host is the one that a browser would visit, and what is unclear is refused.
    #[test]
    fn the_host_is_found_or_the_address_refused() {
        for (url, host) in [
            ("https://example.com/a?b=https://other.example", Some("example.com")),
            ("https://example.com:8443", Some("example.com")),
            ("https://bank.example@evil.example/", Some("evil.example")),
            ("HTTP://[::1]:80/x", Some("[::1]")),
            ("https://evil.example\\@bank.example", None),
            ("https://bank.example\u{202e}/", None),
            ("https://bänk.example/", None),
            ("https:///x", None),
            ("https://a%2fb/", None),
            ("javascript:alert(1)", None),
            ("file:///etc/passwd", None),
            ("--help", None),
            ("https://x/ $(reboot)", None),
        ] {
            assert_eq!(Address::read(url).ok().map(|address| address.host), host, "{url}");
        }
    }

    #[test]
    fn misleading_addresses_come_with_a_warning() {
        for (url, part) in [
            ("http://example.com", "not encrypted"),
            ("https://bank@evil.example", "user name"),
            ("https://xn--mnchen-3ya.example", "münchen.example"),
        ] {
            let warnings = Address::read(url).unwrap().warnings();
            assert!(warnings.iter().any(|warning| warning.contains(part)), "{url}: {warnings:?}");
        }
        assert!(Address::read("http://localhost:1/").unwrap().warnings().is_empty());
        assert!(Address::read("https://example.com/").unwrap().warnings().is_empty());
    }
}
