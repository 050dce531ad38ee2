//! Basic credentials of clients.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use url::form_urlencoded::byte_serialize;

use crate::Secret;

/// Returns the header that says who a client is. Name and secret are encoded like forms before they become Basic credentials
/// (RFC 6749, section 2.3.1).
pub(crate) fn header(id: &str, secret: &Secret) -> HeaderValue {
    let part = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    let plain = format!("{}:{}", part(id), part(secret.expose()));
    // What base64 makes of anything fits into a header.
    let mut value = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(plain)))
        .unwrap_or_else(|_| HeaderValue::from_static(""));
    value.set_sensitive(true);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_secrets_are_encoded_like_forms() {
        let header = header("a:b", &Secret::new("ü &"));
        assert!(header.is_sensitive());
        let text = header.to_str().unwrap().strip_prefix("Basic ").unwrap();
        assert_eq!(STANDARD.decode(text).unwrap(), b"a%3Ab:%C3%BC+%26");
    }
}
