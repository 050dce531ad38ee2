//! Callers of the modern era who have been decoded before.

use std::sync::Arc;

use bytes::Bytes;
use jackfield_protocol::envelope::Params;
use jackfield_protocol::{ClientCapabilities, ErrorObject, Implementation, LoggingLevel, Revision, meta::key};
use serde::de::DeserializeOwned;

use crate::{Caller, Principal};

/// The callers of the modern era who were decoded last.
///
/// A client says who it is with each request, mostly in the same words. Decoding them costs more than the rest of a small request. A
/// caller is found by the words themselves and by the authenticated user, so that nobody is ever taken for somebody else. Nothing else is
/// inferred from one request for another.
#[derive(Debug, Default)]
pub struct CallerMemo {
    /// The one who called last comes first.
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    /// The whole of `_meta`; most clients repeat it byte for byte.
    whole: Bytes,
    /// The members of it that say who is calling. Others, such as a progress token, change from request to request.
    members: [Option<Bytes>; 4],
    caller: Arc<Caller>,
}

const MEMBERS: [&str; 4] = [key::PROTOCOL_VERSION, key::CLIENT_CAPABILITIES, key::CLIENT_INFO, key::LOG_LEVEL];

/// How many callers are remembered: users of one connection, or of one service that is mounted in an application.
const MAX_CALLERS: usize = 8;
/// A longer `_meta` is not remembered.
const MAX_BYTES: usize = 4096;

impl CallerMemo {
    /// Returns the caller of a request, if one with the same words and user was decoded lately.
    pub fn get(&mut self, params: &Params, principal: Option<&Principal>) -> Option<Arc<Caller>> {
        let whole = params.meta_json()?;
        let is_same_user = |entry: &Entry| entry.caller.principal.as_ref() == principal;
        let at = self.entries.iter().position(|entry| entry.whole == whole && is_same_user(entry)).or_else(|| {
            let members = MEMBERS.map(|key| params.meta(key));
            let is_same =
                |entry: &Entry| entry.members.iter().zip(members).all(|(known, text)| known.as_deref() == text);
            self.entries.iter().position(|entry| is_same(entry) && is_same_user(entry))
        })?;
        if at > 0 {
            self.entries.get_mut(..=at)?.rotate_right(1);
        }
        self.entries.first().map(|entry| entry.caller.clone())
    }

    /// Finds out who sends a request with modern `_meta` to a server of these revisions.
    ///
    /// # Errors
    /// The error to answer with: -32602 or -32022.
    pub fn resolve(
        &mut self,
        params: &Params,
        principal: Option<&Principal>,
        revisions: &[Revision],
    ) -> Result<Arc<Caller>, ErrorObject> {
        if let Some(caller) = self.get(params, principal) {
            return Ok(caller);
        }
        let revision = modern_revision(&required::<String>(key::PROTOCOL_VERSION, params)?, revisions)?;
        let mut caller = Caller::new(revision, required::<ClientCapabilities>(key::CLIENT_CAPABILITIES, params)?);
        caller.client_info = optional::<Implementation>(key::CLIENT_INFO, params)?;
        caller.log_level = optional::<LoggingLevel>(key::LOG_LEVEL, params)?;
        caller.principal = principal.cloned();
        let caller = Arc::new(caller);
        if let Some(whole) = params.meta_json().filter(|whole| whole.len() <= MAX_BYTES) {
            let members = MEMBERS.map(|key| params.meta(key).map(Bytes::copy_from_slice));
            let whole = Bytes::copy_from_slice(whole);
            self.entries.truncate(MAX_CALLERS.saturating_sub(1));
            self.entries.insert(0, Entry { whole, members, caller: caller.clone() });
        }
        Ok(caller)
    }
}

fn modern_revision(requested: &str, revisions: &[Revision]) -> Result<Revision, ErrorObject> {
    let known = requested.parse().ok().filter(|r: &Revision| !r.has_handshake() && revisions.contains(r));
    known.ok_or_else(|| {
        let supported: Vec<_> = revisions.iter().copied().filter(|r| !r.has_handshake()).collect();
        ErrorObject::unsupported_version(requested, &supported)
    })
}

fn required<T: DeserializeOwned>(key: &str, params: &Params) -> Result<T, ErrorObject> {
    optional(key, params)?.ok_or_else(|| ErrorObject::invalid_params(format!("missing `_meta` member `{key}`")))
}

fn optional<T: DeserializeOwned>(key: &str, params: &Params) -> Result<Option<T>, ErrorObject> {
    params.meta(key).map(|text| decode(key, text)).transpose()
}

fn decode<T: DeserializeOwned>(key: &str, text: &[u8]) -> Result<T, ErrorObject> {
    serde_json::from_slice(text).map_err(|e| ErrorObject::invalid_params(format!("`_meta` member `{key}`: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(client: &str, more: &str) -> Params {
        let text = format!(
            r#"{{"_meta":{{"{}":"2026-07-28","{}":{{}},"{}":{{"name":"{client}","version":"1"}}{more}}}}}"#,
            key::PROTOCOL_VERSION,
            key::CLIENT_CAPABILITIES,
            key::CLIENT_INFO
        );
        Params::from_json(text.into()).unwrap()
    }

    fn resolve(memo: &mut CallerMemo, params: &Params, user: Option<&str>) -> Arc<Caller> {
        let user = user.map(|name| Principal::new("issuer", name));
        memo.resolve(params, user.as_ref(), &Revision::ALL).unwrap()
    }

    /// The same words of the same user are decoded once, whatever else is new in `_meta`.
    #[test]
    fn a_caller_is_decoded_once() {
        let mut memo = CallerMemo::default();
        for user in [None, Some("ann"), Some("bob")] {
            let first = resolve(&mut memo, &params("a", ""), user);
            assert_eq!(first.principal.as_ref().map(|user| user.subject.as_str()), user);
            for more in ["", r#","progressToken":1"#, r#","progressToken":2"#] {
                assert!(Arc::ptr_eq(&first, &resolve(&mut memo, &params("a", more), user)), "{user:?} {more}");
            }
        }
    }

    /// T-040: nobody is taken for another: not by the same words of another user, and not by other words of the same length.
    #[test]
    fn callers_are_not_taken_for_each_other() {
        let mut memo = CallerMemo::default();
        for _ in 0..2 {
            for user in [None, Some("ann"), Some("bob")] {
                for client in ["a", "b"] {
                    let caller = resolve(&mut memo, &params(client, ""), user);
                    assert_eq!(caller.client_info.as_ref().unwrap().name, client);
                    assert_eq!(caller.principal.as_ref().map(|user| user.subject.as_str()), user);
                }
            }
        }
    }

    #[test]
    fn few_and_short_ones_are_remembered() {
        let mut memo = CallerMemo::default();
        let names: Vec<_> = (0..=MAX_CALLERS).map(|number| format!("client {number}")).collect();
        let first: Vec<_> = names.iter().map(|name| resolve(&mut memo, &params(name, ""), None)).collect();
        assert!(Arc::ptr_eq(&first[1], &resolve(&mut memo, &params(&names[1], ""), None)), "the last eight");
        assert!(!Arc::ptr_eq(&first[0], &resolve(&mut memo, &params(&names[0], ""), None)), "the oldest is forgotten");
        let long = params(&"x".repeat(MAX_BYTES), "");
        let decoded = resolve(&mut memo, &long, None);
        assert!(!Arc::ptr_eq(&decoded, &resolve(&mut memo, &long, None)));
        assert_eq!(memo.entries.len(), MAX_CALLERS);
    }
}
