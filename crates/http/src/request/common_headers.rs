//! The headers that every POST is asked for, found in one pass.

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue};

/// The headers that every POST is asked for. Looking each of them up would cost more than looking at all once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct McpHeaders<'a> {
    pub(crate) content_type: HeaderOccurrence<'a>,
    pub(crate) accept: HeaderOccurrence<'a>,
    pub(crate) version: HeaderOccurrence<'a>,
    pub(crate) session: HeaderOccurrence<'a>,
    pub(crate) method: HeaderOccurrence<'a>,
    pub(crate) name: HeaderOccurrence<'a>,
}

/// One header, as far as one look tells.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum HeaderOccurrence<'a> {
    #[default]
    Absent,
    Once(&'a HeaderValue),
    /// More than once: the values have to be looked up.
    Repeated,
}

impl<'a> McpHeaders<'a> {
    pub(crate) fn find(headers: &'a HeaderMap) -> Self {
        let mut found = Self::default();
        for (name, value) in headers {
            found.note(name, value);
        }
        found
    }

    /// Notes a header, if it is one of these. Returns whether it is.
    #[inline]
    pub(crate) fn note(&mut self, name: &HeaderName, value: &'a HeaderValue) -> bool {
        // Names that are common everywhere are numbers, which are compared faster than words.
        let occurrence = if *name == CONTENT_TYPE {
            &mut self.content_type
        } else if *name == ACCEPT {
            &mut self.accept
        } else {
            match name.as_str() {
                "mcp-protocol-version" => &mut self.version,
                "mcp-session-id" => &mut self.session,
                "mcp-method" => &mut self.method,
                "mcp-name" => &mut self.name,
                _ => return false,
            }
        };
        *occurrence = match occurrence {
            HeaderOccurrence::Absent => HeaderOccurrence::Once(value),
            HeaderOccurrence::Once(_) | HeaderOccurrence::Repeated => HeaderOccurrence::Repeated,
        };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_absent_once_or_repeated() {
        let mut headers = HeaderMap::new();
        headers.insert("mcp-method", HeaderValue::from_static("a"));
        headers.append("mcp-name", HeaderValue::from_static("b"));
        headers.append("mcp-name", HeaderValue::from_static("b"));
        let found = McpHeaders::find(&headers);
        assert!(matches!(found.method, HeaderOccurrence::Once(value) if value == "a"));
        assert!(matches!(found.name, HeaderOccurrence::Repeated));
        assert!(matches!(found.accept, HeaderOccurrence::Absent));
    }
}
