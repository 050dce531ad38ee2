//! Building a client.

use std::future::Future;
use std::sync::{Arc, Mutex};

use jackfield_peer::ByteStream;
use jackfield_peer::child::Command;
use jackfield_peer::tape::Tape;
use jackfield_protocol::{
    CreateMessageParams, CreateMessageResult, ElicitFormParams, ElicitResult, ElicitUrlParams, ErrorObject,
    Implementation, JsonObject, ListRootsResult, LoggingMessageParams, Revision, Root, TASKS_EXTENSION,
};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;

use crate::client::{Client, Owner};
use crate::config::Options;
use crate::connection::Core;
use crate::connection::Supervisor;
use crate::error::Cause;
use crate::lists::{Cache, CacheOwner};
use crate::questions::check_root;
use crate::transport::ChildConnector;
use crate::transport::StreamConnector;
use crate::transport::{Direction, MessageObserver};
use crate::{Connector, Error, Limits, Restarts, Timeouts};

/// What a client is built with. What it tells servers it can do follows from the handlers that are given.
#[derive(Debug, Default)]
#[must_use = "nothing happens until it connects"]
pub struct Builder {
    options: Options,
    bad_root: Option<Error>,
}

/// Who we are if nobody says so.
pub(crate) fn default_info() -> Implementation {
    Implementation::new("jackfield", env!("CARGO_PKG_VERSION"))
}

impl Builder {
    /// Says who the client is.
    pub fn info(mut self, info: Implementation) -> Self {
        self.options.info = Some(info);
        self
    }

    /// Answers forms that the server asks the person to fill in. The answer is checked against the form.
    ///
    /// Show which server asks, and let the person review, decline or cancel.
    pub fn on_form<F, A>(mut self, handler: F) -> Self
    where
        F: Fn(ElicitFormParams) -> A + Send + Sync + 'static,
        A: Future<Output = Result<ElicitResult, ErrorObject>> + Send + 'static,
    {
        self.options.handlers.form = Some(Arc::new(move |form| Box::pin(handler(form))));
        self
    }

    /// Answers requests that the person should visit a page. Nothing is fetched or opened by this client.
    ///
    /// Show the whole URL with its host marked, and open it only if the person agrees.
    pub fn on_url<F, A>(mut self, handler: F) -> Self
    where
        F: Fn(ElicitUrlParams) -> A + Send + Sync + 'static,
        A: Future<Output = Result<ElicitResult, ErrorObject>> + Send + 'static,
    {
        self.options.handlers.url = Some(Arc::new(move |page| Box::pin(handler(page))));
        self
    }

    /// Lets the server ask the client's model, without tools.
    pub fn on_sampling<F, A>(mut self, handler: F) -> Self
    where
        F: Fn(CreateMessageParams) -> A + Send + Sync + 'static,
        A: Future<Output = Result<CreateMessageResult, ErrorObject>> + Send + 'static,
    {
        self.options.handlers.sampling = Some(Arc::new(move |params| Box::pin(handler(params))));
        self.options.handlers.sampling_tools = false;
        self
    }

    /// Lets the server ask the client's model, and give it tools. What the server asks is checked by the rules for tools before the
    /// handler sees it, and what the handler returns is checked against the choice of tools before the server does.
    pub fn on_sampling_with_tools<F, A>(self, handler: F) -> Self
    where
        F: Fn(CreateMessageParams) -> A + Send + Sync + 'static,
        A: Future<Output = Result<CreateMessageResult, ErrorObject>> + Send + 'static,
    {
        let mut builder = self.on_sampling(handler);
        builder.options.handlers.sampling_tools = true;
        builder
    }

    /// Tells the server which folders it may work in. They can be changed by [`Client::set_roots`].
    pub fn roots(mut self, roots: impl Into<Vec<Root>>) -> Self {
        let roots = roots.into();
        self.bad_root = roots.iter().find_map(|root| check_root(root).err());
        self.options.handlers.roots = Some(Mutex::new(roots));
        self
    }

