//! The test client.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jackfield_peer::ByteStream;
use jackfield_protocol::meta::key;
use jackfield_protocol::{
    CallToolResult, CompleteResult, Completion, CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult,
    ErrorObject, GetPromptResult, InputRequired, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, LoggingLevel, LoggingMessageParams, ProgressParams, Prompt, ReadResourceResult, Reference,
    Resource, ResourceTemplate, Revision, Root, TASKS_EXTENSION, Tool,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::answers::Answers;
use super::link::Link;
use crate::{RunningServer, Server};

/// A client in the same process, for tests: it speaks to the server as a real one does, through every layer, but in memory.
///
/// It connects with the first request. Every request ends after 30 seconds.
#[derive(Debug)]
pub struct TestClient {
    server: Mutex<Option<Tested>>,
    revision: Revision,
    pub(super) answers: Answers,
    pub(super) tasks: bool,
    log_level: Option<LoggingLevel>,
    link: OnceCell<(Link, Value)>,
    ids: AtomicU64,
}

/// What a [`TestClient`] speaks to: a server that is started for it and stopped with its connection, or one that runs already and may
/// have other clients.
#[derive(Debug)]
pub enum Tested {
    /// A server that is started for the client.
    Server(Box<Server>),
    /// A server that runs.
    Running(RunningServer),
}

impl From<Server> for Tested {
    fn from(server: Server) -> Self {
        Self::Server(Box::new(server))
    }
}

impl From<RunningServer> for Tested {
    fn from(server: RunningServer) -> Self {
        Self::Running(server)
    }
}

impl From<&RunningServer> for Tested {
    fn from(server: &RunningServer) -> Self {
        Self::Running(server.clone())
    }
}

/// A notification that came from the server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Notification {
    /// Its method.
    pub method: String,
    /// Its parameters.
    pub params: Value,
}

const PATIENCE: Duration = Duration::from_secs(30);
/// A server that asks more often than this for one call asks for ever.
const ROUNDS: usize = 32;

impl TestClient {
    /// A client of the newest revision.
    #[must_use]
    pub fn of(server: impl Into<Tested>) -> Self {
        Self::with_revision(server, Revision::LATEST)
    }

    /// A client of any revision.
    #[must_use]
    pub fn with_revision(server: impl Into<Tested>, revision: Revision) -> Self {
        Self {
            server: Mutex::new(Some(server.into())),
            revision,
            answers: Answers::default(),
            tasks: false,
            log_level: None,
            link: OnceCell::new(),
            ids: AtomicU64::new(1),
        }
    }

    /// Answers questions to the person.
    #[must_use]
    pub fn on_elicit(mut self, answer: impl Fn(ElicitParams) -> ElicitResult + Send + Sync + 'static) -> Self {
        self.answers.elicit = Some(std::sync::Arc::new(answer));
        self
    }

    /// Answers questions to the model.
    #[must_use]
    pub fn on_sample(
        mut self,
        answer: impl Fn(CreateMessageParams) -> CreateMessageResult + Send + Sync + 'static,
    ) -> Self {
        self.answers.sample = Some(std::sync::Arc::new(answer));
        self
    }

    /// Has roots.
    #[must_use]
    pub fn with_roots(mut self, roots: impl IntoIterator<Item = Root>) -> Self {
        self.answers.roots = Some(roots.into_iter().collect());
        self
    }

    /// Wants log messages of this level and above.
    #[must_use]
    pub fn with_log_level(mut self, level: LoggingLevel) -> Self {
        self.log_level = Some(level);
        self
    }

