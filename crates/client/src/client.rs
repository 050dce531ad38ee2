//! The client: a handle that can be cloned and shared.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jackfield_protocol::{
    ClientRequest, CompleteParams, CompleteResult, CompletionArgument, CompletionContext, CustomMessage,
    DiscoverParams, EmptyParams, EmptyResult, GetPromptParams, GetPromptResult, JsonObject, LoggingLevel, Method,
    Notification, PingParams, Prompt, RawJson, ReadResourceParams, ReadResourceResult, Reference, Resource,
    ResourceTemplate, Revision, Root, SetLevelParams, Tool, write_notification,
};
use serde::Serialize;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::connection::{Core, State};
use crate::connection::{ServerInfo, Session};
use crate::error::Cause;
use crate::questions::check_root;
use crate::request::{Deadline, RequestOptions, complete};
use crate::request::{Finished, Repeatable};
use crate::tools::Call;
use crate::{BadAnswer, Behalf, Builder, Connector, EndReason, Error, Listing, Outgoing, OutgoingKind, Subscribe};

/// A client of one server, whatever revision that speaks.
///
/// Clones share the connection. It is closed by [`Client::close`], or when the last clone is dropped; a server process is then
/// killed, so `close` is the polite way.
#[derive(Clone, Debug)]
pub struct Client {
    core: Arc<Core>,
    owner: Arc<Owner>,
    /// For whom it asks, if not for itself.
    behalf: Option<Arc<Behalf>>,
}

/// Owns the tasks of a client; dropping it ends them.
#[derive(Debug)]
pub(crate) struct Owner {
    pub(crate) core: Arc<Core>,
    pub(crate) connector: Arc<dyn Connector>,
    pub(crate) stop: watch::Sender<bool>,
    pub(crate) tasks: Mutex<JoinSet<()>>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.core.close(&Arc::new(EndReason::new("the client was dropped")));
    }
}

impl Client {
    pub(crate) fn new(owner: Owner) -> Self {
        Self { core: owner.core.clone(), owner: Arc::new(owner), behalf: None }
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// Returns the same client, that asks for somebody else. The connection is shared.
    ///
    /// Servers of the legacy era were told at the handshake what the client can do, once for all requests.
    #[must_use]
    pub fn on_behalf(&self, behalf: Behalf) -> Self {
        Self { behalf: Some(Arc::new(behalf)), ..self.clone() }
    }

    /// Begins to build a client.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Returns what the server says about itself; `None` while it is being started again.
    #[must_use]
    pub fn server(&self) -> Option<Arc<ServerInfo>> {
        self.core.session_now().map(|session| session.about.clone())
    }

    /// Returns the revision in use; `None` while the server is being started again.
    #[must_use]
    pub fn revision(&self) -> Option<Revision> {
        self.core.session_now().map(|session| session.revision)
    }

    /// Whether the client has ended for good.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        matches!(*self.core.state.borrow(), State::Closed(_))
    }

    /// Waits until the client has ended for good: it was closed, or the server is gone and is not started again.
    pub async fn closed(&self) {
        let mut state = self.core.state.subscribe();
        // An error means that there is nobody left to open it.
        let _ = state.wait_for(|state| matches!(state, State::Closed(_))).await;
    }

    /// Returns the last part of what the server wrote to standard error, if it is a child process. It is the server's
    /// text: escape it before it goes to a terminal.
    #[must_use]
    pub fn stderr(&self) -> Option<String> {
        self.owner.connector.diagnostics()
    }

    /// Returns how many answers came that nobody had asked for or still waited for.
    #[must_use]
    pub fn stray_answers(&self) -> u64 {
        self.core.pending.strays()
    }

    /// Calls a tool. `arguments` serialize to an object; `()` means none.
    pub fn call(&self, tool: impl Into<String>, arguments: impl Serialize) -> Call {
        Call::new(self.clone(), tool.into(), &arguments)
    }

    /// Lists the tools.
    pub fn tools(&self) -> Listing<Tool> {
        Listing::new(self.clone())
    }

    /// Lists the resources.
    pub fn resources(&self) -> Listing<Resource> {
        Listing::new(self.clone())
    }

