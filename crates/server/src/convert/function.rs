//! Functions and closures as handlers of tools, resources and prompts: what the macros do, done by types.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use jackfield_protocol::{
    CallToolResult, GetPromptResult, Prompt, PromptArgument, ReadResourceResult, Resource, ResourceTemplate, Schema,
    Tool,
};
use serde::de::DeserializeOwned;

use super::extract::{Answer, extracted};
use super::members::{Lists, from_text};
use super::schema::Input;
use super::{Argument, FromCx, IntoPromptResult, IntoResourceResult, IntoToolResult, Reading, Requirements, spec};
use crate::{Address, Cx, PromptEntry, ResourceEntry, ToolEntry, UriTemplate, Validation, Variables, Work};

/// Makes a tool of a function or closure.
///
/// Its first parameter may be a struct for the arguments, which implements `Deserialize` and `JsonSchema`; all others, at most five,
/// come from the context of the call: [`Cx`], [`State`](crate::State), whatever implements [`FromCx`]. It may be async, and returns
/// what tools return. Add what else there is to say to the entry.
///
/// ```
/// use jackfield_server::{Cx, Server, tool_fn};
/// # use schemars::JsonSchema;
/// # use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Add {
///     a: i64,
///     b: i64,
/// }
///
/// let add = tool_fn("add", |Add { a, b }: Add| a + b).description("Adds two numbers.").read_only(true);
/// let server = Server::new("demo").tool(add).tool_fn("wait", |cx: Cx| async move { cx.revision().to_string() });
/// # assert!(server.build().is_ok());
/// ```
pub fn tool_fn<F: HandlerFunction<ToolCall, M>, M>(name: impl Into<String>, handler: F) -> ToolEntry {
    let handler = Arc::new(handler);
    let handler = move |arguments: Bytes, cx: Cx| handler.handle(ToolCall { arguments }, cx);
    let Signature { input, output, requirements } = F::signature();
    let input = input.unwrap_or_else(|| super::schema::input(&[], false));
    let mut tool = Tool::new(name, input.schema);
    tool.output_schema = output;
    let mut entry = ToolEntry::new(tool, handler);
    // Where decoding enforces all that the schema says, nothing is checked twice.
    entry.validation = if input.has_constraints { Validation::Typed } else { Validation::Off };
    entry.typed_output = true;
    entry.requirements = requirements;
    entry
}

/// Makes a resource of a function or closure, or a template of resources if the URI has variables.
///
/// Its first parameter may be a struct for the variables, which implements `Deserialize`, or [`Variables`]; for the others see
/// [`tool_fn`]. It returns what resources return.
///
/// ```
/// use jackfield_server::{Server, Variables, resource_fn};
///
/// let about = resource_fn("about://server", || "A server.").name("about").mime_type("text/plain");
/// let server = Server::new("demo").resource(about).resource_fn("notes://{title}", |variables: Variables| {
///     variables.get("title").map(|title| format!("About {title}."))
/// });
/// # assert!(server.build().is_ok());
/// ```
pub fn resource_fn<F: HandlerFunction<ResourceRead, M>, M>(uri: impl Into<String>, handler: F) -> ResourceEntry {
    let handler = Arc::new(handler);
    let handler =
        move |reading: Reading, variables: Variables, cx: Cx| handler.handle(ResourceRead { reading, variables }, cx);
    let (address, problem) = address(uri.into());
    let mut entry = ResourceEntry::new(address, handler);
    entry.requirements = F::signature().requirements;
    entry.problem = problem;
    entry
}

/// Makes a prompt of a function or closure.
///
/// Its first parameter may be a struct for the arguments, which implements `Deserialize` and `JsonSchema`; numbers, booleans, enums
/// and lists (with commas) among its fields are read from the text that arguments of prompts are. For the others see [`tool_fn`]. It
/// returns what prompts return.
///
/// ```
/// use jackfield_server::{Server, prompt_fn};
/// # use schemars::JsonSchema;
/// # use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Review {
///     /// The code to review.
///     code: String,
/// }
///
/// let review = prompt_fn("review", |Review { code }: Review| format!("Review this code: {code}"));
/// let server = Server::new("demo").prompt(review.description("Reviews code."));
/// # assert!(server.build().is_ok());
/// ```
pub fn prompt_fn<F: HandlerFunction<PromptGet, M>, M>(name: impl Into<String>, handler: F) -> PromptEntry {
    let handler = Arc::new(handler);
    let handler = move |arguments: BTreeMap<String, String>, cx: Cx| handler.handle(PromptGet { arguments }, cx);
    let Signature { input, requirements, .. } = F::signature();
    let mut prompt = Prompt::new(name);
    prompt.arguments = input.map(|input| prompt_arguments(&input.schema)).filter(|arguments| !arguments.is_empty());
    let mut entry = PromptEntry::new(prompt, handler);
    entry.requirements = requirements;
    entry
}

