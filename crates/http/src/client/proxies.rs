//! Proxies that somebody configured: one for everything, or those of the environment.

use std::fmt;

use http::Uri;
use hyper_util::client::proxy::matcher::Matcher;

/// The schemes of the proxies that connections can be opened through.
const SCHEMES: [&str; 3] = ["http", "socks5", "socks5h"];

/// Proxies to use for every request they apply to, also for this machine and within any reach. A proxy resolves names itself.
pub struct Proxies {
    pub(super) matcher: Matcher,
}

/// Why a proxy cannot be used. The text does not repeat the URL, which may hold a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {problem}")]
pub struct BadProxy {
    setting: &'static str,
    problem: String,
}

/// The settings of proxies, as they were given.
#[derive(Default)]
struct Settings {
    all: Option<String>,
    http: Option<String>,
    https: Option<String>,
    no: Option<String>,
}

impl Proxies {
    /// Uses one proxy for everything: `http://`, `socks5://`, `socks5h://` or `socks://` with user name and password if it wants them.
    ///
    /// # Errors
    /// The URL cannot be read, or the scheme is another one.
    pub fn all(url: &str) -> Result<Self, BadProxy> {
        let url = checked("the URL of the proxy", url)?;
        Ok(Self { matcher: Matcher::builder().all(url).build() })
    }

    /// Uses what `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` say, in upper or lower case.
    ///
    /// # Errors
    /// A URL cannot be read, or its scheme is not one of [`Proxies::all`].
    pub fn from_env() -> Result<Self, BadProxy> {
        Self::from_settings(Settings::read(|name| std::env::var(name).ok()))
    }

    fn from_settings(settings: Settings) -> Result<Self, BadProxy> {
        let url = |name, value: Option<String>| value.map_or(Ok(String::new()), |value| checked(name, &value));
        let matcher = Matcher::builder()
            .all(url("ALL_PROXY", settings.all)?)
            .http(url("HTTP_PROXY", settings.http)?)
            .https(url("HTTPS_PROXY", settings.https)?)
            .no(settings.no.unwrap_or_default())
            .build();
        Ok(Self { matcher })
    }
}

impl Settings {
    fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let either = |lower: &str| {
            let filled = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
            // A web server hands the header `Proxy` of a request to its programs as HTTP_PROXY.
            let is_forged = lower == "http_proxy" && variable("REQUEST_METHOD").is_some();
            filled(lower).or_else(|| filled(&lower.to_ascii_uppercase()).filter(|_| !is_forged))
        };
        Self {
            all: either("all_proxy"),
            http: either("http_proxy"),
            https: either("https_proxy"),
            no: either("no_proxy"),
        }
    }
}

/// Returns the URL of a proxy with a scheme and a port that say what is meant.
fn checked(setting: &'static str, url: &str) -> Result<String, BadProxy> {
    let bad = |problem: &str| BadProxy { setting, problem: problem.to_owned() };
    let url = url.trim();
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    let scheme = match scheme.to_ascii_lowercase().as_str() {
        // What desktops export.
        "socks" => "socks5".to_owned(),
        other => other.to_owned(),
    };
    if !SCHEMES.contains(&scheme.as_str()) {
        return Err(bad("only http, socks5 and socks5h proxies can be used"));
    }
    let mut authority = rest.split(['/', '?', '#']).next().unwrap_or_default().to_owned();
    let uri: Uri = format!("{scheme}://{authority}/").parse().map_err(|_| bad("it is not a URL"))?;
    if uri.host().is_none_or(str::is_empty) {
        return Err(bad("it has no host"));
    }
    if uri.port().is_none() && scheme != "http" {
        authority.push_str(":1080");
    }
    Ok(format!("{scheme}://{authority}"))
}

impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxies").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(variables: &[(&str, &str)]) -> Result<Proxies, BadProxy> {
        Proxies::from_settings(Settings::read(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        }))
    }

    fn proxy(proxies: &Proxies, url: &str) -> Option<String> {
        Some(proxies.matcher.intercept(&url.parse().unwrap())?.uri().to_string())
    }

    #[test]
    fn the_environment_names_a_proxy_for_each_scheme() {
        let proxies = from(&[
            ("HTTP_PROXY", "http://user:secret@a:1/ignored"),
            ("https_proxy", "b:2"),
            ("ALL_PROXY", "socks://c"),
            ("NO_PROXY", "inner.example, 10.0.0.0/8"),
        ])
        .unwrap();
        assert_eq!(proxy(&proxies, "http://example.org/").as_deref(), Some("http://a:1/"));
        assert_eq!(proxy(&proxies, "https://example.org/").as_deref(), Some("http://b:2/"));
        assert_eq!(proxy(&proxies, "http://x.inner.example/"), None);
        assert_eq!(proxy(&proxies, "http://10.1.2.3/"), None);
        let fallback = from(&[("all_proxy", "socks://c"), ("HTTP_PROXY", " ")]).unwrap();
        assert_eq!(proxy(&fallback, "http://example.org/").as_deref(), Some("socks5://c:1080/"));
        assert_eq!(proxy(&from(&[]).unwrap(), "http://example.org/"), None);
    }

    #[test]
    fn the_header_of_a_web_request_names_no_proxy() {
        let forged = from(&[("REQUEST_METHOD", "GET"), ("HTTP_PROXY", "http://evil:1")]).unwrap();
        assert_eq!(proxy(&forged, "http://example.org/"), None);
    }

    #[test]
    fn a_proxy_that_cannot_be_used_is_an_error_without_its_password() {
        for (url, problem) in [
            ("ftp://user:secret@a:1", "only http, socks5 and socks5h proxies can be used"),
            ("https://user:secret@a:1", "only http, socks5 and socks5h proxies can be used"),
            ("http://user:secret@", "it is not a URL"),
            ("http://user:secret@a b", "it is not a URL"),
        ] {
            let error = Proxies::all(url).unwrap_err().to_string();
            assert!(error.ends_with(problem) && !error.contains("secret"), "{url}: {error}");
            assert!(from(&[("ALL_PROXY", url)]).unwrap_err().to_string().starts_with("ALL_PROXY: "));
        }
    }
}
