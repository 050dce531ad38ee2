//! Who is calling: the one place that knows how each era says so.

use std::sync::Arc;

use bytes::Bytes;
use jackfield_protocol::envelope::{MethodName, Params};
use jackfield_protocol::{
    ClientCapabilities, ErrorObject, Implementation, InitializeParams, LoggingLevel, Method, Revision, meta::key,
};
use serde::de::DeserializeOwned;

use crate::{Caller, Outlet, Principal, Session};

/// Stamps each request of a connection with its [`Caller`].
///
/// A request with modern `_meta` speaks for itself. `initialize` opens a legacy session, once; from then on requests without
/// modern `_meta` belong to it. Both may be mixed on one connection.
#[derive(Debug)]
pub struct CallerResolver {
    revisions: Vec<Revision>,
    principal: Option<Principal>,
    session: Option<Arc<Session>>,
    last: Option<Stamp>,
}

/// An admitted request.
#[derive(Debug)]
pub struct ResolvedCaller {
    /// Who is calling.
    pub caller: Arc<Caller>,
    /// The session, in the legacy era.
    pub session: Option<Arc<Session>>,
}

/// A caller that was decoded before, with the texts it was decoded from. The same texts mean the same caller, so a client
/// that sends them with each request pays for decoding them once. Nothing is inferred from one request for another.
#[derive(Debug)]
struct Stamp {
    /// The whole of `_meta`; most clients repeat it to the letter.
    whole: Bytes,
    texts: [Option<Bytes>; 4],
    caller: Arc<Caller>,
}

const STAMP_KEYS: [&str; 4] = [key::PROTOCOL_VERSION, key::CLIENT_CAPABILITIES, key::CLIENT_INFO, key::LOG_LEVEL];

impl CallerResolver {
    /// Makes the admission of one connection, for a server of these revisions.
    #[must_use]
    pub fn new(revisions: &[Revision], principal: Option<Principal>) -> Self {
        Self { revisions: revisions.to_vec(), principal, session: None, last: None }
    }

    /// Returns the legacy session, if one is open.
    #[must_use]
    pub fn session(&self) -> Option<&Arc<Session>> {
        self.session.as_ref()
    }

    /// Forgets the session, because its `initialize` failed.
    pub fn close(&mut self) {
        self.session = None;
    }

    /// Finds out who sends a request, and whether the method exists for that caller.
    ///
    /// # Errors
    /// The error to answer with: -32601, -32602, -32600 or -32022.
    pub fn request(
        &mut self,
        method: &MethodName,
        params: &Params,
        outlet: &Arc<dyn Outlet>,
    ) -> Result<ResolvedCaller, ErrorObject> {
        let admitted = match (params.meta(key::PROTOCOL_VERSION), method) {
            (Some(version), _) => ResolvedCaller { caller: self.modern(version, params)?, session: None },
            (None, MethodName::Known(Method::Initialize)) => self.open(params, outlet)?,
            (None, _) => match &self.session {
                Some(session) => ResolvedCaller { caller: session.caller().clone(), session: Some(session.clone()) },
                None => self.stranger(method)?,
            },
        };
        check_method(method, &admitted.caller)?;
        Ok(admitted)
    }

    /// Admits another request of a caller without a session, whose `_meta` is to the letter what it was before.
    ///
    /// # Errors
    /// -32601 when the method does not exist for that caller.
    pub fn again(method: &MethodName, caller: &Arc<Caller>) -> Result<ResolvedCaller, ErrorObject> {
        check_method(method, caller)?;
        Ok(ResolvedCaller { caller: caller.clone(), session: None })
    }

    /// Finds out who sends a notification; `None` if it means nothing here.
    pub fn notification(&mut self, params: &Params) -> Option<ResolvedCaller> {
        if let Some(version) = params.meta(key::PROTOCOL_VERSION) {
            return self.modern(version, params).ok().map(|caller| ResolvedCaller { caller, session: None });
        }
        let session = self.session.clone()?;
        Some(ResolvedCaller { caller: session.caller().clone(), session: Some(session) })
    }