    /// Finds out which folders the server may work in each time that it asks, instead of keeping them. The server hears nothing of changes.
    pub fn on_roots<F, A>(mut self, handler: F) -> Self
    where
        F: Fn() -> A + Send + Sync + 'static,
        A: Future<Output = Result<ListRootsResult, ErrorObject>> + Send + 'static,
    {
        self.options.handlers.find_roots = Some(Arc::new(move |()| Box::pin(handler())));
        self
    }

    /// Hears the server's log messages. The handler runs between two reads, so it must be quick.
    pub fn on_log(mut self, handler: impl Fn(LoggingMessageParams) + Send + Sync + 'static) -> Self {
        self.options.handlers.log = Some(Arc::new(handler));
        self
    }

    /// Says that the client has the extension of tasks, so that a server of the modern era may answer a call with a task instead of its
    /// result. [`Call`](crate::Call) then looks at the task until it is done, answers its questions, and returns its result as that of any
    /// other call. Without this, servers must answer with the result itself, or refuse.
    ///
    /// Tools of servers of 2025-11-25 that must be called as tasks are, with or without this: there tasks are part of the protocol.
    pub fn tasks(self) -> Self {
        self.extension(TASKS_EXTENSION, JsonObject::new())
    }

    /// Says that the client has an extension, with its settings. A client has none unless it is told so here, or gets its tokens by one.
    pub fn extension(mut self, id: impl Into<String>, settings: JsonObject) -> Self {
        let id = id.into();
        self.options.undeclared.remove(&id);
        self.options.extensions.insert(id, settings);
        self
    }

    /// Does not say that the client has an extension, not even one by which it gets its tokens.
    pub fn without_extension(mut self, id: &str) -> Self {
        self.options.extensions.remove(id);
        self.options.undeclared.insert(id.to_owned());
        self
    }

    /// Says that the client has an experimental feature.
    pub fn experimental(mut self, name: impl Into<String>, settings: JsonObject) -> Self {
        self.options.experimental.get_or_insert_default().insert(name.into(), settings);
        self
    }

    /// Uses this revision and no other.
    pub fn revision(mut self, revision: Revision) -> Self {
        self.options.revisions = vec![revision];
        self
    }

    /// Never uses this revision.
    pub fn without_revision(mut self, revision: Revision) -> Self {
        self.options.revisions.retain(|other| *other != revision);
        self
    }

    /// Never falls back to a revision that begins with a handshake.
    pub fn modern_only(mut self) -> Self {
        self.options.revisions.retain(|revision| !revision.has_handshake());
        self
    }