    /// Returns the revision that the client speaks.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Calls a tool and answers its questions.
    ///
    /// # Errors
    /// The server answered with an error of the protocol. A tool that fails is not an error but a result that says so.
    pub async fn call_tool(&self, name: &str, arguments: impl Serialize) -> Result<CallToolResult, ErrorObject> {
        let params = json!({ "name": name, "arguments": value(arguments)? });
        match self.call_as_task(&params).await? {
            Some(result) => Ok(result),
            None => self.ask("tools/call", params).await,
        }
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// The server answered with an error.
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult, ErrorObject> {
        self.ask("resources/read", json!({ "uri": uri })).await
    }

    /// Gets a prompt. `arguments` is an object of texts.
    ///
    /// # Errors
    /// The server answered with an error.
    pub async fn get_prompt(&self, name: &str, arguments: impl Serialize) -> Result<GetPromptResult, ErrorObject> {
        self.ask("prompts/get", json!({ "name": name, "arguments": value(arguments)? })).await
    }

    /// Completes an argument of a prompt or a variable of a resource template.
    ///
    /// # Errors
    /// The server answered with an error.
    pub async fn complete(&self, reference: Reference, argument: &str, typed: &str) -> Result<Completion, ErrorObject> {
        let params = json!({ "ref": value(reference)?, "argument": { "name": argument, "value": typed } });
        self.ask::<CompleteResult>("completion/complete", params).await.map(|result| result.completion)
    }

    /// Returns all tools, of all pages.
    ///
    /// # Errors
    /// The server answered with an error.
    pub async fn list_tools(&self) -> Result<Vec<Tool>, ErrorObject> {
        self.list("tools/list", |page: ListToolsResult| (page.tools, page.next_cursor)).await
    }

    /// Returns all static resources, of all pages.
    ///
    /// # Errors
    /// The server answered with an error.
    pub async fn list_resources(&self) -> Result<Vec<Resource>, ErrorObject> {
        self.list("resources/list", |page: ListResourcesResult| (page.resources, page.next_cursor)).await
    }

    /// Returns all templates of resources, of all pages.
    ///
    /// # Errors
    /// The server answered with an error.
    pub async fn list_resource_templates(&self) -> Result<Vec<ResourceTemplate>, ErrorObject> {
        let pages = |page: ListResourceTemplatesResult| (page.resource_templates, page.next_cursor);
        self.list("resources/templates/list", pages).await
    }

    /// Returns all prompts, of all pages.
    ///
    /// # Errors
    /// The server answered with an error.
    pub async fn list_prompts(&self) -> Result<Vec<Prompt>, ErrorObject> {
        self.list("prompts/list", |page: ListPromptsResult| (page.prompts, page.next_cursor)).await
    }

    /// Returns what the server says about itself: the result of `server/discover`, or of `initialize` before 2026-07-28.
    ///
    /// # Errors
    /// The server answered with an error.
    pub async fn introduction(&self) -> Result<Value, ErrorObject> {
        if self.revision.has_handshake() {
            return Ok(self.link().await?.1.clone());
        }
        self.request("server/discover", json!({})).await
    }

    /// Sends any request and returns the result as it is; questions in it are not answered.
    ///
    /// # Errors
    /// The server answered with an error.
    pub async fn request(&self, method: &str, params: Value) -> Result<Value, ErrorObject> {
        let (link, _) = self.link().await?;
        let id = self.next_id();
        in_time(link.request(id, method, self.stamped(id, params))).await
    }

    /// Sends any notification.
    ///
    /// # Errors
    /// The connection is closed.
    pub async fn notify(&self, method: &str, params: Value) -> Result<(), ErrorObject> {
        self.link().await?.0.notify(method, params).await
    }

    /// Opens a stream of notices of change with `subscriptions/listen`; since 2026-07-28. `filter` is a `SubscriptionFilter`.
    ///
    /// # Errors
    /// The server refused.
    pub async fn listen(&self, filter: Value) -> Result<(), ErrorObject> {
        let (link, _) = self.link().await?;
        let id = self.next_id();
        let params = self.stamped(id, json!({ "notifications": filter }));
        let mut reply = link.start(id, "subscriptions/listen", params).await?;
        let acknowledged = link.wait_for(|notifications| {
            notifications.iter().any(|one| one.method == "notifications/subscriptions/acknowledged").then_some(())
        });
        in_time(async {
            tokio::select! {
                reply = &mut reply => reply.unwrap_or_else(|_| Err(ErrorObject::internal("the server closed the connection"))).map(drop),
                _ = acknowledged => Ok(()),
            }
        })
        .await
    }

    /// Returns all notifications that have come until now.
    #[must_use]
    pub fn notifications(&self) -> Vec<Notification> {
        self.link.get().map(|(link, _)| link.notifications()).unwrap_or_default()
    }

    /// Waits for a notification; one that has come before counts.
    ///
    /// # Errors
    /// It did not come in time, or the connection closed.
    pub async fn wait_for(&self, method: &str) -> Result<Notification, ErrorObject> {
        let (link, _) = self.link().await?;
        let find = |all: &[Notification]| all.iter().find(|notification| notification.method == method).cloned();
        in_time(async {
            link.wait_for(find).await.ok_or_else(|| ErrorObject::internal("the server closed the connection"))
        })
        .await
    }

    /// Returns all notices of progress that have come until now.
    #[must_use]
    pub fn progress(&self) -> Vec<ProgressParams> {
        self.received("notifications/progress")
    }

    /// Returns all log messages that have come until now.
    #[must_use]
    pub fn logs(&self) -> Vec<LoggingMessageParams> {
        self.received("notifications/message")
    }

    fn received<T: DeserializeOwned>(&self, method: &str) -> Vec<T> {
        let of_method = self.notifications().into_iter().filter(|notification| notification.method == method);
        of_method.filter_map(|notification| serde_json::from_value(notification.params).ok()).collect()
    }

    async fn ask<T: DeserializeOwned>(&self, method: &str, mut params: Value) -> Result<T, ErrorObject> {
        for _ in 0..ROUNDS {
            let result = self.request(method, params.clone()).await?;
            match result.get("resultType").and_then(Value::as_str) {
                Some("input_required") => {}
                Some("task") => return read(self.follow(&result).await?),
                _ => return read(result),
            }
            let asked: InputRequired = read(result)?;
            let answers = self.answers.questions(asked.input_requests.unwrap_or_default())?;
            if let Some(params) = params.as_object_mut() {
                params.insert("inputResponses".to_owned(), value(answers)?);
                params.remove("requestState");
                params.extend(asked.request_state.map(|state| ("requestState".to_owned(), state.into())));
            }
        }
        Err(ErrorObject::internal(format!("the server asked more than {ROUNDS} times")))
    }

    async fn list<P: DeserializeOwned, T>(
        &self,
        method: &str,
        open: impl Fn(P) -> (Vec<T>, Option<String>),
    ) -> Result<Vec<T>, ErrorObject> {
        let mut items = Vec::new();
        let mut params = json!({});
        loop {
            let (page, next) = open(read(self.request(method, params).await?)?);
            items.extend(page);
            match next {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => return Ok(items),
            }
        }
    }

    /// Adds what a request of the revision carries in `_meta`. What the caller put there stays.
    fn stamped(&self, id: u64, mut params: Value) -> Value {
        let Some(object) = params.as_object_mut() else { return params };
        let Some(meta) = object.entry("_meta").or_insert_with(|| json!({})).as_object_mut() else { return params };
        let mut add = |name: &str, value: Value| {
            meta.entry(name).or_insert(value);
        };
        add(key::PROGRESS_TOKEN, id.into());
        if !self.revision.has_handshake() {
            add(key::PROTOCOL_VERSION, self.revision.as_str().into());
            add(key::CLIENT_CAPABILITIES, self.capabilities());
            add(key::CLIENT_INFO, client_info());
            if let Some(level) = self.log_level {
                add(key::LOG_LEVEL, level.as_str().into());
            }
        }
        params
    }

    fn capabilities(&self) -> Value {
        let mut capabilities = self.answers.capabilities(self.revision);
        if self.tasks && self.revision.has_tasks_extension() {
            capabilities["extensions"] = json!({ TASKS_EXTENSION: {} });
        }
        capabilities
    }

    fn next_id(&self) -> u64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }

    async fn link(&self) -> Result<&(Link, Value), ErrorObject> {
        self.link.get_or_try_init(|| self.connect()).await
    }

    async fn connect(&self) -> Result<(Link, Value), ErrorObject> {
        let server = self.server.lock().unwrap_or_else(PoisonError::into_inner).take();
        let server = server.ok_or_else(|| ErrorObject::internal("the server refused the first connection"))?;
        let (ours, theirs) = ByteStream::pair(64 * 1024);
        let link = Link::open(ours, self.answers.clone(), async move {
            let served = match server {
                Tested::Server(server) => server.serve_stream(theirs).await,
                Tested::Running(server) => server.serve_stream(theirs).await,
            };
            if let Err(error) = served {
                panic!("the server ended: {error}");
            }
        });
        if !self.revision.has_handshake() {
            return Ok((link, Value::Null));
        }
        let params = json!({
            "protocolVersion": self.revision,
            "capabilities": self.capabilities(),
            "clientInfo": client_info(),
        });
        let introduction = in_time(link.request(self.next_id(), "initialize", params)).await?;
        link.notify("notifications/initialized", json!({})).await?;
        if let Some(level) = self.log_level {
            in_time(link.request(self.next_id(), "logging/setLevel", json!({ "level": level }))).await?;
        }
        Ok((link, introduction))
    }
}

fn client_info() -> Value {
    json!({ "name": "jackfield-test-client", "version": env!("CARGO_PKG_VERSION") })
}

pub(super) async fn in_time<T>(work: impl Future<Output = Result<T, ErrorObject>>) -> Result<T, ErrorObject> {
    tokio::time::timeout(PATIENCE, work)
        .await
        .unwrap_or_else(|_| Err(ErrorObject::internal("the server did not answer in time")))
}

pub(super) fn value(value: impl Serialize) -> Result<Value, ErrorObject> {
    serde_json::to_value(value).map_err(|error| ErrorObject::invalid_params(error.to_string()))
}

pub(super) fn read<T: DeserializeOwned>(result: Value) -> Result<T, ErrorObject> {
    serde_json::from_value(result)
        .map_err(|error| ErrorObject::internal(format!("the result has not its form: {error}")))
}