    fn modern(&mut self, version: &[u8], params: &Params) -> Result<Arc<Caller>, ErrorObject> {
        let whole = params.meta_json().unwrap_or_default();
        if let Some(last) = &self.last
            && last.whole == whole
        {
            return Ok(last.caller.clone());
        }
        let texts = STAMP_KEYS.map(|key| params.meta(key));
        if let Some(last) = &self.last
            && last.texts.iter().zip(texts).all(|(known, text)| known.as_deref() == text)
        {
            return Ok(last.caller.clone());
        }
        let requested: String = decode(key::PROTOCOL_VERSION, version)?;
        let revision = self.modern_revision(&requested)?;
        let capabilities: ClientCapabilities = required(key::CLIENT_CAPABILITIES, params)?;
        let mut caller = Caller::new(revision, capabilities);
        caller.client_info = optional::<Implementation>(key::CLIENT_INFO, params)?;
        caller.log_level = optional::<LoggingLevel>(key::LOG_LEVEL, params)?;
        caller.principal = self.principal.clone();
        let caller = Arc::new(caller);
        let texts = texts.map(|text| text.map(Bytes::copy_from_slice));
        self.last = Some(Stamp { whole: Bytes::copy_from_slice(whole), texts, caller: caller.clone() });
        Ok(caller)
    }

    fn modern_revision(&self, requested: &str) -> Result<Revision, ErrorObject> {
        let known = requested.parse().ok().filter(|r: &Revision| !r.has_handshake() && self.revisions.contains(r));
        known.ok_or_else(|| {
            let supported: Vec<_> = self.revisions.iter().copied().filter(|r| !r.has_handshake()).collect();
            ErrorObject::unsupported_version(requested, &supported)
        })
    }

    /// Opens the session. It stays as it is if one is open already.
    fn open(&mut self, params: &Params, outlet: &Arc<dyn Outlet>) -> Result<ResolvedCaller, ErrorObject> {
        if self.session.is_some() {
            return Err(ErrorObject::invalid_request("the session is initialized already"));
        }
        let Some(latest) = self.revisions.iter().copied().filter(|r| r.has_handshake()).max() else {
            let supported: Vec<_> = self.revisions.iter().map(|r| r.as_str()).collect();
            let message = format!("initialize is not supported; this server speaks {}", supported.join(", "));
            return Err(ErrorObject::method_not_found("initialize").with_message(message));
        };
        let asked: InitializeParams = params.decode()?;
        let known = asked.protocol_version.parse().ok();
        let revision = known.filter(|r: &Revision| r.has_handshake() && self.revisions.contains(r)).unwrap_or(latest);
        let mut caller = Caller::new(revision, asked.capabilities);
        caller.client_info = Some(asked.client_info);
        caller.principal = self.principal.clone();
        let caller = Arc::new(caller);
        let session = Arc::new(Session::new(caller.clone(), outlet.clone()));
        self.session = Some(session.clone());
        Ok(ResolvedCaller { caller, session: Some(session) })
    }

    /// A request that comes before `initialize` and carries no modern `_meta`.
    fn stranger(&self, method: &MethodName) -> Result<ResolvedCaller, ErrorObject> {
        match method {
            // A legacy client may ask at any time whether we live.
            MethodName::Known(Method::Ping) => {
                let caller = Caller::new(Revision::LATEST_WITH_HANDSHAKE, ClientCapabilities::default());
                Ok(ResolvedCaller { caller: Arc::new(caller), session: None })
            }
            MethodName::Known(_) => Err(ErrorObject::invalid_params(format!(
                "missing `_meta` member `{}`; a client of an older revision sends `initialize` first",
                key::PROTOCOL_VERSION
            ))),
            MethodName::Other(name) => Err(ErrorObject::method_not_found(name)),
        }
    }
}

/// A method that the caller's revision does not have does not exist for it.
fn check_method(method: &MethodName, caller: &Caller) -> Result<(), ErrorObject> {
    match method {
        MethodName::Known(known) if !known.is_defined(caller.revision) || !known.is_for_server() => {
            Err(ErrorObject::method_not_found(method.as_str()))
        }
        _ => Ok(()),
    }
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
