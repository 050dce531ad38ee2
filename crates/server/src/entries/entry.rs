//! Tools, resources and prompts as the registry keeps them: a definition and an erased handler.
//!
//! Everything generic ends here, so that the loop, the codec and the router are compiled once, in this crate.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use jackfield_protocol::{
    CallToolResult, Completion, ErrorObject, GetPromptResult, Prompt, ReadResourceResult, Resource, ResourceTemplate,
    Tool,
};

use crate::{Cx, Package, Reading, Requirements, UriTemplate, Variables, Work};

/// Runs a tool.
pub trait ToolHandler: Send + Sync + 'static {
    /// Begins a call. `arguments` is the JSON text of an object.
    fn call(&self, arguments: Bytes, cx: Cx) -> Work<CallToolResult>;
}

/// Reads a resource.
pub trait ResourceHandler: Send + Sync + 'static {
    /// Begins to read; `variables` are the values that the template found in the URI, none for a static resource.
    fn read(&self, reading: Reading, variables: Variables, cx: Cx) -> Work<ReadResourceResult>;
}

/// Makes a prompt.
pub trait PromptHandler: Send + Sync + 'static {
    /// Begins to make the prompt.
    fn get(&self, arguments: BTreeMap<String, String>, cx: Cx) -> Work<GetPromptResult>;
}

/// Completes an argument of a prompt or a variable of a resource template.
pub trait Completer: Send + Sync + 'static {
    /// Begins to complete `value`; `context` has the arguments chosen before.
    fn complete(&self, value: String, context: BTreeMap<String, String>, cx: Cx) -> Work<Completion>;
}

/// How arguments of a tool are checked before its handler sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// The handler decodes its arguments into types that are as strict as the schema, unless the schema has constraints
    /// that types do not have.
    #[default]
    Typed,
    /// The handler takes any JSON object, so the schema is always checked first.
    Always,
    /// Never.
    Off,
}

/// When a call of a tool with task support becomes a task, for callers that leave it to the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TaskStart {
    /// From its beginning.
    #[default]
    AtOnce,
    /// When its handler says so, with [`Cx::become_task`].
    WhenAsked,
}

/// A tool: its definition and what runs it.
#[derive(Clone)]
#[non_exhaustive]
pub struct ToolEntry {
    /// What is listed.
    pub definition: Tool,
    /// What runs.
    pub handler: Arc<dyn ToolHandler>,
    /// How arguments are checked.
    pub validation: Validation,
    /// When it becomes a task; whether it does is in the definition.
    pub task_start: TaskStart,
    /// Whether the output schema was made from the type that the handler returns, so that no result can break it.
    pub typed_output: bool,
    /// Whether the input schema is known to be valid. Then it is compiled when it is first needed, which for a handler that checks its
    /// arguments itself is never, and the server starts sooner.
    pub known_input: bool,
    /// What its parameters need the server to have.
    pub requirements: Requirements,
    /// Where it was written.
    pub package: Option<Package>,
}

/// A resource or a template of resources, and what reads it.
#[derive(Clone)]
#[non_exhaustive]
pub struct ResourceEntry {
    /// What is listed, and which URIs it answers to.
    pub address: Address,
    /// What reads.
    pub handler: Arc<dyn ResourceHandler>,
    /// Whether it stands in the list; what does not can be read all the same.
    pub listed: bool,
    /// What completes the template's variables.
    pub completers: BTreeMap<String, Arc<dyn Completer>>,
    /// What its parameters need the server to have.
    pub requirements: Requirements,
    /// Where it was written.
    pub package: Option<Package>,
    /// What is wrong with its template, which is said when it is registered.
    pub(crate) problem: Option<String>,
}

/// Which URIs a resource answers to.
#[derive(Clone, Debug)]
pub enum Address {
    /// One URI.
    Static(Resource),
    /// All URIs of an RFC 6570 template.
    Template(ResourceTemplate, Arc<UriTemplate>),
}

impl Address {
    pub(crate) fn mime_type(&self) -> Option<&str> {
        match self {
            Self::Static(resource) => resource.mime_type.as_deref(),
            Self::Template(template, _) => template.mime_type.as_deref(),
        }
    }
}

/// A prompt: its definition and what makes it.
#[derive(Clone)]
#[non_exhaustive]
pub struct PromptEntry {
    /// What is listed.
    pub definition: Prompt,
    /// What makes it.
    pub handler: Arc<dyn PromptHandler>,
    /// What completes its arguments.
    pub completers: BTreeMap<String, Arc<dyn Completer>>,
    /// What its parameters need the server to have.
    pub requirements: Requirements,
    /// Where it was written.
    pub package: Option<Package>,
}

impl ToolEntry {
    /// Joins a definition and a handler.
    pub fn new(definition: Tool, handler: impl ToolHandler) -> Self {
        let (validation, task_start) = (Validation::default(), TaskStart::default());
        let handler = Arc::new(handler);
        Self {
            definition,
            handler,
            validation,
            task_start,
            typed_output: false,
            known_input: false,
            requirements: Requirements::default(),
            package: None,
        }
    }
}

