//! A request as the server sees it.

use std::net::IpAddr;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_TYPE, COOKIE};
use http::request::Parts;

use crate::server::requests::respond::OAuthError;

/// A request as the server sees it.
#[derive(Debug)]
pub(in crate::server) struct ReceivedRequest {
    pub(in crate::server) parts: Parts,
    pub(in crate::server) body: Bytes,
    pub(in crate::server) address: Option<IpAddr>,
}

/// Parameters, each at most once; only `resource` may come several times.
#[derive(Clone, Debug, Default)]
pub(in crate::server) struct Params(Vec<(String, String)>);

const MOST_PARAMS: usize = 100;

impl ReceivedRequest {
    pub(in crate::server) fn query(&self) -> Result<Params, OAuthError> {
        Params::parse(self.parts.uri.query().unwrap_or_default().as_bytes())
    }

    pub(in crate::server) fn form(&self) -> Result<Params, OAuthError> {
        let kind = self.parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            return Err(OAuthError::invalid_request("the body must be application/x-www-form-urlencoded"));
        }
        Params::parse(&self.body)
    }

    /// Returns a cookie; none if there are two of the name, because one of them is somebody else's.
    pub(in crate::server) fn cookie(&self, name: &str) -> Option<String> {
        let mut found = cookies(&self.parts.headers).filter(|(key, _)| *key == name);
        let (_, value) = found.next()?;
        found.next().is_none().then(|| value.to_owned())
    }

    /// Returns what attempts of the same origin are counted under. The lower half of an IPv6 address is anybody's choice.
    pub(in crate::server) fn origin(&self) -> String {
        match self.address {
            Some(IpAddr::V4(address)) => address.to_string(),
            Some(IpAddr::V6(address)) => format!("{:x}/64", address.to_bits() >> 64),
            None => "unknown".to_owned(),
        }
    }
}

fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let texts = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='))
}

impl Params {
    fn parse(text: &[u8]) -> Result<Self, OAuthError> {
        let mut params: Vec<(String, String)> = Vec::new();
        for (name, value) in url::form_urlencoded::parse(text) {
            if params.len() >= MOST_PARAMS {
                return Err(OAuthError::invalid_request("too many parameters"));
            }
            // A parameter without a value counts as left out (RFC 6749, section 3.1).
            if value.is_empty() {
                continue;
            }
            if name != "resource" && params.iter().any(|(known, _)| *known == name) {
                return Err(OAuthError::invalid_request("a parameter came more than once"));
            }
            params.push((name.into_owned(), value.into_owned()));
        }
        Ok(Self(params))
    }

    pub(in crate::server) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(in crate::server) fn all(&self, name: &str) -> Vec<&str> {
        self.0.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect()
    }

    pub(in crate::server) fn need(&self, name: &str, missing: &'static str) -> Result<&str, OAuthError> {
        self.get(name).ok_or(OAuthError::invalid_request(missing))
    }
}
