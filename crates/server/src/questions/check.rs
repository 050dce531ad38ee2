//! Whether a question may be asked, and how it is asked by a request.

use jackfield_peer::Caller;
use jackfield_protocol::{ElicitParams, ElicitUrlParams, IncludeContext, InputRequest, Meta, Method, Revision, adapt};
use serde_json::{Value, json};

use crate::questions::seal::random;

/// A capability that the client would need.
#[derive(Debug, PartialEq)]
pub(super) struct Missing {
    pub(super) name: &'static str,
    pub(super) required: Value,
}

/// Finds the capability that a client lacks for a question.
pub(super) fn missing_capability(caller: &Caller, question: &InputRequest) -> Option<Missing> {
    let (has, name, required) = match question {
        InputRequest::ListRoots(_) => (caller.capabilities.roots.is_some(), "roots", json!({"roots": {}})),
        InputRequest::CreateMessage(params) if params.has_tools() => {
            let has = caller.capabilities.sampling.as_ref().is_some_and(|sampling| sampling.tools.is_some());
            (has, "sampling with tools", json!({"sampling": {"tools": {}}}))
        }
        InputRequest::CreateMessage(_) => (caller.capabilities.sampling.is_some(), "sampling", json!({"sampling": {}})),
        InputRequest::Elicit(params) => match &**params {
            ElicitParams::Url(_) => (has_urls(caller), "elicitation by URL", json!({"elicitation": {"url": {}}})),
            _ => (has_forms(caller), "elicitation by form", json!({"elicitation": {"form": {}}})),
        },
        _ => return None,
    };
    (!has).then_some(Missing { name, required })
}

pub(super) fn has_forms(caller: &Caller) -> bool {
    caller.revision.has_elicitation() && caller.capabilities.elicitation.as_ref().is_some_and(|e| e.has_forms())
}

pub(super) fn has_urls(caller: &Caller) -> bool {
    caller.revision.has_url_elicitation() && caller.capabilities.elicitation.as_ref().is_some_and(|e| e.has_urls())
}

/// Checks a question, and takes out what this client does not understand and can do without.
pub(super) fn question(caller: &Caller, question: &mut InputRequest) -> Result<(), String> {
    match question {
        InputRequest::Elicit(params) => match &**params {
            ElicitParams::Url(page) => self::page(page),
            _ => Ok(()),
        },
        InputRequest::CreateMessage(params) => {
            let adds_context = caller.capabilities.sampling.as_ref().is_some_and(|sampling| sampling.context.is_some());
            let wants_context = params.include_context.is_some_and(|which| which != IncludeContext::None);
            // Where the client says whether it can add context, one that does not say so is not asked for it.
            if wants_context && caller.revision.has_url_elicitation() && !adds_context {
                params.include_context = None;
            }
            params.check().map_err(str::to_owned)
        }
        _ => Ok(()),
    }
}

/// Checks a page that a person is sent to.
pub(super) fn page(page: &ElicitUrlParams) -> Result<(), String> {
    check_url(&page.url)
}

/// Pages are reached over TLS, except on this machine.
fn check_url(url: &str) -> Result<(), String> {
    let bad = |what: &str| Err(format!("the URL {what}"));
    if url.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return bad("has white space or control characters");
    }
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let name = host
        .strip_prefix('[')
        .and_then(|v6| v6.split(']').next())
        .unwrap_or(host.split(':').next().unwrap_or_default());
    match scheme {
        _ if name.is_empty() => bad("names no host"),
        "https" => Ok(()),
        "http" if matches!(name, "localhost" | "127.0.0.1" | "::1") => Ok(()),
        "http" => bad("must use https"),
        _ => bad("must begin with https://"),
    }
}

/// Turns a question into the request of a revision that has such requests.
pub(crate) fn request(question: InputRequest, revision: Revision, meta: Option<Meta>) -> (Method, Vec<u8>) {
    let method = question.method();
    let params = match question {
        InputRequest::CreateMessage(mut params) => {
            adapt(&mut *params, revision);
            params.meta = joined(params.meta.take(), meta);
            serde_json::to_vec(&params)
        }
        InputRequest::Elicit(mut params) => {
            if let ElicitParams::Url(page) = &mut *params {
                page.elicitation_id.get_or_insert_with(new_id);
            }
            adapt(&mut *params, revision);
            *params.meta_mut() = joined(params.meta_mut().take(), meta);
            serde_json::to_vec(&params)
        }
        _ => meta.map_or(Ok(Vec::new()), |meta| serde_json::to_vec(&json!({ "_meta": meta }))),
    };
    (method, params.unwrap_or_default())
}

/// The handler's own `_meta` and ours, which wins.
fn joined(own: Option<Meta>, ours: Option<Meta>) -> Option<Meta> {
    match (own, ours) {
        (Some(mut own), Some(ours)) => {
            own.extend(ours);
            Some(own)
        }
        (own, ours) => own.or(ours),
    }
}

/// An id that nobody can guess.
fn new_id() -> String {
    let mut bytes = [0; 16];
    random(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CLI-054, CLI-082: a page has a valid URL, and TLS unless it is on this machine.
    #[test]
    fn pages_are_reached_over_tls() {
        for good in ["https://example.com/x?y#z", "http://localhost:80/", "http://127.0.0.1", "http://[::1]:8/a"] {
            assert_eq!(check_url(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "example.com",
            "http://example.com",
            "https://",
            "https:///x",
            "javascript:alert(1)",
            "https://a b",
            "http://localhost@evil.com/",
        ] {
            assert!(check_url(bad).is_err(), "{bad}");
        }
    }
}
