//! The headers of the protocol, and whether they agree with the body.

use std::borrow::Cow;

use http::{HeaderMap, HeaderName, HeaderValue};
use jackfield_peer::Handler;
use jackfield_protocol::envelope::{MethodName, Params};
use jackfield_protocol::error::code;
use jackfield_protocol::{ErrorObject, HEADER_PREFIX, Method, Revision, decode_header, meta::key};

use super::{HeaderOccurrence, McpHeaders};
use crate::SessionId;

pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
pub(crate) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// The protocol version that a request names in its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    Absent,
    Known(Revision),
    Unknown(String),
}

impl Version {
    pub(crate) fn of(known: &McpHeaders<'_>, headers: &HeaderMap) -> Result<Self, ErrorObject> {
        let value = once(known.version, headers, &PROTOCOL_VERSION)?;
        let Some(value) = value else { return Ok(Self::Absent) };
        // The newest first, because most clients speak it.
        Ok(match Revision::ALL.into_iter().rev().find(|revision| value.as_bytes() == revision.as_str().as_bytes()) {
            Some(revision) => Self::Known(revision),
            None => Self::Unknown(visible(&PROTOCOL_VERSION, value)?.to_owned()),
        })
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Absent => None,
            Self::Known(revision) => Some(revision.as_str()),
            Self::Unknown(text) => Some(text),
        }
    }

    /// Whether the header alone says that the request is modern.
    pub(crate) fn is_modern(&self) -> bool {
        matches!(self, Self::Known(revision) if !revision.has_handshake())
    }
}

/// Checks that the version in the header is that of the body's `_meta`.
pub(crate) fn check_version(version: &Version, params: &Params) -> Result<(), ErrorObject> {
    let Some(body) = params.meta(key::PROTOCOL_VERSION) else { return Ok(()) };
    let header = version.as_str().ok_or_else(|| missing(&PROTOCOL_VERSION))?;
    let plain = body.strip_prefix(b"\"").and_then(|body| body.strip_suffix(b"\""));
    if plain == Some(header.as_bytes()) {
        return Ok(());
    }
    match serde_json::from_slice::<Cow<'_, str>>(body) {
        Ok(body) if body != header => Err(contradiction(&PROTOCOL_VERSION, header, &body)),
        // What is not a string is refused by whoever reads it.
        _ => Ok(()),
    }
}

/// Checks the headers that repeat parts of a modern request. Proxies may route by them, so a request that says one thing in
/// its headers and another in its body is refused.
pub(crate) fn check_request(
    known: &McpHeaders<'_>,
    headers: &HeaderMap,
    method: &MethodName,
    params: &Params,
    handler: &dyn Handler,
) -> Result<(), ErrorObject> {
    let header = once(known.method, headers, &METHOD)?.ok_or_else(|| missing(&METHOD))?;
    if header != method.as_str() {
        return Err(contradiction(&METHOD, visible(&METHOD, header)?, method.as_str()));
    }
    let MethodName::Known(method) = method else { return Ok(()) };
    let Some((member, required)) = named_by(*method) else { return Ok(()) };
    // A parameter that is absent or not a string is refused by the handler.
    let Ok(Some(name)) = params.optional_string(member) else { return Ok(()) };
    check_name(once(known.name, headers, &NAME)?, &name, required)?;
    if *method == Method::CallTool
        && let Some(marked) = handler.param_headers(&name)
        && !marked.is_empty()
    {
        let arguments = params.get("arguments").map(serde_json::from_slice).transpose();
        let arguments: serde_json::Value = arguments.ok().flatten().unwrap_or_default();
        for param in marked.iter() {
            let header_name = format!("{HEADER_PREFIX}{}", param.name);
            let header_name = HeaderName::from_bytes(header_name.as_bytes())
                .map_err(|_| ErrorObject::internal("a tool marks a parameter with a name that no header can have"))?;
            if !param.agrees(single(headers, &header_name)?, &arguments) {
                let message =
                    format!("header mismatch: {header_name} does not match the argument {}", param.path.join("."));
                return Err(ErrorObject::new(code::HEADER_MISMATCH, message));
            }
        }
    }
    Ok(())
}

