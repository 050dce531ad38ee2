//! Requests of both directions, as values that can be read and written.

use crate::encode::{Added, CallerMeta, NotInRevision, object, value_into};
use crate::*;

/// A request or notification outside the specification.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CustomMessage {
    /// Its method.
    pub method: String,
    /// Its parameters, without `_meta`.
    pub params: JsonObject,
    /// The `_meta` of its parameters.
    pub meta: Option<Meta>,
}

impl CustomMessage {
    /// Makes a message; a `_meta` among the parameters is taken as such.
    pub fn new(method: impl Into<String>, mut params: JsonObject) -> Self {
        let meta = params.remove("_meta").and_then(|meta| serde_json::from_value(meta).ok());
        Self { method: method.into(), params, meta }
    }
}

impl serde::Serialize for CustomMessage {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(None)?;
        self.params.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
        if let Some(meta) = &self.meta {
            map.serialize_entry("_meta", meta)?;
        }
        map.end()
    }
}

/// The parameters of a message.
pub(crate) trait Params: serde::Serialize + Adapt {
    /// Whether parameters without any member are left out.
    const OPTIONAL: bool = false;

    fn meta_mut(&mut self) -> &mut Option<Meta>;
}

macro_rules! params {
    ($( $type:ty $( = $optional:literal )?, )+) => { $(
        impl Params for $type {
            $( const OPTIONAL: bool = $optional; )?

            fn meta_mut(&mut self) -> &mut Option<Meta> {
                &mut self.meta
            }
        }
    )+ };
}

params! {
    EmptyParams = true, ListParams = true, CustomMessage = true,
    InitializeParams, CallToolParams, ReadResourceParams, SubscribeParams, UnsubscribeParams, GetPromptParams,
    CompleteParams, SetLevelParams, ListenParams, TaskParams, UpdateTaskParams, CreateMessageParams,
    CancelledParams, ProgressParams, LoggingMessageParams, ResourceUpdatedParams, SubscriptionsAcknowledgedParams,
    ElicitationCompleteParams, Task, DetailedTask,
}

impl Params for ElicitParams {
    fn meta_mut(&mut self) -> &mut Option<Meta> {
        ElicitParams::meta_mut(self)
    }
}

impl<T: Params> Params for Box<T> {
    const OPTIONAL: bool = T::OPTIONAL;

    fn meta_mut(&mut self) -> &mut Option<Meta> {
        (**self).meta_mut()
    }
}

impl Adapt for CustomMessage {
    fn walk<S: dialect::Step>(&mut self, _step: &S) {}
}

