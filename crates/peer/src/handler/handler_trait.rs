//! The seam between transports and what answers requests.

use std::fmt;
use std::sync::{Arc, Mutex};

use jackfield_protocol::{AnyResult, ErrorObject, Outcome, ParamHeader, Revision};
use tower_service::Service;

use crate::{Answering, CallLimits, Incoming, Session};

/// Answers requests. A server is one; so is any `tower` service, through [`TowerHandler`].
pub trait Handler: Send + Sync + 'static {
    /// Begins to answer a request. The answer to a notification is thrown away.
    fn handle(&self, incoming: Incoming) -> Answering;

    /// Returns the revisions it serves, oldest first.
    fn revisions(&self) -> &[Revision] {
        &Revision::ALL
    }

    /// Returns what it calls itself, as the JSON text of an `Implementation` of that revision, for the results that carry it.
    fn identity(&self, revision: Revision) -> Option<&[u8]> {
        let _ = revision;
        None
    }

    /// Returns the limits of calls, which every transport keeps that brings it calls.
    fn call_limits(&self) -> CallLimits {
        CallLimits::default()
    }

    /// Called when this process takes over a session that another process opened, or learns of a subscription made there. The client
    /// may have missed changes; `after` is the last position of the handler's change log that it is known to have seen, if there is
    /// a log.
    fn resumed(&self, session: &Arc<Session>, after: Option<u64>) {
        let _ = (session, after);
    }

    /// Returns which arguments of a tool a client also sends as HTTP headers; none if there are none or no such tool.
    fn param_headers(&self, tool: &str) -> Option<Arc<[ParamHeader]>> {
        let _ = tool;
        None
    }
}

/// Lets any `tower` service answer requests.
pub struct TowerHandler<S> {
    // A service is cloned for each request, as `tower` asks of shared services; the lock is held for the clone only.
    service: Mutex<S>,
}

impl<S> TowerHandler<S> {
    /// Wraps a service.
    pub fn new(service: S) -> Self {
        Self { service: Mutex::new(service) }
    }
}

impl<S> Handler for TowerHandler<S>
where
    S: Service<Incoming, Response = Outcome<AnyResult>, Error = ErrorObject> + Clone + Send + 'static,
    S::Future: Send,
{
    fn handle(&self, incoming: Incoming) -> Answering {
        let mut service = self.service.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        Answering::later(async move {
            std::future::poll_fn(|cx| service.poll_ready(cx)).await?;
            service.call(incoming).await
        })
    }
}

impl<S> fmt::Debug for TowerHandler<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TowerHandler")
    }
}
