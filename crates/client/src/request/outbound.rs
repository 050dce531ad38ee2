//! Writing requests and handing them to the link.

use std::sync::Arc;

use jackfield_protocol::{
    CancelledParams, ClientRequest, DiscoverParams, Method, Notification, RequestId, Revision, json,
    write_notification, write_request,
};

use crate::connection::Session;
use crate::{EndReason, Error, NotSent, Outgoing, OutgoingKind, RequestInfo};

/// A request on its way out.
#[derive(Debug)]
pub(crate) enum Outbound<'a> {
    /// Any request.
    Any(ClientRequest),
    /// A call of a tool with nothing special about it: most requests are, so it is written without building it first.
    Call { name: &'a str, arguments: Option<&'a str> },
}

impl Outbound<'_> {
    pub(crate) fn method(&self) -> Option<Method> {
        match self {
            Self::Any(request) => request.method(),
            Self::Call { .. } => Some(Method::CallTool),
        }
    }

    /// Returns what is sent if the answer is lost with its stream: the same, if it only reads. In sessions the rest of a stream is asked
    /// for instead.
    pub(crate) fn again(&self, session: &Session) -> Option<Outbound<'static>> {
        match self {
            Self::Any(request) if !session.revision.has_handshake() => match request {
                ClientRequest::ListTools(_)
                | ClientRequest::ListResources(_)
                | ClientRequest::ListResourceTemplates(_)
                | ClientRequest::ListPrompts(_)
                | ClientRequest::Complete(_)
                | ClientRequest::Discover(_) => Some(Outbound::Any(request.clone())),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Writes and sends a request. `wants_progress`: a call asks for progress notices; other requests say so themselves.
pub(crate) fn send_outbound(
    session: &Session,
    id: u64,
    outbound: Outbound<'_>,
    wants_progress: bool,
    headers: &[(String, String)],
) -> Result<(), Error> {
    match outbound {
        Outbound::Any(request) => send_request(session, id, request, headers),
        Outbound::Call { name, arguments } => {
            let mut text = Vec::with_capacity(session.caller_text.len() + 192 + arguments.map_or(0, str::len));
            write_call(&mut text, session, id, name, arguments, wants_progress);
            let method = Method::CallTool.name();
            let facts = RequestInfo { id, method, revision: session.revision, name: Some(name), headers };
            send(session, Outgoing { text: &text, kind: OutgoingKind::Request(facts) }, method)
        }
    }
}

/// The same text as `write_request` makes of a plain call, in every revision.
fn write_call(
    out: &mut Vec<u8>,
    session: &Session,
    id: u64,
    name: &str,
    arguments: Option<&str>,
    wants_progress: bool,
) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    let start = out.len();
    json::write_u64(out, id);
    let digits = start..out.len();
    out.extend_from_slice(br#","method":"tools/call","params":{"#);
    if wants_progress || !session.caller_text.is_empty() {
        out.extend_from_slice(br#""_meta":{"#);
        out.extend_from_slice(&session.caller_text);
        if wants_progress {
            let comma: &[u8] = if session.caller_text.is_empty() { b"" } else { b"," };
            out.extend_from_slice(comma);
            out.extend_from_slice(br#""progressToken":"#);
            out.extend_from_within(digits);
        }
        out.extend_from_slice(b"},");
    }
    out.extend_from_slice(br#""name":"#);
    json::write_str(out, name);
    if let Some(arguments) = arguments {
        out.extend_from_slice(br#","arguments":"#);
        out.extend_from_slice(arguments.as_bytes());
    }
    out.extend_from_slice(b"}}");
}

/// Returns the members that are added to the `_meta` of every request, as text; empty if the revision adds none.
pub(crate) fn caller_text(caller: Option<&jackfield_protocol::CallerMeta>, revision: Revision) -> Vec<u8> {
    let mut text = Vec::new();
    let request = ClientRequest::Discover(DiscoverParams::default());
    if caller.is_none() || write_request(&mut text, &wire_id(0), request, revision, caller).is_err() {
        return Vec::new();
    }
    let (start, end): (&[u8], &[u8]) = (br#""_meta":{"#, b"}}}");
    let from = text.windows(start.len()).position(|window| window == start).map(|at| at + start.len());
    let inner = from.and_then(|from| text.get(from..)?.strip_suffix(end));
    inner.unwrap_or_default().to_vec()
}

/// Writes and sends a request as a value.
pub(crate) fn send_request(
    session: &Session,
    id: u64,
    request: ClientRequest,
    headers: &[(String, String)],
) -> Result<(), Error> {
    let name = match &request {
        ClientRequest::CallTool(params) => Some(params.name.clone()),
        ClientRequest::GetPrompt(params) => Some(params.name.clone()),
        ClientRequest::ReadResource(params) => Some(params.uri.clone()),
        // A task may be known to one node only, so that others have to see which one is meant.
        ClientRequest::GetTask(params) | ClientRequest::CancelTask(params) => Some(params.task_id.clone()),
        ClientRequest::UpdateTask(params) => Some(params.task_id.clone()),
        _ => None,
    };
    let custom;
    let method = match request.method() {
        Some(method) => method.name(),
        None => {
            custom = request.method_name().to_owned();
            &custom
        }
    };
    let mut text = Vec::with_capacity(512);
    write_request(&mut text, &wire_id(id), request, session.revision, session.caller.as_ref())?;
    let facts = RequestInfo { id, method, revision: session.revision, name: name.as_deref(), headers };
    send(session, Outgoing { text: &text, kind: OutgoingKind::Request(facts) }, method)
}

/// Tells the server that the answer to a request is no longer outbound.
pub(crate) fn cancel(session: &Session, id: u64, reason: &str) {
    if !session.link.give_up(id, session.revision) {
        return;
    }
    let mut text = Vec::new();
    let cancelled = Notification::from(CancelledParams::new(wire_id(id)).with_reason(reason));
    if write_notification(&mut text, cancelled, session.revision).is_ok() {
        // If it cannot be sent, the connection is at its end, and so is the request.
        let _ = session.link.send(Outgoing { text: &text, kind: OutgoingKind::Notification(Method::Cancelled.name()) });
    }
}

/// What there is too much of when a server does not read.
pub(crate) const QUEUED_BYTES: &str = "the number of bytes that wait for a server that does not read";

/// Hands a message to the link.
pub(crate) fn send(session: &Session, message: Outgoing<'_>, method: &str) -> Result<(), Error> {
    session.link.send(message).map_err(|cause| match cause {
        NotSent::Ended => Error::lost(method, Arc::new(EndReason::new("the connection has ended"))),
        NotSent::Full => Error::limit(QUEUED_BYTES, session.queued_bytes),
    })
}

/// Our ids are counted from one, so they fit.
pub(crate) fn wire_id(id: u64) -> RequestId {
    RequestId::Integer(i64::try_from(id).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use jackfield_protocol::{CallToolParams, Meta, RawJson, meta::key};
    use serde_json::{Value, json};

    use super::*;
    use crate::config::Options;
    use crate::connection::ServerInfo;
    use crate::transport::StreamLink;

    /// BASE-055, BASE-083: the quick way writes what the usual way writes, in every revision.
    #[test]
    fn a_call_is_written_the_same_both_ways() {
        for revision in Revision::ALL {
            for (wants_progress, arguments) in [(true, None), (false, Some(json!({"a": "\"\n"})))] {
                let nothing = ServerInfo { info: None, capabilities: Default::default(), instructions: None };
                let session = Session::new(
                    StreamLink::new(Box::new(tokio::io::sink()), 1),
                    revision,
                    &Options::default(),
                    None,
                    nothing,
                );
                let arguments = arguments.map(RawJson::from);
                let mut quick = Vec::new();
                write_call(&mut quick, &session, 7, "na\"me", arguments.as_ref().map(RawJson::get), wants_progress);

                let mut params = CallToolParams::new("na\"me");
                params.arguments = arguments;
                params.meta = wants_progress.then(|| Meta::new().with(key::PROGRESS_TOKEN, 7));
                let mut usual = Vec::new();
                let request = ClientRequest::CallTool(params);
                write_request(&mut usual, &wire_id(7), request, revision, session.caller.as_ref()).unwrap();
                let [quick, usual]: [Value; 2] = [quick, usual].map(|text| serde_json::from_slice(&text).unwrap());
                assert_eq!(quick, usual);
            }
        }
    }
}