/// Adapts and writes `,"params":{…}`, or nothing if they have no member and may be left out.
pub(crate) fn write_params<T: Params>(out: &mut Vec<u8>, mut params: T, revision: Revision, added: &Added<'_>) {
    adapt(&mut params, revision);
    let start = out.len();
    out.extend_from_slice(br#","params":"#);
    let body = out.len();
    object(out, &mut params, added, T::meta_mut, value_into);
    if T::OPTIONAL && out[body..] == *b"{}" {
        out.truncate(start);
    }
}

/// Declares an enum of messages by method, with reading and writing.
macro_rules! messages {
    (
        $(#[$doc:meta])*
        $name:ident { $( $(#[$variant_doc:meta])* $variant:ident($params:ty), )+ }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$variant_doc])* $variant($params), )+
            /// Outside the specification.
            Custom(Box<CustomMessage>),
        }

        impl $name {
            /// Returns the method, if it is one of the specification.
            #[must_use]
            pub fn method(&self) -> Option<Method> {
                match self {
                    $( Self::$variant(_) => Some(Method::$variant), )+
                    Self::Custom(_) => None,
                }
            }

            /// Returns the method's name on the wire.
            #[must_use]
            pub fn method_name(&self) -> &str {
                match self {
                    $( Self::$variant(_) => Method::$variant.name(), )+
                    Self::Custom(message) => &message.method,
                }
            }

            /// Reads the parameters of a message by its method; `params` is their JSON text, if there are any.
            ///
            /// # Errors
            ///
            /// Fails if the parameters do not fit the method.
            pub fn read(method: &str, params: Option<&[u8]>) -> Result<Self, serde_json::Error> {
                let params = params.unwrap_or(b"{}");
                match Method::from_name(method) {
                    $( Some(Method::$variant) => serde_json::from_slice(params).map(Self::$variant), )+
                    _ => Ok(Self::Custom(Box::new(CustomMessage::new(method, serde_json::from_slice(params)?)))),
                }
            }

            /// Returns the `_meta` of the parameters.
            pub fn meta_mut(&mut self) -> &mut Option<Meta> {
                use $crate::request::Params;
                match self {
                    $( Self::$variant(params) => Params::meta_mut(params), )+
                    Self::Custom(message) => &mut message.meta,
                }
            }

            pub(crate) fn params_into(self, out: &mut Vec<u8>, revision: Revision, added: &$crate::encode::Added<'_>) {
                match self {
                    $( Self::$variant(params) => $crate::request::write_params(out, params, revision, added), )+
                    Self::Custom(message) => $crate::request::write_params(out, *message, revision, added),
                }
            }
        }

        impl From<CustomMessage> for $name {
            fn from(message: CustomMessage) -> Self {
                Self::Custom(Box::new(message))
            }
        }
    };
}

/// Whether the method of a message exists in a revision.
pub(crate) fn check_method(method: Option<Method>, revision: Revision) -> Result<(), NotInRevision> {
    match method {
        Some(method) if !method.is_defined(revision) => {
            Err(NotInRevision::new(format!("method {}", method.name()), revision))
        }
        _ => Ok(()),
    }
}

pub(crate) use messages;

messages! {
    /// A request of a client to a server.
    ClientRequest {
        /// Opens a legacy connection.
        Initialize(Box<InitializeParams>),
        /// Asks whether the server lives.
        Ping(PingParams),
        /// Asks for versions, capabilities and identity.
        Discover(DiscoverParams),
        /// Calls a tool.
        CallTool(CallToolParams),
        /// Lists the tools.
        ListTools(ListToolsParams),
        /// Lists the resources.
        ListResources(ListResourcesParams),
        /// Lists the resource templates.
        ListResourceTemplates(ListResourceTemplatesParams),
        /// Reads a resource.
        ReadResource(ReadResourceParams),
        /// Asks for updates of a resource.
        Subscribe(SubscribeParams),
        /// Ends updates of a resource.
        Unsubscribe(UnsubscribeParams),
        /// Lists the prompts.
        ListPrompts(ListPromptsParams),
        /// Gets a prompt.
        GetPrompt(GetPromptParams),
        /// Completes an argument.
        Complete(CompleteParams),
        /// Sets the minimum log level.
        SetLevel(SetLevelParams),
        /// Opens a stream of change notices.
        Listen(ListenParams),
        /// Asks for a task's state.
        GetTask(GetTaskParams),
        /// Waits for a task's result.
        TaskResult(TaskResultParams),
        /// Lists tasks.
        ListTasks(ListTasksParams),
        /// Ends a task.
        CancelTask(CancelTaskParams),
        /// Answers a task's questions.
        UpdateTask(UpdateTaskParams),
    }
}

messages! {
    /// A request of a server to a client; until 2025-11-25.
    ServerRequest {
        /// Asks whether the client lives.
        Ping(PingParams),
        /// Asks the client's model.
        CreateMessage(Box<CreateMessageParams>),
        /// Lists the client's roots.
        ListRoots(ListRootsParams),
        /// Asks the person.
        Elicit(Box<ElicitParams>),
        /// Asks for a task's state.
        GetTask(GetTaskParams),
        /// Waits for a task's result.
        TaskResult(TaskResultParams),
        /// Lists tasks.
        ListTasks(ListTasksParams),
        /// Ends a task.
        CancelTask(CancelTaskParams),
    }
}

impl From<InputRequest> for ServerRequest {
    fn from(request: InputRequest) -> Self {
        match request {
            InputRequest::CreateMessage(params) => Self::CreateMessage(params),
            InputRequest::ListRoots(params) => Self::ListRoots(params),
            InputRequest::Elicit(params) => Self::Elicit(params),
        }
    }
}

/// Appends a request to a server, adapted to `revision`; `caller` is what the client adds since 2026-07-28.
///
/// # Errors
///
/// Fails, and writes nothing, if the revision has no such request.
pub fn write_request(
    out: &mut Vec<u8>,
    id: &RequestId,
    request: ClientRequest,
    revision: Revision,
    caller: Option<&CallerMeta>,
) -> Result<(), NotInRevision> {
    check_method(request.method(), revision)?;
    head(out, id, request.method_name());
    request.params_into(out, revision, &caller.map_or(Added::Nothing, Added::Caller));
    out.push(b'}');
    Ok(())
}

/// Appends a request to a client, adapted to `revision`.
///
/// # Errors
///
/// Fails, and writes nothing, if the revision has no such request. Pages to visit exist only in 2025-11-25, where they need
/// an `elicitationId`.
pub fn write_server_request(
    out: &mut Vec<u8>,
    id: &RequestId,
    request: ServerRequest,
    revision: Revision,
) -> Result<(), NotInRevision> {
    check_method(request.method(), revision)?;
    if let ServerRequest::Elicit(params) = &request
        && let ElicitParams::Url(page) = &**params
    {
        if !revision.has_url_elicitation() {
            return Err(NotInRevision::new("elicitation by URL", revision));
        }
        if page.elicitation_id.is_none() {
            return Err(NotInRevision::new("elicitation by URL without elicitationId", revision));
        }
    }
    head(out, id, request.method_name());
    request.params_into(out, revision, &Added::Nothing);
    out.push(b'}');
    Ok(())
}

fn head(out: &mut Vec<u8>, id: &RequestId, method: &str) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    value_into(out, id);
    out.extend_from_slice(br#","method":"#);
    value_into(out, method);
}