/// Checks the headers of a modern notification: they may be absent, but not contradict.
pub(crate) fn check_notification(headers: &HeaderMap, method: &MethodName) -> Result<(), ErrorObject> {
    match single(headers, &METHOD)? {
        Some(header) if header != method.as_str() => Err(contradiction(&METHOD, header, method.as_str())),
        _ => Ok(()),
    }
}

fn check_name(header: Option<&HeaderValue>, name: &str, required: bool) -> Result<(), ErrorObject> {
    let Some(header) = header else {
        return if required { Err(missing(&NAME)) } else { Ok(()) };
    };
    // Most names need no decoding.
    if header == name && name.is_ascii() && !name.starts_with("=?") {
        return Ok(());
    }
    match decode_header(visible(&NAME, header)?) {
        Some(decoded) if decoded == name => Ok(()),
        Some(decoded) => Err(contradiction(&NAME, &decoded, name)),
        None => Err(ErrorObject::new(code::HEADER_MISMATCH, "header mismatch: mcp-name is not encoded correctly")),
    }
}

/// Returns the parameter that `Mcp-Name` repeats, and whether the header must be there.
fn named_by(method: Method) -> Option<(&'static str, bool)> {
    match method {
        Method::CallTool | Method::GetPrompt => Some(("name", true)),
        Method::ReadResource => Some(("uri", true)),
        Method::GetTask | Method::UpdateTask | Method::CancelTask => Some(("taskId", false)),
        _ => None,
    }
}

/// Returns the value of a header that may be there once, as text.
pub(crate) fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ErrorObject> {
    single_value(headers, name)?.map(|value| visible(name, value)).transpose()
}

/// Returns the session that a request names, and whether it names one.
pub(crate) fn session(known: &McpHeaders<'_>, headers: &HeaderMap) -> Result<Option<NamedSession>, ErrorObject> {
    let Some(value) = once(known.session, headers, &SESSION_ID)? else { return Ok(None) };
    match SessionId::parse(value.as_bytes()) {
        Some(id) => Ok(Some(NamedSession::Id(id))),
        None => visible(&SESSION_ID, value).map(|_| Some(NamedSession::Invalid)),
    }
}

/// What the header for sessions names.
pub(crate) enum NamedSession {
    Id(SessionId),
    /// Something that is no id of ours.
    Invalid,
}

/// Returns the value of a header that may be there once, and has been looked for.
fn once<'a>(
    seen: HeaderOccurrence<'a>,
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a HeaderValue>, ErrorObject> {
    match seen {
        HeaderOccurrence::Absent => Ok(None),
        HeaderOccurrence::Once(value) => Ok(Some(value)),
        HeaderOccurrence::Repeated => single_value(headers, name),
    }
}

/// Returns the value of a header that may be there once. A repetition with another value is refused: two readers might
/// choose differently.
fn single_value<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a HeaderValue>, ErrorObject> {
    let mut values = headers.get_all(name).iter();
    let Some(first) = values.next() else { return Ok(None) };
    if values.any(|other| other != first) {
        let message = format!("header mismatch: {name} is there more than once, with different values");
        return Err(ErrorObject::new(code::HEADER_MISMATCH, message));
    }
    Ok(Some(first))
}

fn visible<'a>(name: &HeaderName, value: &'a HeaderValue) -> Result<&'a str, ErrorObject> {
    value.to_str().map_err(|_| {
        let message = format!("header mismatch: {name} has characters that a header cannot have");
        ErrorObject::new(code::HEADER_MISMATCH, message)
    })
}

pub(crate) fn missing(name: &HeaderName) -> ErrorObject {
    ErrorObject::new(code::HEADER_MISMATCH, format!("header mismatch: {name} is missing"))
}

fn contradiction(name: &HeaderName, header: &str, body: &str) -> ErrorObject {
    let short = |text: &str| text.chars().take(100).collect::<String>();
    let message = format!("header mismatch: {name} says {:?}, the body says {:?}", short(header), short(body));
    ErrorObject::new(code::HEADER_MISMATCH, message)
}
