//! What a client sends and takes: `Content-Type` and `Accept`.

use http::HeaderMap;
use http::header::ACCEPT;

use super::HeaderOccurrence;

/// The forms of an answer that a client takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accepts {
    /// One JSON text or a stream, whatever fits.
    Both,
    /// One JSON text only.
    Json,
    /// A stream only.
    Events,
}

impl Accepts {
    /// Reads the `Accept` headers, of which one look has told something; none if the client takes neither form. Without the header it
    /// takes both.
    pub(crate) fn of(seen: HeaderOccurrence<'_>, headers: &HeaderMap) -> Option<Self> {
        match seen {
            HeaderOccurrence::Absent => return Some(Self::Both),
            HeaderOccurrence::Once(value) if value == "application/json, text/event-stream" => return Some(Self::Both),
            HeaderOccurrence::Once(_) | HeaderOccurrence::Repeated => {}
        }
        let (mut json, mut events, mut present) = (false, false, false);
        for value in headers.get_all(ACCEPT) {
            present = true;
            for item in value.as_bytes().split(|byte| *byte == b',') {
                let mut parameters = item.split(|byte| *byte == b';');
                let media = parameters.next().unwrap_or_default().trim_ascii();
                if parameters.any(is_zero_weight) {
                    continue;
                }
                let is = |name: &[u8]| media.eq_ignore_ascii_case(name);
                json |= is(b"application/json") || is(b"application/*") || is(b"*/*");
                events |= is(b"text/event-stream") || is(b"text/*") || is(b"*/*");
            }
        }
        match (json, events) {
            _ if !present => Some(Self::Both),
            (true, true) => Some(Self::Both),
            (true, false) => Some(Self::Json),
            (false, true) => Some(Self::Events),
            (false, false) => None,
        }
    }
}

fn is_zero_weight(parameter: &[u8]) -> bool {
    let parameter = parameter.trim_ascii();
    let weight = parameter.strip_prefix(b"q=").or_else(|| parameter.strip_prefix(b"Q="));
    weight.is_some_and(|weight| matches!(weight, b"0" | b"0." | b"0.0" | b"0.00" | b"0.000"))
}

/// Whether the body is JSON: `application/json`, once, with any parameters. Forms and plain text, which a web page may send
/// anywhere without asking, are not.
pub(crate) fn is_json(content_type: HeaderOccurrence<'_>) -> bool {
    let HeaderOccurrence::Once(value) = content_type else { return false };
    if value == "application/json" {
        return true;
    }
    let media = value.as_bytes().split(|byte| *byte == b';').next().unwrap_or_default();
    media.trim_ascii().eq_ignore_ascii_case(b"application/json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(value: &str) -> Option<Accepts> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, value.parse().unwrap());
        Accepts::of(HeaderOccurrence::Repeated, &headers)
    }

    #[test]
    fn accept_lists_media_types_in_any_order_with_weights() {
        assert_eq!(Accepts::of(HeaderOccurrence::Repeated, &HeaderMap::new()), Some(Accepts::Both));
        assert_eq!(accepts("application/json, text/event-stream"), Some(Accepts::Both));
        assert_eq!(accepts("text/event-stream;q=0.5,APPLICATION/JSON"), Some(Accepts::Both));
        assert_eq!(accepts("*/*"), Some(Accepts::Both));
        assert_eq!(accepts("application/json"), Some(Accepts::Json));
        assert_eq!(accepts("text/event-stream"), Some(Accepts::Events));
        assert_eq!(accepts("application/json, text/event-stream;q=0"), Some(Accepts::Json));
        assert_eq!(accepts("text/html"), None);
    }

    /// T-021: only JSON is read.
    #[test]
    fn only_json_is_json() {
        let check = |value: &str| {
            let value = value.parse().unwrap();
            is_json(HeaderOccurrence::Once(&value))
        };
        assert!(check("application/json") && check("Application/JSON; charset=utf-8") && check("application/json ;x"));
        for other in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data",
            "application/jsonx",
            "",
            "text/plain, application/json",
            "application/json, text/plain",
        ] {
            assert!(!check(other), "{other}");
        }
        assert!(!is_json(HeaderOccurrence::Absent) && !is_json(HeaderOccurrence::Repeated));
    }
}
