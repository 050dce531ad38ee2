//! Resources that somebody watches, and the hooks that have been told so.

use std::sync::Arc;

use jackfield_peer::{Incoming, Session};
use jackfield_protocol::envelope::{MethodName, Params};
use jackfield_protocol::{ErrorObject, Method};

use crate::routing::hooks::Hooks;
use crate::{Cx, callers::owner};

/// The resources whose hooks have been told that someone watches; they are told when nobody does any more, also when the client
/// goes away without a word.
#[derive(Default)]
pub(crate) struct Watched {
    uris: Vec<Told>,
    /// Whom they are told, and by which context; nobody if there are no hooks.
    told: Option<Arc<(Hooks, Cx)>>,
}

/// A resource, and how many hooks have still to be told that nobody watches it any more.
struct Told {
    uri: String,
    hooks: usize,
}

impl Watched {
    /// Watches nothing yet. Without hooks there is nothing to tell.
    pub(crate) fn new(hooks: &Hooks, cx: &Cx) -> Self {
        let has_hooks = !hooks.subscribe.is_empty() || !hooks.unsubscribe.is_empty();
        Self { uris: Vec::new(), told: has_hooks.then(|| Arc::new((hooks.clone(), cx.clone()))) }
    }

    /// Tells the hooks that a resource is watched. If one refuses, those before it are told that it is not.
    ///
    /// # Cancellation
    /// The hooks that had agreed are told.
    pub(crate) async fn add(&mut self, uri: &str) -> Result<(), ErrorObject> {
        let Some(told) = self.told.clone() else { return Ok(()) };
        let (hooks, cx) = &*told;
        self.uris.push(Told { uri: uri.to_owned(), hooks: 0 });
        for (agreed, hook) in (1..).zip(&hooks.subscribe) {
            if let Err(error) = hook(uri.to_owned(), cx.clone()).await {
                self.end_last(hooks, cx).await.ok();
                return Err(error);
            }
            self.set_last(hooks.unsubscribe.len().min(agreed));
        }
        self.set_last(hooks.unsubscribe.len());
        Ok(())
    }

    /// Tells the hooks of all resources that they are not watched any more. The error is the first that one of them gave.
    ///
    /// # Cancellation
    /// The hooks that have not been told yet are told all the same.
    pub(crate) async fn end(&mut self) -> Result<(), ErrorObject> {
        let Some(told) = self.told.clone() else { return Ok(()) };
        let (hooks, cx) = &*told;
        let mut ended = Ok(());
        while !self.uris.is_empty() {
            ended = ended.and(self.end_last(hooks, cx).await);
        }
        ended
    }

    /// Tells later hooks with another context.
    pub(crate) fn with(mut self, cx: &Cx) -> Self {
        self.told = self.told.take().map(|told| Arc::new((told.0.clone(), cx.clone())));
        self
    }

    /// Whether there is nothing to tell.
    pub(crate) fn is_empty(&self) -> bool {
        self.uris.is_empty()
    }

    /// Whether there is nobody to be told of anything.
    pub(crate) fn tells_nobody(&self) -> bool {
        self.told.is_none()
    }

    /// Whether hooks have been told of a resource.
    pub(crate) fn has(&self, uri: &str) -> bool {
        self.uris.iter().any(|told| told.uri == uri)
    }

    /// Takes over what another watches. Hooks that have been told twice of a resource are told twice of its end.
    pub(crate) fn take_over(&mut self, mut other: Self) {
        self.uris.append(&mut other.uris);
        self.told = self.told.take().or_else(|| other.told.take());
    }

    /// Splits off some of the resources.
    pub(crate) fn split(&mut self, goes: impl Fn(&str) -> bool) -> Self {
        let uris = self.uris.extract_if(.., |told| goes(&told.uri)).collect();
        Self { uris, told: self.told.clone() }
    }

    fn set_last(&mut self, hooks: usize) {
        if let Some(last) = self.uris.last_mut() {
            last.hooks = hooks;
        }
    }

    /// Tells the hooks of the last resource, the last that was told first.
    async fn end_last(&mut self, hooks: &Hooks, cx: &Cx) -> Result<(), ErrorObject> {
        let mut ended = Ok(());
        while let Some(last) = self.uris.last_mut() {
            let Some(at) = last.hooks.checked_sub(1) else { break };
            if let Some(hook) = hooks.unsubscribe.get(at)
                && let Err(error) = hook(last.uri.clone(), cx.clone()).await
            {
                tracing::debug!(uri = last.uri, %error, "the end of a subscription was refused");
                ended = ended.and(Err(error));
            }
            last.hooks = at;
        }
        self.uris.pop();
        ended
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(told) = self.told.take().filter(|_| !self.uris.is_empty()) {
            let (uris, core) = (std::mem::take(&mut self.uris), told.1.call().core().clone());
            core.hub.spawn(async move { drop(Self { uris, told: Some(told) }.end().await) });
        }
    }
}

/// Makes a context for hooks that may run after a session has ended: it knows who the session belonged to, but does not keep it.
pub(crate) fn lasting_cx(cx: &Cx, session: &Arc<Session>) -> Cx {
    let stand_in = Arc::new(owner::stand_in(session));
    let (caller, outlet) = (session.caller().clone(), session.outlet().clone());
    let method = MethodName::Known(Method::Unsubscribe);
    let incoming = Incoming::new(None, None, method, Params::default(), caller, outlet, Some(stand_in));
    Cx::new(incoming, cx.call().core().clone(), cx.call().outer.clone())
}
