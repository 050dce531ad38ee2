//! Where users may be sent back to.

use url::Url;

use crate::metadata::{ApplicationType, Redirects, is_loopback};
use crate::server::oauth_clients::client::{Client, Origin};

/// Whether a client may register an address. A client that runs on a server does not have its users come back to their own
/// machine, nor to an application there.
pub(in crate::server) fn may_register(text: &str, application: Option<ApplicationType>, redirects: Redirects) -> bool {
    redirects
        .allowed(text)
        .is_some_and(|url| application != Some(ApplicationType::Web) || (url.scheme() == "https" && !is_loopback(&url)))
}

/// Whether an address is one that was registered: to the letter, but the port of a loopback address may differ, because a
/// program cannot choose it beforehand (RFC 8252, section 7.3).
pub(in crate::server) fn is_registered(asked: &str, registered: &[String]) -> bool {
    registered.iter().any(|known| known == asked || differs_in_loopback_port(asked, known))
}

fn differs_in_loopback_port(asked: &str, known: &str) -> bool {
    match (split_loopback(asked), split_loopback(known)) {
        (Some(asked), Some(known)) => asked == known,
        _ => false,
    }
}

/// Splits a loopback address into what stands before and after its port. Text, not URLs: no two spellings are the same.
fn split_loopback(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("http://")?;
    let host = ["127.0.0.1", "[::1]", "localhost"].into_iter().find(|host| {
        rest.strip_prefix(host).is_some_and(|after| after.is_empty() || after.starts_with([':', '/', '?']))
    })?;
    let after = rest.strip_prefix(host)?;
    let Some(port) = after.strip_prefix(':') else { return Some((host, after)) };
    let end = port.find(['/', '?']).unwrap_or(port.len());
    let (digits, path) = port.split_at_checked(end)?;
    let is_port = !digits.is_empty() && digits.len() <= 5 && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_port && digits.parse::<u16>().is_ok()).then_some((host, path))
}

/// Whether users may be sent to a client's address without having seen it: an administrator named the client, or the address
/// is on the user's own machine and cannot be a page that pretends to be another.
pub(in crate::server) fn is_trusted(client: &Client, redirect_uri: &str) -> bool {
    client.origin == Origin::Configured || Url::parse(redirect_uri).is_ok_and(|url| is_loopback(&url))
}

/// Adds parameters to an address that was checked.
pub(in crate::server) fn with_params(redirect_uri: &str, params: &[(&str, &str)]) -> String {
    let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(params).finish();
    let separator = if redirect_uri.contains('?') { '&' } else { '?' };
    format!("{redirect_uri}{separator}{query}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-084: variants of a registered address. AUTH-112, AUTH-113, AUTH-115, SEC-007
    #[test]
    fn only_the_registered_address_is_one() {
        let registered = [
            "https://app.example/cb".to_owned(),
            "http://127.0.0.1:3000/cb".to_owned(),
            "http://localhost/cb?x=1".to_owned(),
        ];
        for good in [
            "https://app.example/cb",
            "http://127.0.0.1:3000/cb",
            "http://127.0.0.1:49152/cb",
            "http://127.0.0.1/cb",
            "http://localhost:8080/cb?x=1",
            "http://localhost/cb?x=1",
        ] {
            assert!(is_registered(good, &registered), "{good}");
        }
        let bad = [
            "",
            "/cb",
            "app.example/cb",
            "https://app.example",
            "https://app.example/",
            "https://app.example/cb/",
            "https://app.example/CB",
            "https://APP.example/cb",
            "HTTPS://app.example/cb",
            "http://app.example/cb",
            "https://app.example:443/cb",
            "https://app.example:8443/cb",
            "https://app.example./cb",
            "https://app.example/cb?",
            "https://app.example/cb?x=1",
            "https://app.example/cb#",
            "https://app.example/cb#x",
            "https://app.example/cb/../cb",
            "https://app.example/./cb",
            "https://app.example//cb",
            "https://app.example/%63b",
            "https://app.example/cb%00",
            "https://app.example/cb ",
            " https://app.example/cb",
            "https://app.example/cb\n",
            "https://user@app.example/cb",
            "https://app.example@evil.example/cb",
            "https://evil.example/cb",
            "https://app.example.evil.example/cb",
            "https://evil.example/https://app.example/cb",
            "https:\\\\app.example/cb",
            "https:/app.example/cb",
            "//app.example/cb",
            "javascript:alert(1)",
            "data:text/html,x",
            "http://127.0.0.1:3000/other",
            "http://127.0.0.1:3000/cb?x",
            "http://127.0.0.2:3000/cb",
            "http://127.0.0.1.evil.example:3000/cb",
            "http://127.0.0.1:3000@evil.example/cb",
            "http://127.0.0.1:/cb",
            "http://127.0.0.1:99999/cb",
            "http://127.0.0.1:30x0/cb",
            "http://127.1:3000/cb",
            "http://localhost:3000/cb",
            "http://[::1]:3000/cb",
            "https://127.0.0.1:3000/cb",
            "http://localhost.evil.example/cb?x=1",
        ];
        assert!(bad.len() >= 40);
        for bad in bad {
            assert!(!is_registered(bad, &registered), "{bad}");
        }
    }

    #[test]
    fn an_application_on_a_server_has_users_come_back_there() {
        use ApplicationType::{Native, Web};
        use Redirects::PrivateUse;
        assert!(may_register("https://app.example/cb", Some(Web), PrivateUse));
        for local in ["http://127.0.0.1/cb", "https://localhost/cb", "com.example.app:/cb"] {
            assert!(may_register(local, None, PrivateUse) && may_register(local, Some(Native), PrivateUse), "{local}");
            assert!(!may_register(local, Some(Web), PrivateUse), "{local}");
        }
        assert!(!may_register("com.example.app:/cb", Some(Native), Redirects::Web));
    }
}