    /// Sets the limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.options.limits = limits;
        self
    }

    /// Sets how long to wait.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.options.timeouts = timeouts;
        self
    }

    /// Sets whether and how often a server that died is started again.
    pub fn restarts(mut self, restarts: Restarts) -> Self {
        self.options.restarts = restarts;
        self
    }

    /// Shares a cache with other clients.
    pub fn cache(mut self, cache: Cache, owner: CacheOwner) -> Self {
        self.options.cache = Some(cache);
        self.options.cache_owner = owner;
        self
    }

    /// Does not check structured output against output schemas; only with the feature `validation` it is checked at all.
    pub fn without_output_check(mut self) -> Self {
        self.options.checks_output = false;
        self
    }

    /// Hears that the person is done at a page that [`Builder::on_url`] was given, by the page's `elicitation_id`. Only servers of
    /// 2025-11-25 tell, and only some. What they say about other pages is not heard.
    pub fn on_url_completed(mut self, listener: impl Fn(String) + Send + Sync + 'static) -> Self {
        self.options.handlers.url_completed = Some(Arc::new(listener));
        self
    }

    /// Hears the text of every message in both directions, to be recorded or shown. The listener runs where messages are moved,
    /// so it must be quick. Headers are no part of a message, but arguments and results are: they may hold secrets.
    pub fn on_message(mut self, listener: impl Fn(Direction, &[u8]) + Send + Sync + 'static) -> Self {
        self.options.observer = Some(MessageObserver::new(listener));
        self
    }

    /// Records every message in both directions. What says that it is secret is left out; headers and logins are no part of messages.
    pub fn tape(mut self, tape: Tape) -> Self {
        self.options.tape = Some(tape);
        self
    }

    /// Starts a server as a child process and connects to it.
    ///
    /// # Errors
    /// The program cannot be started, or it does not speak a revision that is allowed.
    pub async fn spawn(self, command: Command) -> Result<Client, Error> {
        let limits = self.options.limits.clone();
        self.through(ChildConnector::new(command, limits)).await
    }

    /// Connects over a byte stream with one message per line.
    ///
    /// # Errors
    /// The server does not speak a revision that is allowed, or not at all.
    pub async fn over(self, stream: ByteStream) -> Result<Client, Error> {
        let limits = self.options.limits.clone();
        self.through(StreamConnector::new(stream, limits)).await
    }

    /// Connects to a server by its URL, or by an [`Http`](crate::Http) that says more about it. Which revision the server speaks,
    /// and in which form, is found out.
    ///
    /// # Errors
    /// The URL is not one, the server cannot be reached, or it does not speak a revision that is allowed.
    ///
    /// # Cancellation
    /// Dropping the future ends the connection.
    #[cfg(feature = "http")]
    pub async fn connect(mut self, server: impl Into<crate::Http>) -> Result<Client, Error> {
        let server = server.into();
        for id in server.extensions().iter().filter(|id| !self.options.undeclared.contains(**id)) {
            self.options.extensions.entry((*id).to_owned()).or_default();
        }
        let connector = crate::transport::HttpConnector::new(server, &self.options)?;
        self.through(connector).await
    }

    /// Connects through any transport.
    ///
    /// # Errors
    /// The connection cannot be opened, or the server does not speak a revision that is allowed.
    ///
    /// # Cancellation
    /// Dropping the future ends the connection.
    pub async fn through(self, connector: impl Connector) -> Result<Client, Error> {
        if let Some(error) = self.bad_root {
            return Err(error);
        }
        let core = Core::new(self.options);
        let connector: Arc<dyn Connector> = Arc::new(connector);
        let (stop, stopped) = watch::channel(false);
        let (first, opened) = oneshot::channel();
        let supervisor =
            Supervisor { core: core.clone(), connector: connector.clone(), stop: stopped, first: Some(first) };
        let mut tasks = JoinSet::new();
        tasks.spawn(supervisor.run());
        let client = Client::new(Owner { core, connector, stop, tasks: Mutex::new(tasks) });
        match opened.await {
            Ok(Ok(())) => Ok(client),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(Cause::Closed(Arc::new(crate::EndReason::new("the connection was given up"))).into()),
        }
    }
}

impl Client {
    /// Starts a server as a child process, without a shell, and connects to it.
    ///
    /// # Errors
    /// The program cannot be started, or it does not speak any revision of the protocol.
    pub async fn spawn(
        program: impl AsRef<std::ffi::OsStr>,
        arguments: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>,
    ) -> Result<Self, Error> {
        Self::builder().spawn(Command::new(program).args(arguments)).await
    }

    /// Connects to a server by its URL, or by an [`Http`](crate::Http) that says more about it.
    ///
    /// # Errors
    /// The URL is not one, the server cannot be reached, or it does not speak any revision of the protocol.
    #[cfg(feature = "http")]
    pub async fn connect(server: impl Into<crate::Http>) -> Result<Self, Error> {
        Self::builder().connect(server).await
    }

    /// Connects over a byte stream with one message per line: a socket, a pipe, or memory.
    ///
    /// # Errors
    /// The server does not speak any revision of the protocol.
    pub async fn over(stream: ByteStream) -> Result<Self, Error> {
        Self::builder().over(stream).await
    }
}
