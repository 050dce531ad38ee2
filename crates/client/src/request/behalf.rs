//! RequestOptions for somebody else: what a gateway knows of its own caller.

use jackfield_protocol::{ClientCapabilities, LoggingLevel};

/// For whom a client asks, if not for itself: a gateway asks for its callers, who can do different things.
///
/// It is told to servers that hear of the client with each request; see [`Client::on_behalf`](crate::Client::on_behalf).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Behalf {
    /// Which questions the caller can answer: its `elicitation`, `sampling` and `roots` are told instead of those of the client. All
    /// else a client can do it does by itself.
    pub capabilities: ClientCapabilities,
    /// The least level of log messages that the caller wants; none if it wants none.
    pub log_level: Option<LoggingLevel>,
    /// Headers of the caller's request that go on to a server over HTTP, by their full names, with values as they came. What the client
    /// itself says under the same name counts.
    pub headers: Vec<(String, String)>,
}

impl Behalf {
    /// Asks for a caller with these capabilities.
    #[must_use]
    pub fn new(capabilities: ClientCapabilities) -> Self {
        Self { capabilities, ..Self::default() }
    }

    /// Wants log messages from this level on.
    #[must_use]
    pub fn with_log_level(mut self, level: Option<LoggingLevel>) -> Self {
        self.log_level = level;
        self
    }

    /// Adds a header that goes on.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Adds the headers that go on to those of a request.
    pub(crate) fn add_headers(&self, headers: &mut Vec<(String, String)>) {
        for (name, value) in &self.headers {
            if !headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
                headers.push((name.clone(), value.clone()));
            }
        }
    }
}
