//! What a handler knows about its call, and what it can do meanwhile.

mod client;
mod log;
mod progress;
mod session;
#[cfg(feature = "tracing-layer")]
pub(crate) mod tracing_layer;
mod transport;

use std::any::type_name;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use jackfield_peer::{Caller, Incoming, Session};
use jackfield_protocol::envelope::Params;
use jackfield_protocol::{ErrorObject, Meta, Outcome, ReadResourceResult, RequestId, Revision, meta::key};

use crate::builder::core::Core;
use crate::callers::owner::{CallerKey, Owner};
use crate::entries::catalog::{Item, Tools};
use crate::questions::Round;
use crate::routing::resources;
use crate::subscriptions::changes::Change;
use crate::tasks::{Slot, TaskCall, TaskRuntime};

pub use client::{ClientHandle, NotifyError};
pub(crate) use progress::ProgressState;
pub use session::SessionView;

/// What a handler knows about its call, and what it can do meanwhile. Cheap to clone.
#[derive(Clone)]
pub struct Cx {
    call: Arc<CallState>,
}

/// What all clones of a context share.
pub(crate) struct CallState {
    pub(crate) incoming: Incoming,
    /// The server that the handler belongs to, if it is mounted in the one that got the request.
    mounted: Option<Arc<Core>>,
    /// The server that got the request.
    pub(crate) outer: Arc<Core>,
    /// The tool that is called, if one is.
    pub(crate) tool: Option<Arc<Item<Tools>>>,
    pub(crate) round: Round,
    pub(crate) progress: ProgressState,
    pub(crate) task: Slot<Arc<TaskCall>>,
    /// What runs tasks, if the call may become one.
    pub(crate) tasks: Option<Arc<TaskRuntime>>,
}

impl CallState {
    /// Returns the server that the handler belongs to.
    pub(crate) fn core(&self) -> &Arc<Core> {
        self.mounted.as_ref().unwrap_or(&self.outer)
    }
}

impl Cx {
    pub(crate) fn new(incoming: Incoming, core: Arc<Core>, outer: Arc<Core>) -> Self {
        let mounted = (!Arc::ptr_eq(&core, &outer)).then_some(core);
        Self::with(incoming, mounted, outer, None, None)
    }

    /// The context of a call of a tool.
    pub(crate) fn with_tool(
        incoming: Incoming,
        outer: Arc<Core>,
        tool: Arc<Item<Tools>>,
        tasks: Option<Arc<TaskRuntime>>,
    ) -> Self {
        Self::with(incoming, tool.mounted(), outer, Some(tool), tasks)
    }

    fn with(
        incoming: Incoming,
        mounted: Option<Arc<Core>>,
        outer: Arc<Core>,
        tool: Option<Arc<Item<Tools>>>,
        tasks: Option<Arc<TaskRuntime>>,
    ) -> Self {
        let (round, progress, task) = (Round::default(), ProgressState::default(), Slot::new());
        Self { call: Arc::new(CallState { incoming, mounted, outer, tool, round, progress, task, tasks }) }
    }

    pub(crate) fn call(&self) -> &CallState {
        &self.call
    }