fn address(uri: String) -> (Address, Option<String>) {
    if !uri.contains('{') {
        return (Address::Static(Resource::new(uri.clone(), uri)), None);
    }
    match UriTemplate::new(&uri) {
        Ok(template) => (Address::Template(ResourceTemplate::new(uri.clone(), uri), Arc::new(template)), None),
        Err(problem) => {
            let problem = format!("template `{uri}`: {problem}");
            (Address::Static(Resource::new(uri.clone(), uri)), Some(problem))
        }
    }
}

fn prompt_arguments(schema: &Schema) -> Vec<PromptArgument> {
    let schema = schema.to_value();
    let required = |name: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|n| n == name));
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties
        .map(|(name, property)| {
            let mut argument = PromptArgument::new(name).with_required(required(name));
            argument.description = property["description"].as_str().map(str::to_owned);
            argument
        })
        .collect()
}

/// A request that a function handles: [`ToolCall`], [`ResourceRead`] or [`PromptGet`].
pub trait HandledRequest: Sized + Send + 'static {
    /// What it is answered with.
    type Answer: Answer;
}

/// A call of a tool.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolCall {
    /// The JSON text of the arguments, an object.
    pub arguments: Bytes,
}

/// A read of a resource.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ResourceRead {
    /// What is read, and by whom.
    pub reading: Reading,
    /// The values that the template found in the URI.
    pub variables: Variables,
}

/// A prompt that is asked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PromptGet {
    /// The arguments.
    pub arguments: BTreeMap<String, String>,
}

impl HandledRequest for ToolCall {
    type Answer = CallToolResult;
}

impl HandledRequest for ResourceRead {
    type Answer = ReadResourceResult;
}

impl HandledRequest for PromptGet {
    type Answer = GetPromptResult;
}

/// A function or closure that handles requests of the kind `K`: [`ToolCall`], [`ResourceRead`] or [`PromptGet`]. `M` tells the forms
/// apart; the compiler finds it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot handle a `{K}`",
    label = "not a handler of a `{K}`",
    note = "its parameters are owned: first a struct that implements `Deserialize` and `JsonSchema`, if there are arguments, then at most five that implement `FromCx`, such as `Cx` and `State<T>`",
    note = "it returns what a tool, resource or prompt may return, or a future of that which is `Send`",
    note = "what it captures must be `Send + Sync + 'static`: write `move`"
)]
pub trait HandlerFunction<K: HandledRequest, M>: Send + Sync + 'static {
    /// Begins to handle a request.
    fn handle(self: &Arc<Self>, request: K, cx: Cx) -> Work<K::Answer>;

    /// Describes its parameters and its result.
    fn signature() -> Signature;
}

/// What the type of a function says.
#[derive(Default)]
#[non_exhaustive]
pub struct Signature {
    pub(super) input: Option<Input>,
    pub(super) output: Option<Schema>,
    pub(super) requirements: Requirements,
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signature").field("requirements", &self.requirements).finish_non_exhaustive()
    }
}

/// The first parameter of a function that takes all arguments of a request.
pub trait RequestArguments<K: HandledRequest, M>: Sized + Send + 'static {
    /// Decodes it.
    ///
    /// # Errors
    /// The answer, if it cannot be decoded.
    fn decode(request: &K, cx: &Cx) -> Result<Self, Work<K::Answer>>;

    /// The schema that is listed.
    fn input() -> Option<Input>;
}

/// Marks arguments that are decoded into a type.
#[derive(Debug)]
pub struct Decoded;

impl<T: Argument + Send + 'static> RequestArguments<ToolCall, Decoded> for T {
    fn decode(call: &ToolCall, cx: &Cx) -> Result<Self, Work<CallToolResult>> {
        spec::whole(&call.arguments).map_err(|bad| spec::bad_arguments(&bad, &call.arguments, cx))
    }

    fn input() -> Option<Input> {
        Some(spec::whole_schema::<T>())
    }
}

impl<T: DeserializeOwned + Send + 'static> RequestArguments<ResourceRead, Decoded> for T {
    fn decode(read: &ResourceRead, _: &Cx) -> Result<Self, Work<ReadResourceResult>> {
        from_text(&read.variables.clone().into(), Lists::Texts).map_err(spec::bad_text)
    }

    fn input() -> Option<Input> {
        None
    }
}