impl ResourceEntry {
    /// Joins a definition and a handler.
    pub fn new(address: Address, handler: impl ResourceHandler) -> Self {
        Self {
            address,
            handler: Arc::new(handler),
            listed: true,
            completers: BTreeMap::new(),
            requirements: Requirements::default(),
            package: None,
            problem: None,
        }
    }
}

impl PromptEntry {
    /// Joins a definition and a handler.
    pub fn new(definition: Prompt, handler: impl PromptHandler) -> Self {
        Self {
            definition,
            handler: Arc::new(handler),
            completers: BTreeMap::new(),
            requirements: Requirements::default(),
            package: None,
        }
    }
}

/// What can be registered as a tool: a [`ToolEntry`], which `tools![function]` makes of a function with `#[tool]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "name a function with `#[tool]` in `.tools(tools![function])`, or pass a `ToolEntry`"
)]
pub trait IntoTool {
    /// Turns it into an entry of the registry.
    fn into_tool(self) -> ToolEntry;
}

/// What can be registered as a resource: a [`ResourceEntry`], which `resources![function]` makes of a function with `#[resource("…")]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "not a resource",
    note = "name a function with `#[resource(\"scheme://path\")]` in `.resources(resources![function])`, or pass a `ResourceEntry`"
)]
pub trait IntoResource {
    /// Turns it into an entry of the registry.
    fn into_resource(self) -> ResourceEntry;
}

/// What can be registered as a prompt: a [`PromptEntry`], which `prompts![function]` makes of a function with `#[prompt]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a prompt",
    label = "not a prompt",
    note = "name a function with `#[prompt]` in `.prompts(prompts![function])`, or pass a `PromptEntry`"
)]
pub trait IntoPrompt {
    /// Turns it into an entry of the registry.
    fn into_prompt(self) -> PromptEntry;
}

/// A group of tools, resources and prompts with common state: an impl block with `#[server]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a server",
    note = "write `#[server]` above the impl block whose methods are tools, resources and prompts"
)]
pub trait ServerParts: Send + Sync + 'static {
    /// Turns it into entries of the registry.
    fn into_parts(self) -> Parts;
}

/// The entries of a group.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Parts {
    /// The tools.
    pub tools: Vec<ToolEntry>,
    /// The resources.
    pub resources: Vec<ResourceEntry>,
    /// The prompts.
    pub prompts: Vec<PromptEntry>,
    /// The name for the server, if the group is the server.
    pub name: Option<&'static str>,
    /// What a model should know about the server: the doc comment of the impl block.
    pub instructions: Option<&'static str>,
    /// Where it was written.
    pub package: Option<Package>,
}

impl IntoTool for ToolEntry {
    fn into_tool(self) -> ToolEntry {
        self
    }
}

impl IntoResource for ResourceEntry {
    fn into_resource(self) -> ResourceEntry {
        self
    }
}

impl IntoPrompt for PromptEntry {
    fn into_prompt(self) -> PromptEntry {
        self
    }
}

impl<F> ToolHandler for F
where
    F: Fn(Bytes, Cx) -> Work<CallToolResult> + Send + Sync + 'static,
{
    fn call(&self, arguments: Bytes, cx: Cx) -> Work<CallToolResult> {
        self(arguments, cx)
    }
}

impl<F> ResourceHandler for F
where
    F: Fn(Reading, Variables, Cx) -> Work<ReadResourceResult> + Send + Sync + 'static,
{
    fn read(&self, reading: Reading, variables: Variables, cx: Cx) -> Work<ReadResourceResult> {
        self(reading, variables, cx)
    }
}

impl<F> PromptHandler for F
where
    F: Fn(BTreeMap<String, String>, Cx) -> Work<GetPromptResult> + Send + Sync + 'static,
{
    fn get(&self, arguments: BTreeMap<String, String>, cx: Cx) -> Work<GetPromptResult> {
        self(arguments, cx)
    }
}

impl<F> Completer for F
where
    F: Fn(String, BTreeMap<String, String>, Cx) -> Work<Completion> + Send + Sync + 'static,
{
    fn complete(&self, value: String, context: BTreeMap<String, String>, cx: Cx) -> Work<Completion> {
        self(value, context, cx)
    }
}

macro_rules! debug_by {
    ($( $type:ident $name:literal $field:ident, )+) => { $(
        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct($name).field(stringify!($field), &self.$field).finish_non_exhaustive()
            }
        }
    )+ };
}

debug_by! { ToolEntry "ToolEntry" definition, ResourceEntry "ResourceEntry" address, PromptEntry "PromptEntry" definition, }

/// An error of the protocol, for handlers that must answer with one instead of a readable failure.
///
/// It has no `Display`, so that `Result<T, ProtocolError>` can never be mistaken for a failure that the model reads.
#[derive(Clone, Debug, PartialEq)]
pub struct ProtocolError(pub ErrorObject);

impl From<ErrorObject> for ProtocolError {
    fn from(error: ErrorObject) -> Self {
        Self(error)
    }
}
