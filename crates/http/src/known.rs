//! The headers that every POST is asked for, found in one pass.

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue};

/// The headers that every POST is asked for. Looking each of them up would cost more than looking at all once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known<'a> {
    pub(crate) content_type: Seen<'a>,
    pub(crate) accept: Seen<'a>,
    pub(crate) version: Seen<'a>,
    pub(crate) session: Seen<'a>,
    pub(crate) method: Seen<'a>,
    pub(crate) name: Seen<'a>,
}

/// One header, as far as one look tells.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Seen<'a> {
    #[default]
    Never,
    Once(&'a HeaderValue),
    /// Several times; whoever wants to know more looks it up.
    Often,
}

impl<'a> Known<'a> {
    pub(crate) fn find(headers: &'a HeaderMap) -> Self {
        let mut known = Self::default();
        for (name, value) in headers {
            known.note(name, value);
        }
        known
    }

    /// Notes a header, if it is one of these. Returns whether it is.
    #[inline]
    pub(crate) fn note(&mut self, name: &HeaderName, value: &'a HeaderValue) -> bool {
        // Names that are common everywhere are numbers, which are compared faster than words.
        let seen = if *name == CONTENT_TYPE {
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
        *seen = match seen {
            Seen::Never => Seen::Once(value),
            Seen::Once(_) | Seen::Often => Seen::Often,
        };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_seen_never_once_or_often() {
        let mut headers = HeaderMap::new();
        headers.insert("mcp-method", HeaderValue::from_static("a"));
        headers.append("mcp-name", HeaderValue::from_static("b"));
        headers.append("mcp-name", HeaderValue::from_static("b"));
        let known = Known::find(&headers);
        assert!(matches!(known.method, Seen::Once(value) if value == "a"));
        assert!(matches!(known.name, Seen::Often));
        assert!(matches!(known.accept, Seen::Never));
    }
}
