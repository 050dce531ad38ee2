//! A request or notification on its way to a handler.

use std::sync::Arc;

use jackfield_protocol::envelope::{MethodName, Params, RawId, RawNotification, Request};

use crate::{Caller, Extensions, Outlet, RequestKey, ResolvedCaller, Session};

/// A request or notification on its way to a handler: self-contained, whatever the era and the transport.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Incoming {
    /// The id to answer to; a notification has none.
    pub id: Option<RawId>,
    /// What the outlet calls this request.
    pub key: Option<RequestKey>,
    /// What is wanted.
    pub method: MethodName,
    /// With which parameters.
    pub params: Params,
    /// Who wants it.
    pub caller: Arc<Caller>,
    /// Where messages about this request go.
    pub outlet: Arc<dyn Outlet>,
    /// The session, in the legacy era.
    pub session: Option<Arc<Session>>,
    /// What transports and middleware know besides.
    pub extensions: Extensions,
}

impl Incoming {
    /// Hands on a request.
    pub fn request(key: RequestKey, request: Request, from: ResolvedCaller, outlet: Arc<dyn Outlet>) -> Self {
        let Request { id, method, params } = request;
        Self::new(Some(id), Some(key), method, params, from.caller, outlet, from.session)
    }

    /// Hands on a notification.
    pub fn notification(notification: RawNotification, from: ResolvedCaller, outlet: Arc<dyn Outlet>) -> Self {
        let RawNotification { method, params } = notification;
        Self::new(None, None, method, params, from.caller, outlet, from.session)
    }

    /// Puts a request together.
    pub fn new(
        id: Option<RawId>,
        key: Option<RequestKey>,
        method: MethodName,
        params: Params,
        caller: Arc<Caller>,
        outlet: Arc<dyn Outlet>,
        session: Option<Arc<Session>>,
    ) -> Self {
        Self { id, key, method, params, caller, outlet, session, extensions: Extensions::default() }
    }
}
