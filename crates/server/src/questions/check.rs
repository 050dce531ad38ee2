//! Whether a question may be asked, and how it is asked by a request.

use std::collections::BTreeSet;

use jackfield_peer::Caller;
use jackfield_protocol::{
    ElicitParams, ElicitUrlParams, IncludeContext, InputRequest, Meta, Method, Revision, Role, SamplingContentBlock,
    SamplingMessage, adapt,
};
use serde_json::{Value, json};

use crate::seal::random;

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
        InputRequest::CreateMessage(params) if params.tools.is_some() || params.tool_choice.is_some() => {
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
            check_messages(&params.messages)
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

/// The rules for tools in a conversation: each use is answered in the next message, which has only results.
fn check_messages(messages: &[SamplingMessage]) -> Result<(), String> {
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for message in messages {
        let blocks = message.content.blocks();
        let results: Vec<&str> = blocks.iter().filter_map(result_of).collect();
        if !results.is_empty() && (results.len() != blocks.len() || message.role != Role::User) {
            return Err("a message with tool results is the user's and has nothing else".to_owned());
        }
        let answered: BTreeSet<&str> = results.into_iter().collect();
        if answered != open {
            return Err("each tool use must be answered by a result in the next message, and nothing else".to_owned());
        }
        open = blocks.iter().filter_map(use_of).collect();
    }
    if open.is_empty() { Ok(()) } else { Err("the last message uses a tool whose result is missing".to_owned()) }
}

fn result_of(block: &SamplingContentBlock) -> Option<&str> {
    match block {
        SamplingContentBlock::ToolResult(result) => Some(&result.tool_use_id),
        _ => None,
    }
}

fn use_of(block: &SamplingContentBlock) -> Option<&str> {
    match block {
        SamplingContentBlock::ToolUse(tool_use) => Some(&tool_use.id),
        _ => None,
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
    use jackfield_protocol::{RawJson, ToolResultContent, ToolUseContent};

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

    /// CLI-020, CLI-021, CLI-022: uses and results of tools come in pairs.
    #[test]
    fn tool_uses_and_results_come_in_pairs() {
        let using = |id: &str| SamplingContentBlock::from(ToolUseContent::new(id, "t", RawJson::from(json!({}))));
        let result = |id: &str| SamplingContentBlock::from(ToolResultContent::new(id, vec![]));
        let said = |role, blocks: Vec<SamplingContentBlock>| SamplingMessage::new(role, blocks);
        let (user, model) = (Role::User, Role::Assistant);
        let ask = said(user, vec![SamplingContentBlock::text("?")]);
        assert!(check_messages(&[ask.clone(), said(model, vec![using("1")]), said(user, vec![result("1")])]).is_ok());
        assert!(check_messages(&[ask.clone(), said(model, vec![using("1")])]).is_err());
        assert!(check_messages(&[ask.clone(), said(model, vec![using("1")]), ask.clone()]).is_err());
        assert!(check_messages(&[ask.clone(), said(model, vec![using("1")]), said(user, vec![result("2")])]).is_err());
        assert!(check_messages(&[said(user, vec![result("1")])]).is_err());
        let mixed = vec![result("1"), SamplingContentBlock::text("and")];
        assert!(check_messages(&[ask, said(model, vec![using("1")]), said(user, mixed)]).is_err());
    }
}