impl RequestArguments<ResourceRead, Variables> for Variables {
    fn decode(read: &ResourceRead, _: &Cx) -> Result<Self, Work<ReadResourceResult>> {
        Ok(read.variables.clone())
    }

    fn input() -> Option<Input> {
        None
    }
}

impl<T: Argument + Send + 'static> RequestArguments<PromptGet, Decoded> for T {
    fn decode(get: &PromptGet, _: &Cx) -> Result<Self, Work<GetPromptResult>> {
        from_text(&get.arguments.clone().into(), Lists::Commas).map_err(spec::bad_text)
    }

    fn input() -> Option<Input> {
        Some(spec::whole_schema::<T>())
    }
}

/// What a function returns: an answer, or a future of one.
pub trait Returned<K: HandledRequest, M>: 'static {
    /// Turns it into the work of a handler.
    fn into_work(self, request: K) -> Work<K::Answer>;

    /// The schema of structured content, if it always has one.
    #[must_use]
    fn output_schema() -> Option<Schema> {
        None
    }
}

/// Marks functions that are done when they return.
#[derive(Debug)]
pub struct Ready;

/// Marks functions that return a future.
#[derive(Debug)]
pub struct Awaited;

macro_rules! returned {
    ($( $kind:ident $into:ident |$value:ident, $request:ident| $done:expr, $schema:expr; )+) => { $(
        impl<R: $into + 'static> Returned<$kind, Ready> for R {
            fn into_work(self, $request: $kind) -> Work<<$kind as HandledRequest>::Answer> {
                let $value = self;
                Work::Ready($done)
            }

            fn output_schema() -> Option<Schema> {
                $schema
            }
        }

        impl<F, R> Returned<$kind, Awaited> for F
        where
            F: Future<Output = R> + Send + 'static,
            R: $into + 'static,
        {
            fn into_work(self, $request: $kind) -> Work<<$kind as HandledRequest>::Answer> {
                Work::later(async move {
                    let $value = self.await;
                    $done
                })
            }

            fn output_schema() -> Option<Schema> {
                $schema
            }
        }
    )+ };
}

returned! {
    ToolCall IntoToolResult |value, _request| value.into_tool_result(), R::output_schema();
    ResourceRead IntoResourceResult |value, request| value.into_resource_result(request.reading), None;
    PromptGet IntoPromptResult |value, _request| value.into_prompt_result(), None;
}

macro_rules! pairs {
    () => { () };
    ($first:ident $($rest:ident)*) => { ($first, pairs!($($rest)*)) };
}

macro_rules! functions {
    ($( ($($value:ident $extracted:ident)*) )+) => { $(
        functions! { @ () ($($value $extracted)*) }
        functions! { @ (arguments A) ($($value $extracted)*) }
    )+ };
    (@ ($($arguments:ident $decoded:ident)?) ($($value:ident $extracted:ident)*)) => {
        impl<K: HandledRequest, F, $($decoded, KA,)? $($extracted,)* R, KR>
            HandlerFunction<K, (KR, $(KA, $decoded,)? fn($($extracted),*) -> R)> for F
        where
            F: Fn($($decoded,)? $($extracted),*) -> R + Send + Sync + 'static,
            $( $decoded: RequestArguments<K, KA>, )?
            $( $extracted: FromCx, )*
            R: Returned<K, KR>,
        {
            fn handle(self: &Arc<Self>, request: K, cx: Cx) -> Work<K::Answer> {
                $( let $arguments = match $decoded::decode(&request, &cx) {
                    Ok(arguments) => arguments,
                    Err(work) => return work,
                }; )?
                let function = self.clone();
                extracted(cx, move |pairs!($($value)*): pairs!($($extracted)*), _| {
                    function($($arguments,)? $($value),*).into_work(request)
                })
            }

            fn signature() -> Signature {
                #[allow(unused_mut, clippy::allow_attributes, reason = "without parameters there is nothing to add")]
                let mut signature = Signature { output: R::output_schema(), ..Signature::default() };
                $( signature.input = $decoded::input(); )?
                $( $extracted::requires(&mut signature.requirements); )*
                signature
            }
        }
    };
}

functions! {
    ()
    (e1 E1)
    (e1 E1 e2 E2)
    (e1 E1 e2 E2 e3 E3)
    (e1 E1 e2 E2 e3 E3 e4 E4)
    (e1 E1 e2 E2 e3 E3 e4 E4 e5 E5)
}
