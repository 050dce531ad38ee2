//! Who is calling: the one place that knows how each era says so.

use std::sync::Arc;

use jackfield_protocol::envelope::{MethodName, Params, RawNotification};
use jackfield_protocol::{ClientCapabilities, ErrorObject, InitializeParams, Method, Revision, meta::key};

use crate::{Caller, CallerMemo, Outlet, Principal, Session};

/// Stamps each request of a connection with its [`Caller`].
///
/// A request with modern `_meta` speaks for itself. `initialize` opens a legacy session, once; from then on requests without
/// modern `_meta` belong to it. Both may be mixed on one connection.
#[derive(Debug)]
pub struct CallerResolver {
    revisions: Vec<Revision>,
    principal: Option<Principal>,
    session: Option<Arc<Session>>,
    memo: CallerMemo,
}

/// Who sent a request.
#[derive(Debug)]
pub struct ResolvedCaller {
    /// Who is calling.
    pub caller: Arc<Caller>,
    /// The session, in the legacy era.
    pub session: Option<Arc<Session>>,
}

impl CallerResolver {
    /// Makes the resolver of one connection, for a server of these revisions.
    #[must_use]
    pub fn new(revisions: &[Revision], principal: Option<Principal>) -> Self {
        Self { revisions: revisions.to_vec(), principal, session: None, memo: CallerMemo::default() }
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
        let resolved = match (params.meta(key::PROTOCOL_VERSION), method) {
            (Some(_), _) => ResolvedCaller { caller: self.modern(params)?, session: None },
            (None, MethodName::Known(Method::Initialize)) => self.open(params, outlet)?,
            (None, _) => match &self.session {
                Some(session) => ResolvedCaller { caller: session.caller().clone(), session: Some(session.clone()) },
                None => self.stranger(method)?,
            },
        };
        check_method(method, &resolved.caller)?;
        Ok(resolved)
    }

    /// Finds out who sends a notification; `None` if it means nothing here. `notifications/initialized` makes the session ready.
    pub fn notification(&mut self, notification: &RawNotification) -> Option<ResolvedCaller> {
        if notification.params.meta(key::PROTOCOL_VERSION).is_some() {
            return self.modern(&notification.params).ok().map(|caller| ResolvedCaller { caller, session: None });
        }
        let session = self.session.clone()?;
        if notification.method == MethodName::Known(Method::Initialized) {
            session.set_ready();
        }
        Some(ResolvedCaller { caller: session.caller().clone(), session: Some(session) })
    }

    fn modern(&mut self, params: &Params) -> Result<Arc<Caller>, ErrorObject> {
        self.memo.resolve(params, self.principal.as_ref(), &self.revisions)
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

/// Checks that a method exists: what the caller's revision does not have does not exist for it.
///
/// # Errors
/// -32601.
pub fn check_method(method: &MethodName, caller: &Caller) -> Result<(), ErrorObject> {
    match method {
        MethodName::Known(known) if !known.is_defined(caller.revision) || !known.is_for_server() => {
            Err(ErrorObject::method_not_found(method.as_str()))
        }
        _ => Ok(()),
    }
}