    /// Lists the resource templates.
    pub fn resource_templates(&self) -> Listing<ResourceTemplate> {
        Listing::new(self.clone())
    }

    /// Lists the prompts.
    pub fn prompts(&self) -> Listing<Prompt> {
        Listing::new(self.clone())
    }

    /// Subscribes to notices of change.
    pub fn subscribe(&self) -> Subscribe {
        Subscribe::new(self.clone())
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// See [`Error`].
    ///
    /// # Cancellation
    /// Dropping the future cancels the request at the server.
    pub async fn read(&self, uri: impl Into<String>) -> Result<ReadResourceResult, Error> {
        let session = self.session().await?;
        session.needs_resources()?;
        let uri = uri.into();
        let limit = self.core.options.timeouts.request;
        let moment = self.core.moment(&session, Method::ReadResource, limit).await;
        if let Some(text) = self.core.cached(moment, Method::ReadResource, Some(&uri)) {
            return complete(Method::ReadResource.name(), &text, &session);
        }
        let params = ReadResourceParams::new(uri.as_str());
        let what = Repeatable::ReadResource(&params);
        match self.core.request_in_rounds(&session, &what, &mut self.request_options()).await? {
            Finished::Result(result, first) => {
                // What depends on the answers to questions is not kept.
                if let Some(text) = first {
                    self.core.keep(&session, moment, Method::ReadResource, Some(&uri), &text).await;
                }
                Ok(result)
            }
            Finished::Task(_) => Err(Error::bad_answer(Method::ReadResource.name(), BadAnswer::Kind)),
        }
    }

    /// Gets a prompt, with what was filled in.
    ///
    /// # Errors
    /// See [`Error`].
    ///
    /// # Cancellation
    /// Dropping the future cancels the request at the server.
    pub async fn prompt<K: Into<String>, V: Into<String>>(
        &self,
        name: impl Into<String>,
        arguments: impl IntoIterator<Item = (K, V)>,
    ) -> Result<GetPromptResult, Error> {
        let session = self.session().await?;
        session.needs_prompts()?;
        let arguments: BTreeMap<String, String> =
            arguments.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let mut params = GetPromptParams::new(name);
        params.arguments = (!arguments.is_empty()).then_some(arguments);
        let what = Repeatable::GetPrompt(&params);
        match self.core.request_in_rounds(&session, &what, &mut self.request_options()).await? {
            Finished::Result(result, _) => Ok(result),
            Finished::Task(_) => Err(Error::bad_answer(Method::GetPrompt.name(), BadAnswer::Kind)),
        }
    }

    /// Asks for proposals for an argument of a prompt or resource template; `known` are the arguments filled in already.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn complete(
        &self,
        what: Reference,
        argument: impl Into<String>,
        typed: impl Into<String>,
        known: BTreeMap<String, String>,
    ) -> Result<CompleteResult, Error> {
        let session = self.session().await?;
        session.needs_completions()?;
        let mut params = CompleteParams::new(what, CompletionArgument::new(argument, typed));
        if !known.is_empty() {
            let mut context = CompletionContext::default();
            context.arguments = Some(known);
            params.context = Some(context);
        }
        self.request_as(&session, ClientRequest::Complete(params)).await
    }

