//! Trace context in `_meta`: the formats of W3C Trace Context and W3C Baggage, strictly; what is malformed is dropped.

use crate::Meta;
use crate::meta::key;

/// Where a request stands in a distributed trace.
///
/// `tracestate` means nothing without a valid `traceparent`, so it is dropped with it; `baggage` stands on its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceContext {
    /// The caller's span.
    pub parent: Option<TraceParent>,
    /// What tracing systems pass on, as it was written.
    pub state: Option<String>,
    /// What applications pass on, as it was written.
    pub baggage: Option<String>,
}

/// The caller's span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceParent {
    /// The trace, not zero.
    pub trace_id: u128,
    /// The span, not zero.
    pub parent_id: u64,
    /// The flags; bit 0 says that the caller records the trace.
    pub flags: u8,
}

impl TraceContext {
    /// Reads the three members; malformed ones are dropped.
    #[must_use]
    pub fn read(meta: &Meta) -> Self {
        let text = |key| meta.get(key).and_then(serde_json::Value::as_str);
        let parent = text(key::TRACEPARENT).and_then(TraceParent::parse);
        let state = text(key::TRACESTATE).filter(|state| parent.is_some() && is_tracestate(state));
        let baggage = text(key::BAGGAGE).filter(|baggage| is_baggage(baggage));
        Self { parent, state: state.map(str::to_owned), baggage: baggage.map(str::to_owned) }
    }

    /// Writes the members that are present.
    pub fn write(&self, meta: &mut Meta) {
        if let Some(parent) = &self.parent {
            meta.insert(key::TRACEPARENT.into(), parent.to_string().into());
            if let Some(state) = &self.state {
                meta.insert(key::TRACESTATE.into(), state.clone().into());
            }
        }
        if let Some(baggage) = &self.baggage {
            meta.insert(key::BAGGAGE.into(), baggage.clone().into());
        }
    }
}

impl TraceParent {
    /// Names a span; none if one of the ids is zero.
    #[must_use]
    pub fn new(trace_id: u128, parent_id: u64, flags: u8) -> Option<Self> {
        (trace_id != 0 && parent_id != 0).then_some(Self { trace_id, parent_id, flags })
    }

    /// Reads a `traceparent`. Versions above 00 are read as far as 00 goes; version ff is invalid.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if bytes.len() < 55 || !text.is_ascii() || bytes[2] != b'-' || bytes[35] != b'-' || bytes[52] != b'-' {
            return None;
        }
        let version = hex(&text[..2])?;
        // Version 00 ends here; a later one may go on after a dash.
        let ends_well = bytes.len() == 55 || (version != 0 && bytes[55] == b'-');
        if version == 0xff || !ends_well {
            return None;
        }
        let flags = u8::try_from(hex(&text[53..55])?).ok()?;
        Self::new(hex(&text[3..35])?, u64::try_from(hex(&text[36..52])?).ok()?, flags)
    }
}

impl std::fmt::Display for TraceParent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace_id, self.parent_id, self.flags)
    }
}

// Only lower case is allowed.
fn hex(text: &str) -> Option<u128> {
    let valid = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    valid.then(|| u128::from_str_radix(text, 16).ok()).flatten()
}

/// At most 32 members `key=value` with different keys; empty members are allowed.
fn is_tracestate(text: &str) -> bool {
    let mut keys = Vec::new();
    for member in text.split(',').map(|member| member.trim_matches([' ', '\t'])).filter(|member| !member.is_empty()) {
        let Some((key, value)) = member.split_once('=') else { return false };
        if keys.len() == 32 || keys.contains(&key) || !is_state_key(key) || !is_state_value(value) {
            return false;
        }
        keys.push(key);
    }
    !keys.is_empty()
}

/// A simple key, or `tenant@system`.
fn is_state_key(key: &str) -> bool {
    let part = |text: &str, max: usize, digit_first: bool| {
        let bytes = text.as_bytes();
        let first = bytes.first().is_some_and(|b| b.is_ascii_lowercase() || (digit_first && b.is_ascii_digit()));
        first
            && bytes.len() <= max
            && bytes.iter().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'*' | b'/'))
    };
    match key.split_once('@') {
        None => part(key, 256, false),
        Some((tenant, system)) => part(tenant, 241, true) && part(system, 14, false),
    }
}

fn is_state_value(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes.len() <= 256
        && bytes.last().is_some_and(|b| *b != b' ')
        && bytes.iter().all(|b| matches!(b, 0x20..=0x7e) && !matches!(b, b',' | b'='))
}

/// Members `key=value;property;property=value` separated by commas, at most 180 and 8192 bytes.
fn is_baggage(text: &str) -> bool {
    let trim = |text: &str| -> String { text.trim_matches([' ', '\t']).to_owned() };
    let pair = |text: &str| match text.split_once('=') {
        Some((key, value)) => is_token(&trim(key)) && is_baggage_value(&trim(value)),
        None => false,
    };
    let member = |member: &str| {
        let mut parts = member.split(';');
        parts.next().is_some_and(pair) && parts.all(|property| is_token(&trim(property)) || pair(property))
    };
    text.len() <= 8192 && text.split(',').count() <= 180 && text.split(',').all(member)
}

/// A token of RFC 9110: what names of headers and baggage keys consist of.
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

fn is_baggage_value(value: &str) -> bool {
    value.bytes().all(|b| matches!(b, 0x21 | 0x23..=0x2b | 0x2d..=0x3a | 0x3c..=0x5b | 0x5d..=0x7e))
}
