//! Protocol errors: what travels to the peer as the `error` of a JSON-RPC response.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ElicitUrlParams, Revision};

/// The error codes that JSON-RPC and the protocol define.
pub mod code {
    /// The bytes are not JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// The JSON is not a valid message.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The method does not exist, or not in this revision.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters do not fit the method.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The receiver failed.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// A resource does not exist; only before 2026-07-28.
    pub const RESOURCE_NOT_FOUND: i64 = -32002;
    /// A URL elicitation has to be completed first; only 2025-11-25.
    pub const URL_ELICITATION_REQUIRED: i64 = -32042;
    /// An HTTP header contradicts the body.
    pub const HEADER_MISMATCH: i64 = -32020;
    /// The request needs a capability that the client did not declare.
    pub const MISSING_REQUIRED_CLIENT_CAPABILITY: i64 = -32021;
    /// The server does not implement the requested protocol version.
    pub const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;
    /// The caller's credentials allow too little. Ours, and therefore outside the range that JSON-RPC reserves.
    pub const FORBIDDEN: i64 = 403;
    /// The receiver has too many requests under way. Ours, and therefore outside the range that JSON-RPC reserves.
    pub const TOO_MANY_REQUESTS: i64 = 429;
    /// What the receiver needs is not available at the moment. Ours as well.
    pub const UNAVAILABLE: i64 = 503;
    /// The user or the client declined; used by clients of the legacy era for sampling.
    pub const USER_REJECTED: i64 = -1;
}

/// An error as JSON-RPC carries it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorObject {
    /// What kind of error; see [`code`].
    pub code: i64,
    /// What happened, for a person.
    pub message: Cow<'static, str>,
    /// Further facts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl ErrorObject {
    /// Makes an error of any code. Codes of your own lie outside -32768 … -32000.
    #[cold]
    pub fn new(code: i64, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// Replaces the message.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        self.message = message.into();
        self
    }

    /// Adds further facts.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// -32700: the bytes are not JSON.
    #[cold]
    pub fn parse_error(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(code::PARSE_ERROR, message)
    }

    /// -32600: the JSON is not a valid message.
    #[cold]
    pub fn invalid_request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(code::INVALID_REQUEST, message)
    }

    /// -32601: the method does not exist, or not in this revision.
    #[cold]
    #[must_use]
    pub fn method_not_found(method: &str) -> Self {
        let shown: String = method.chars().take(100).collect();
        Self::new(code::METHOD_NOT_FOUND, format!("method not found: {shown}"))
    }

    /// -32602: the parameters do not fit the method.
    #[cold]
    pub fn invalid_params(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(code::INVALID_PARAMS, message)
    }

    /// -32603: the receiver failed.
    #[cold]
    pub fn internal(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(code::INTERNAL_ERROR, message)
    }

    /// The resource does not exist: -32002 before 2026-07-28, -32602 since.
    #[cold]
    #[must_use]
    pub fn resource_not_found(revision: Revision, uri: &str) -> Self {
        Self::new(revision.resource_not_found_code(), format!("resource not found: {uri}"))
            .with_data(serde_json::json!({ "uri": uri }))
    }

    /// -32022: the server does not implement the requested protocol version.
    #[cold]
    #[must_use]
    pub fn unsupported_version(requested: &str, supported: &[Revision]) -> Self {
        Self::new(code::UNSUPPORTED_PROTOCOL_VERSION, "unsupported protocol version")
            .with_data(serde_json::json!({ "supported": supported, "requested": requested }))
    }

    /// -32021: the request needs capabilities that the client did not declare; `required` is a `ClientCapabilities` object.
    #[cold]
    #[must_use]
    pub fn missing_capability(message: impl Into<Cow<'static, str>>, required: Value) -> Self {
        Self::new(code::MISSING_REQUIRED_CLIENT_CAPABILITY, message)
            .with_data(serde_json::json!({ "requiredCapabilities": required }))
    }

    /// -32042: a person has to be at these pages before the request can be served; only 2025-11-25. Each page needs its
    /// `elicitation_id`.
    #[cold]
    pub fn url_elicitation_required(message: impl Into<Cow<'static, str>>, pages: &[ElicitUrlParams]) -> Self {
        Self::new(code::URL_ELICITATION_REQUIRED, message).with_data(serde_json::json!({ "elicitations": pages }))
    }

    /// Returns the pages that a person has to be at first, if that is what the error says. What cannot be read is no page.
    #[must_use]
    pub fn required_pages(&self) -> Option<Vec<ElicitUrlParams>> {
        let data = self.data.as_ref().filter(|_| self.code == code::URL_ELICITATION_REQUIRED)?;
        Vec::deserialize(data.get("elicitations")?).ok()
    }
}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for ErrorObject {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UrlMode;

    /// BASE-030: codes inside the range that JSON-RPC reserves are those that the specifications define; all others are ours.
    #[test]
    fn our_own_codes_are_outside_of_the_reserved_range() {
        let source = include_str!("error.rs");
        let codes: Vec<i64> = source
            .lines()
            .filter_map(|line| line.trim().strip_prefix("pub const ")?.split_once(": i64 = ")?.1.strip_suffix(';'))
            .map(|code| code.parse().unwrap())
            .collect();
        let defined = [-32700, -32600, -32601, -32602, -32603, -32002, -32042, -32020, -32021, -32022];
        assert!(codes.len() > defined.len(), "{codes:?}");
        for code in codes {
            assert!(defined.contains(&code) || !(-32768..=-32000).contains(&code), "{code}");
        }
    }

    /// CLI-060: the error lists the pages, and they are read back as they were written.
    #[test]
    fn required_pages_are_read_back() {
        let mut page = ElicitUrlParams::new(UrlMode::Url, "go", "https://example.com/");
        page.elicitation_id = Some("e1".to_owned());
        let error = ErrorObject::url_elicitation_required("first", std::slice::from_ref(&page));
        assert_eq!(
            serde_json::to_value(&error).unwrap()["data"]["elicitations"],
            serde_json::json!([{"mode": "url", "message": "go", "url": "https://example.com/", "elicitationId": "e1"}])
        );
        assert_eq!(error.required_pages(), Some(vec![page]));
        assert_eq!(ErrorObject { code: -1, ..error }.required_pages(), None);
        let form = serde_json::json!({"elicitations": [{"mode": "form", "message": "go"}]});
        assert_eq!(ErrorObject::new(code::URL_ELICITATION_REQUIRED, "x").with_data(form).required_pages(), None);
    }
}