    /// Asks whether the server lives. Since 2026-07-28 there is no ping; then the server is asked what it is.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn ping(&self) -> Result<(), Error> {
        let session = self.session().await?;
        let request = if session.revision.has_handshake() {
            ClientRequest::Ping(PingParams::default())
        } else {
            ClientRequest::Discover(DiscoverParams::default())
        };
        self.request_as::<serde::de::IgnoredAny>(&session, request).await.map(drop)
    }

    /// Sets the least level of log messages that the server should send.
    ///
    /// # Errors
    /// See [`Error`]. Since 2026-07-28 the level travels with each request, and nothing is asked here.
    pub async fn set_log_level(&self, level: LoggingLevel) -> Result<(), Error> {
        let session = self.session().await?;
        if session.about.capabilities.logging.is_none() {
            return Err(Cause::NotOffered("log messages").into());
        }
        self.core.set_log_level(level);
        if session.revision.has_log_level_request() {
            let request = ClientRequest::SetLevel(SetLevelParams::new(level));
            return self.request_as::<EmptyResult>(&session, request).await.map(drop);
        }
        self.core.state.send_if_modified(|state| match state {
            State::Ready(session) => {
                *session = Arc::new(session.with_level(&self.core.options, level));
                true
            }
            _ => false,
        });
        Ok(())
    }

    /// Replaces the roots, and tells the server if its revision has a notice for that.
    ///
    /// # Errors
    /// A root is not a `file://` URI, or the client was built without roots.
    pub fn set_roots(&self, roots: Vec<Root>) -> Result<(), Error> {
        roots.iter().try_for_each(check_root)?;
        let Some(kept) = &self.core.options.handlers.roots else { return Err(Cause::BuiltWithout("roots").into()) };
        *kept.lock().unwrap_or_else(PoisonError::into_inner) = roots;
        if let Some(session) = self.core.session_now() {
            let mut text = Vec::new();
            let notice = Notification::RootsListChanged(EmptyParams::default());
            if write_notification(&mut text, notice, session.revision).is_ok() {
                let method = Method::RootsListChanged.name();
                // A server that is gone needs no notice.
                let _ = session.link.send(Outgoing { text: &text, kind: OutgoingKind::Notification(method) });
            }
        }
        Ok(())
    }

    /// Sends a request outside the specification and returns its result as it is.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn request(&self, method: impl Into<String>, params: JsonObject) -> Result<RawJson, Error> {
        let session = self.session().await?;
        self.request_as(&session, ClientRequest::from(CustomMessage::new(method, params))).await
    }

    /// Ends the connection in an orderly way and waits until the server is gone.
    ///
    /// Requests under way end with an error, also those of other clones.
    ///
    /// # Cancellation
    /// Dropping the future ends the connection at once, whatever the server does.
    pub async fn close(self) {
        self.owner.stop.send_replace(true);
        let mut tasks = std::mem::take(&mut *self.owner.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        while tasks.join_next().await.is_some() {}
    }

    pub(crate) async fn session(&self) -> Result<Arc<Session>, Error> {
        self.session_within(self.core.options.timeouts.request).await
    }

    /// Returns the session as it is for the one who asks.
    pub(crate) async fn session_within(&self, timeout: Duration) -> Result<Arc<Session>, Error> {
        let session = self.core.session(timeout).await?;
        Ok(match &self.behalf {
            None => session,
            Some(behalf) => Arc::new(session.on_behalf(&self.core.options, behalf)),
        })
    }

    fn request_options(&self) -> RequestOptions {
        let mut options = RequestOptions::new(&self.core);
        self.add_headers(&mut options.headers);
        options
    }

    /// Adds what the one who is asked for sent along.
    pub(crate) fn add_headers(&self, headers: &mut Vec<(String, String)>) {
        if let Some(behalf) = &self.behalf {
            behalf.add_headers(headers);
        }
    }

    async fn request_as<T: serde::de::DeserializeOwned>(
        &self,
        session: &Session,
        request: ClientRequest,
    ) -> Result<T, Error> {
        self.core.request(session, request, &mut self.request_options()).await
    }

    /// Lists the tools once, if they are not known: some must be called as tasks, or have output to check.
    ///
    /// # Errors
    /// The time of the call is over.
    pub(crate) async fn learn_tools(&self, session: &Session, deadline: Deadline) -> Result<(), Error> {
        let version = {
            let tool_catalog = self.core.tool_catalog();
            if tool_catalog.complete || session.needs_tools().is_err() {
                return Ok(());
            }
            tool_catalog.version()
        };
        let listed = Box::pin(self.tools().within(deadline).all()).await;
        // Also after a failure: a server that cannot list its tools is not asked before every call.
        self.core.tool_catalog().completed(version);
        match listed {
            Err(error) if error.is_timeout() => return Err(error),
            Err(error) => tracing::warn!(%error, "the tools could not be listed"),
            Ok(_) => {}
        }
        deadline.check(Method::CallTool.name())
    }
}
