//! Writing objects: what the sender adds to each message goes in front, the value's own members follow.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::meta::key;
use crate::{ClientCapabilities, Implementation, LoggingLevel, Meta, Revision, adapt};

/// Something that a revision has no words for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotInRevision {
    /// What it is.
    pub what: Cow<'static, str>,
    /// The revision.
    pub revision: Revision,
}

impl NotInRevision {
    pub(crate) fn new(what: impl Into<Cow<'static, str>>, revision: Revision) -> Self {
        Self { what: what.into(), revision }
    }
}

impl fmt::Display for NotInRevision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "revision {} has no {}", self.revision, self.what)
    }
}

impl std::error::Error for NotInRevision {}

/// What a client adds to the `_meta` of every request since 2026-07-28; encoded once, written many times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallerMeta {
    members: Vec<u8>,
    keys: Vec<&'static str>,
}

impl CallerMeta {
    /// Encodes the members for requests of `revision`.
    #[must_use]
    pub fn new(
        revision: Revision,
        client_info: Option<&Implementation>,
        capabilities: &ClientCapabilities,
        log_level: Option<LoggingLevel>,
    ) -> Self {
        let mut meta = Self { members: Vec::new(), keys: Vec::new() };
        meta.push(key::PROTOCOL_VERSION, &revision);
        if let Some(info) = client_info {
            let mut info = info.clone();
            adapt(&mut info, revision);
            meta.push(key::CLIENT_INFO, &info);
        }
        let mut capabilities = capabilities.clone();
        adapt(&mut capabilities, revision);
        meta.push(key::CLIENT_CAPABILITIES, &capabilities);
        if let Some(level) = log_level {
            meta.push(key::LOG_LEVEL, &level);
        }
        meta
    }

    fn push(&mut self, key: &'static str, value: &impl Serialize) {
        if !self.members.is_empty() {
            self.members.push(b',');
        }
        value_into(&mut self.members, key);
        self.members.push(b':');
        value_into(&mut self.members, value);
        self.keys.push(key);
    }
}

/// What goes in front of a value's own members.
pub(crate) enum Added<'a> {
    /// Nothing.
    Nothing,
    /// The type of a result, and who sends it.
    Result { tag: &'static str, server_info: Option<&'a [u8]> },
    /// Who sends a request.
    Caller(&'a CallerMeta),
}

/// Writes an object with `write`. `meta` returns its `_meta` member, which moves in front if something is added to it.
#[inline]
pub(crate) fn object<T>(
    out: &mut Vec<u8>,
    body: &mut T,
    added: &Added<'_>,
    meta: impl FnOnce(&mut T) -> &mut Option<Meta>,
    write: impl FnOnce(&mut Vec<u8>, &T),
) {
    match added {
        Added::Nothing => return write(out, body),
        Added::Result { tag, server_info } => {
            out.extend_from_slice(br#"{"resultType":""#);
            out.extend_from_slice(tag.as_bytes());
            out.push(b'"');
            if let Some(info) = server_info {
                out.extend_from_slice(br#","_meta":{"io.modelcontextprotocol/serverInfo":"#);
                out.extend_from_slice(info);
                own_members(out, meta(body).take(), &[key::SERVER_INFO]);
                out.push(b'}');
            }
        }
        Added::Caller(caller) => {
            out.extend_from_slice(br#"{"_meta":{"#);
            out.extend_from_slice(&caller.members);
            own_members(out, meta(body).take(), &caller.keys);
            out.push(b'}');
        }
    }
    let seam = out.len();
    write(out, body);
    if out[seam..] == *b"{}" {
        out.truncate(seam);
        out.push(b'}');
    } else {
        out[seam] = b',';
    }
}

// What the sender adds to every message wins over what one message says.
fn own_members(out: &mut Vec<u8>, own: Option<Meta>, added: &[&str]) {
    for (key, value) in own.iter().flat_map(|meta| meta.iter()).filter(|(key, _)| !added.contains(&key.as_str())) {
        out.push(b',');
        value_into::<str>(out, key);
        out.push(b':');
        value_into::<Value>(out, value);
    }
}

/// Appends a value as JSON.
pub(crate) fn value_into<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    serde_json::to_writer(out, value).expect("our own types always serialize, and a Vec takes every byte");
}
