//! Responses: the few forms in which requests are answered.

use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use jackfield_peer::write_error;
use jackfield_protocol::envelope::RawId;
use jackfield_protocol::error::code;
use jackfield_protocol::{ErrorObject, Revision};

use crate::Body;

const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// A response with a JSON body.
pub(crate) fn json(status: StatusCode, text: impl Into<Bytes>) -> Response<Body> {
    json_with(HeaderMap::new(), status, text.into())
}

/// A response with a JSON body, and with these headers besides.
pub(crate) fn json_with(mut headers: HeaderMap, status: StatusCode, text: Bytes) -> Response<Body> {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let mut response = Response::new(Body::full(text));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// A response whose body is a stream of events.
pub(crate) fn events(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    // Proxies such as nginx would hold events back otherwise.
    headers.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
    response
}

/// A response without a body.
pub(crate) fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// A JSON-RPC error that answers a request, or no request in particular.
#[cold]
pub(crate) fn error(status: StatusCode, id: Option<&RawId>, error: &ErrorObject, revision: Revision) -> Response<Body> {
    let mut text = Vec::with_capacity(160);
    write_error(&mut text, id, error, revision);
    json(status, text)
}

/// A refusal that concerns HTTP rather than one message: a JSON-RPC error without an id, so that people and programs can
/// read it.
#[cold]
pub(crate) fn refusal(status: StatusCode, message: impl Into<std::borrow::Cow<'static, str>>) -> Response<Body> {
    error(status, None, &ErrorObject::invalid_request(message), Revision::LATEST)
}

/// 405, naming the methods that are served.
#[cold]
pub(crate) fn method_not_allowed(allowed: &'static str) -> Response<Body> {
    let mut response = refusal(StatusCode::METHOD_NOT_ALLOWED, format!("this path serves {allowed} only"));
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

/// An error that asks to come back after some seconds.
fn later(status: StatusCode, id: Option<&RawId>, object: &ErrorObject, seconds: &'static str) -> Response<Body> {
    let mut response = error(status, id, object, Revision::LATEST);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static(seconds));
    response
}

/// 429: the caller has too much of something already.
#[cold]
pub(crate) fn too_many(id: Option<&RawId>, message: impl Into<std::borrow::Cow<'static, str>>) -> Response<Body> {
    later(StatusCode::TOO_MANY_REQUESTS, id, &ErrorObject::new(code::TOO_MANY_REQUESTS, message), "5")
}

/// 429: as many notifications of the session run as may.
#[cold]
pub(crate) fn too_many_notifications(limit: usize) -> Response<Body> {
    too_many(None, format!("more than {limit} notifications are running"))
}

/// 404: there is no such session, or not for this user.
#[cold]
pub(crate) fn session_over() -> Response<Body> {
    refusal(StatusCode::NOT_FOUND, "the session is not known, or is over; send initialize again")
}

/// 503: the store of the sessions does not answer.
#[cold]
pub(crate) fn store_away(id: Option<&RawId>) -> Response<Body> {
    unavailable(id, "sessions are not available at the moment; try again in a moment")
}

/// 503: there is no room for another session.
#[cold]
pub(crate) fn too_many_sessions(id: Option<&RawId>) -> Response<Body> {
    let error = ErrorObject::new(code::UNAVAILABLE, "too many sessions are open");
    later(StatusCode::SERVICE_UNAVAILABLE, id, &error, "5")
}

/// 503: what the request needs is not available at the moment.
#[cold]
pub(crate) fn unavailable(id: Option<&RawId>, message: impl Into<std::borrow::Cow<'static, str>>) -> Response<Body> {
    later(StatusCode::SERVICE_UNAVAILABLE, id, &ErrorObject::new(code::UNAVAILABLE, message), "1")
}

/// The HTTP status of an error that answers a modern request.
pub(crate) fn modern_status(error: &ErrorObject) -> StatusCode {
    match error.code {
        code::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        code::HEADER_MISMATCH
        | code::MISSING_REQUIRED_CLIENT_CAPABILITY
        | code::UNSUPPORTED_PROTOCOL_VERSION
        | code::PARSE_ERROR
        | code::INVALID_REQUEST => StatusCode::BAD_REQUEST,
        code::TOO_MANY_REQUESTS => StatusCode::TOO_MANY_REQUESTS,
        _ => StatusCode::OK,
    }
}

/// The HTTP status of an error that answers a legacy request. Clients of that era read errors of the protocol from
/// successful responses.
pub(crate) fn legacy_status(code: i64) -> StatusCode {
    match code {
        code::PARSE_ERROR | code::INVALID_REQUEST => StatusCode::BAD_REQUEST,
        code::TOO_MANY_REQUESTS => StatusCode::TOO_MANY_REQUESTS,
        _ => StatusCode::OK,
    }
}