    /// Returns who is calling: revision, capabilities, what the client calls itself, and the user.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.call.incoming.caller
    }

    /// Returns the revision of the protocol that the caller speaks.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.caller().revision
    }

    /// Whether the caller's revision begins with a handshake.
    #[must_use]
    pub fn is_legacy(&self) -> bool {
        self.revision().has_handshake()
    }

    /// Returns the id of the request; a notification has none.
    #[must_use]
    pub fn request_id(&self) -> Option<RequestId> {
        self.call.incoming.id.as_ref().and_then(|id| id.decode())
    }

    /// Returns the method of the request.
    #[must_use]
    pub fn method(&self) -> &str {
        self.call.incoming.method.as_str()
    }

    /// Returns the parameters as they came.
    #[must_use]
    pub fn params(&self) -> &Params {
        &self.call.incoming.params
    }

    /// Returns `_meta` of the parameters.
    #[must_use]
    pub fn meta(&self) -> Meta {
        self.params().member("_meta").ok().flatten().unwrap_or_default()
    }

    /// Returns the caller's W3C trace context: `traceparent` if it has the right form, and what goes with it.
    #[must_use]
    pub fn trace(&self) -> Option<Trace> {
        let text = |name| self.params().meta(name).and_then(|json| serde_json::from_slice::<String>(json).ok());
        let parent = text(key::TRACEPARENT).filter(|parent| is_traceparent(parent))?;
        Some(Trace { parent, state: text(key::TRACESTATE), baggage: text(key::BAGGAGE) })
    }

    /// Returns the session, if the caller's revision has sessions. What outlives the call keeps a [`client`](Self::client) instead.
    #[must_use]
    pub fn session(&self) -> Option<SessionView<'_>> {
        self.call.incoming.session.as_ref().map(SessionView)
    }

    pub(crate) fn peer_session(&self) -> Option<&Arc<Session>> {
        self.call.incoming.session.as_ref()
    }

    /// Returns the state that [`Server::state`](crate::Server::state) or a lifespan added.
    ///
    /// # Errors
    /// There is none of this type.
    pub fn state<T: Send + Sync + 'static>(&self) -> Result<Arc<T>, MissingState> {
        self.call.core().state().get::<T>().ok_or_else(|| MissingState { type_name: type_name::<T>() })
    }

    /// Returns by what to count what each caller does. It may be the same for several clients of whom nothing is known; see
    /// [`has_caller_of`](Self::has_caller_of) for what must not be mixed up.
    #[must_use]
    pub fn caller_key(&self) -> CallerKey {
        CallerKey::of(&self.call.incoming)
    }

    /// Whether another call surely comes from the same client: by its user, its session or its connection. Callers of whom nothing is
    /// known are strangers to each other.
    #[must_use]
    pub fn has_caller_of(&self, other: &Self) -> bool {
        let (own, others) = (&self.call.incoming, &other.call.incoming);
        let (owner, owner_of_other) = (Owner::of(own), Owner::of(others));
        if owner.is_known || owner_of_other.is_known {
            return owner.name == owner_of_other.name;
        }
        Arc::ptr_eq(&own.outlet, &others.outlet)
    }

    /// Waits until the connection is about to end, or the server if the call is a task. A call that its client cancels is simply
    /// dropped; work that outlives its future, such as a thread, can end by [`is_cancelled`](Self::is_cancelled).
    pub async fn cancelled(&self) {
        match self.task() {
            Some(task) => task.stopping().triggered().await,
            None => self.call.incoming.outlet.shutdown().triggered().await,
        }
    }

    /// Whether nobody waits for the result any more: the call has ended or was cancelled, or the connection is about to end.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        let ending = || match self.task() {
            Some(task) => task.stopping().is_triggered(),
            None => self.call.incoming.outlet.shutdown().is_triggered(),
        };
        self.call.progress.has_ended() || ending()
    }

    /// Reads a resource of this server, as its client would: what the caller may not [see](crate::Server::visible_to) is not found.
    ///
    /// # Errors
    /// There is no such resource, its handler failed, or it asks a question.
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult, ErrorObject> {
        match resources::read_inside(self, uri).await? {
            Outcome::Complete(result) => Ok(result),
            _ => Err(ErrorObject::internal(format!(
                "the resource {uri} asks a question, which only a client can answer"
            ))),
        }
    }

    /// Tells all who subscribed that a resource changed.
    pub fn notify_resource_updated(&self, uri: impl Into<String>) {
        self.call.core().changed(&Change::Resource(uri.into()));
    }

    /// Tells all clients that the list of tools changed. Registering and removing tools does this by itself.
    pub fn notify_tools_changed(&self) {
        self.call.core().changed(&Change::Tools);
    }

    /// Tells all clients that the list of prompts changed. Registering and removing prompts does this by itself.
    pub fn notify_prompts_changed(&self) {
        self.call.core().changed(&Change::Prompts);
    }

    /// Tells all clients that the list of resources changed. Registering and removing resources does this by itself.
    pub fn notify_resources_changed(&self) {
        self.call.core().changed(&Change::Resources);
    }

    /// Says what is wrong with arguments of the tool that is called, one line for each problem: for handlers that could not
    /// decode them. `None` if the schema finds nothing, for arguments that are so long that looking would keep other calls waiting, or
    /// without the feature `validation`.
    #[must_use]
    pub fn argument_problems(&self, arguments: &Bytes) -> Option<String> {
        let validator = self.call.tool.as_ref()?.prepared.input()?;
        validator.tells_all(arguments.len()).then(|| validator.check(arguments).err())?
    }

    /// Notes that the call ended; what its context says from now on is dropped.
    pub(crate) fn end(&self) {
        self.flush_progress();
        self.cancel();
    }

    /// Notes that nobody works on the call any more. Unless it is a task by now it becomes none.
    pub(crate) fn cancel(&self) {
        self.call.progress.end();
        if self.call.tasks.is_some() {
            self.call.task.over();
        }
    }
}

/// A caller's W3C trace context.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trace {
    /// The caller's span.
    pub parent: String,
    /// Vendors' parts.
    pub state: Option<String>,
    /// W3C baggage.
    pub baggage: Option<String>,
}

/// `00-<32 hex digits, not all zero>-<16 hex digits, not all zero>-<2 hex digits>`; a later version may go on after a dash.
fn is_traceparent(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut hex = |length: usize, may_be_zero: bool| {
        parts.next().is_some_and(|part| {
            part.len() == length
                && part.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
                && (may_be_zero || part.bytes().any(|b| b != b'0'))
        })
    };
    let well_formed = hex(2, true) && hex(32, false) && hex(16, false) && hex(2, true);
    well_formed && !text.starts_with("ff") && (!text.starts_with("00") || parts.next().is_none())
}

/// There is no state of the wanted type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the server has no state of type {type_name}; add it with `Server::state` or a lifespan")]
pub struct MissingState {
    type_name: &'static str,
}

impl fmt::Debug for Cx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cx").field("method", &self.method()).field("id", &self.request_id()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::is_traceparent;

    /// BASE-066, XTRC-001, T-057: a malformed traceparent is dropped.
    #[test]
    fn only_well_formed_trace_context_counts() {
        assert!(is_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
        assert!(is_traceparent("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more"));
        for bad in [
            "",
            "00",
            "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0\n",
        ] {
            assert!(!is_traceparent(bad), "{bad:?}");
        }
    }
}
