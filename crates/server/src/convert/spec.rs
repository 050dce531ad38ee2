//! What the macros say about a function, and how it becomes an entry of the registry. For the macros only.

pub use std::boxed::Box;
pub use std::clone::Clone;
pub use std::collections::BTreeMap;
pub use std::pin::Pin;
pub use std::string::String;
pub use std::sync::Arc;

pub use bytes::Bytes;
pub use jackfield_protocol::{CallToolResult, Role, TaskSupport};
pub use serde_json::json;

use jackfield_protocol::{
    Annotations, GetPromptResult, Icon, Meta, Outcome, Prompt, PromptArgument, ReadResourceResult, Resource,
    ResourceTemplate, Schema, Tool, ToolAnnotations, ToolExecution,
};
use schemars::JsonSchema;
use schemars::generate::SchemaGenerator;
use serde::Serialize;
use serde_json::Value;

pub use super::argument::TextArguments;
pub use super::arguments::{Arguments, Rule};
pub use super::extract::extracted;
pub use super::schema::{Field, Input};
use super::{Argument, IntoCompleter, IntoPromptResult, IntoResourceResult, IntoToolResult};
pub use super::{BadArgument, FromCx, Reading};
pub use crate::questions::{Form, FormChoice, FormField, FormLayout};
use crate::{Address, Completer, Done, ToolHandler, UriTemplate};
pub use crate::{
    Cx, IntoPrompt, IntoResource, IntoTool, Package, Parts, PromptEntry, ResourceEntry, ServerParts, ToolEntry,
    Validation, Variables, Work,
};

/// A tool as its attribute and signature describe it.
#[derive(Debug)]
pub struct ToolSpec {
    pub name: &'static str,
    pub title: Option<&'static str>,
    pub description: Option<&'static str>,
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
    pub icons: &'static [&'static str],
    pub task: Option<TaskSupport>,
    pub becomes_task: bool,
    pub meta: Option<fn() -> Value>,
    pub validation: Validation,
    pub deny_unknown: bool,
    pub fields: &'static [Field],
    /// The schema of the one type that holds all arguments, in place of `fields`.
    pub whole: Option<fn() -> Input>,
    pub output: fn() -> Option<Schema>,
    /// Whether the output schema is that of the returned type.
    pub typed_output: bool,
    pub package: Package,
}

impl ToolSpec {
    pub const NEW: Self = Self {
        name: "",
        title: None,
        description: None,
        read_only: None,
        destructive: None,
        idempotent: None,
        open_world: None,
        icons: &[],
        task: None,
        becomes_task: false,
        meta: None,
        validation: Validation::Typed,
        deny_unknown: false,
        fields: &[],
        whole: None,
        output: || None,
        typed_output: true,
        package: NOWHERE,
    };

    /// Joins it with the function that runs it.
    pub fn entry(self, run: fn(Bytes, Cx) -> Work<CallToolResult>) -> ToolEntry {
        self.packed(run)
    }

    /// Joins it with the method that runs it.
    pub fn method<S: Send + Sync + 'static>(
        self,
        this: &Arc<S>,
        run: fn(Arc<S>, Bytes, Cx) -> Work<CallToolResult>,
    ) -> ToolEntry {
        let this = this.clone();
        let handler = move |arguments: Bytes, cx: Cx| run(this.clone(), arguments, cx);
        self.packed(handler)
    }

    fn packed(&self, handler: impl ToolHandler) -> ToolEntry {
        let input = match self.whole {
            Some(schema) => schema(),
            None => super::schema::input(self.fields, self.deny_unknown),
        };
        let mut entry = ToolEntry::new(self.definition(input.schema), handler);
        // Where decoding enforces all that the schema says, nothing is checked twice.
        entry.validation = match self.validation {
            Validation::Typed if !input.has_constraints => Validation::Off,
            validation => validation,
        };
        entry.typed_output = self.typed_output;
        entry.package = Some(self.package);
        if self.becomes_task { entry.becomes_task() } else { entry }
    }

    fn definition(&self, input: Schema) -> Tool {
        let mut tool = Tool::new(self.name, input);
        tool.title = self.title.map(str::to_owned);
        tool.description = self.description.map(str::to_owned);
        tool.output_schema = (self.output)();
        tool.icons = icons(self.icons);
        tool.meta = self.meta.map(object);
        let mut hints = ToolAnnotations::default();
        hints.read_only_hint = self.read_only;
        hints.destructive_hint = self.destructive;
        hints.idempotent_hint = self.idempotent;
        hints.open_world_hint = self.open_world;
        tool.annotations = (hints != ToolAnnotations::default()).then_some(hints);
        if let Some(support) = self.task {
            let mut execution = ToolExecution::default();
            execution.task_support = Some(support);
            tool.execution = Some(execution);
        }
        tool
    }
}

/// A resource as its attribute and signature describe it.
#[derive(Debug)]
pub struct ResourceSpec {
    pub uri: &'static str,
    pub name: &'static str,
    pub title: Option<&'static str>,
    pub description: Option<&'static str>,
    pub mime_type: Option<&'static str>,
    pub size: Option<u64>,
    pub audience: &'static [Role],
    pub priority: Option<f64>,
    pub icons: &'static [&'static str],
    pub meta: Option<fn() -> Value>,
    pub package: Package,
}

impl ResourceSpec {
    pub const NEW: Self = Self {
        uri: "",
        name: "",
        title: None,
        description: None,
        mime_type: None,
        size: None,
        audience: &[],
        priority: None,
        icons: &[],
        meta: None,
        package: NOWHERE,
    };

    /// Joins it with the function that reads it.
    pub fn entry(self, run: fn(Reading, Variables, Cx) -> Work<ReadResourceResult>) -> ResourceEntry {
        self.packed(ResourceEntry::new(self.address(), run))
    }

    /// Joins it with the method that reads it.
    pub fn method<S: Send + Sync + 'static>(
        self,
        this: &Arc<S>,
        run: fn(Arc<S>, Reading, Variables, Cx) -> Work<ReadResourceResult>,
    ) -> ResourceEntry {
        let this = this.clone();
        let handler = move |reading: Reading, variables: Variables, cx: Cx| run(this.clone(), reading, variables, cx);
        self.packed(ResourceEntry::new(self.address(), handler))
    }

    fn packed(&self, mut entry: ResourceEntry) -> ResourceEntry {
        entry.package = Some(self.package);
        entry
    }

    fn address(&self) -> Address {
        let mut hints = Annotations::default();
        hints.audience = (!self.audience.is_empty()).then(|| self.audience.to_vec());
        hints.priority = self.priority;
        let hints = (hints != Annotations::default()).then_some(hints);
        if self.uri.contains('{') {
            let mut template = ResourceTemplate::new(self.uri, self.name);
            template.title = self.title.map(str::to_owned);
            template.description = self.description.map(str::to_owned);
            template.mime_type = self.mime_type.map(str::to_owned);
            template.annotations = hints;
            template.icons = icons(self.icons);
            template.meta = self.meta.map(object);
            let compiled =
                UriTemplate::new(self.uri).unwrap_or_else(|problem| panic!("resource `{}`: {problem}", self.uri));
            return Address::Template(template, Arc::new(compiled));
        }
        let mut resource = Resource::new(self.uri, self.name);
        resource.title = self.title.map(str::to_owned);
        resource.description = self.description.map(str::to_owned);
        resource.mime_type = self.mime_type.map(str::to_owned);
        resource.size = self.size;
        resource.annotations = hints;
        resource.icons = icons(self.icons);
        resource.meta = self.meta.map(object);
        Address::Static(resource)
    }
}

/// A prompt as its attribute and signature describe it.
#[derive(Debug)]
pub struct PromptSpec {
    pub name: &'static str,
    pub title: Option<&'static str>,
    pub description: Option<&'static str>,
    /// Name, description, whether it must be given.
    pub arguments: &'static [(&'static str, Option<&'static str>, bool)],
    pub icons: &'static [&'static str],
    pub meta: Option<fn() -> Value>,
    pub package: Package,
}

impl PromptSpec {
    pub const NEW: Self =
        Self { name: "", title: None, description: None, arguments: &[], icons: &[], meta: None, package: NOWHERE };

    /// Joins it with the function that makes it.
    pub fn entry(self, run: fn(BTreeMap<String, String>, Cx) -> Work<GetPromptResult>) -> PromptEntry {
        self.packed(PromptEntry::new(self.definition(), run))
    }

    /// Joins it with the method that makes it.
    pub fn method<S: Send + Sync + 'static>(
        self,
        this: &Arc<S>,
        run: fn(Arc<S>, BTreeMap<String, String>, Cx) -> Work<GetPromptResult>,
    ) -> PromptEntry {
        let this = this.clone();
        let handler = move |arguments: BTreeMap<String, String>, cx: Cx| run(this.clone(), arguments, cx);
        self.packed(PromptEntry::new(self.definition(), handler))
    }

    fn packed(&self, mut entry: PromptEntry) -> PromptEntry {
        entry.package = Some(self.package);
        entry
    }

    fn definition(&self) -> Prompt {
        let mut prompt = Prompt::new(self.name);
        prompt.title = self.title.map(str::to_owned);
        prompt.description = self.description.map(str::to_owned);
        prompt.icons = icons(self.icons);
        prompt.meta = self.meta.map(object);
        let arguments: Vec<_> = self
            .arguments
            .iter()
            .map(|(name, description, required)| {
                let mut argument = PromptArgument::new(*name).with_required(*required);
                argument.description = description.map(str::to_owned);
                argument
            })
            .collect();
        prompt.arguments = (!arguments.is_empty()).then_some(arguments);
        prompt
    }
}

const NOWHERE: Package = Package::new("", "", "", "");

fn icons(sources: &[&str]) -> Option<Vec<Icon>> {
    (!sources.is_empty()).then(|| sources.iter().map(|source| Icon::new(*source)).collect())
}

fn object(make: fn() -> Value) -> Meta {
    match make() {
        Value::Object(members) => Meta::from(members),
        other => panic!("`meta` must be a JSON object, not {other}"),
    }
}

/// The entries of an impl block, not yet filled in.
#[must_use]
pub fn parts(name: Option<&'static str>, instructions: Option<&'static str>, package: Package) -> Parts {
    Parts { name, instructions, package: Some(package), ..Parts::default() }
}

/// Answers with a failure for the model.
#[must_use]
pub fn bad_arguments(bad: &BadArgument, arguments: &Bytes, cx: &Cx) -> Work<CallToolResult> {
    // Decoding ends at the first problem and does not know where inside an argument it is; the schema knows both.
    let text = match cx.argument_problems(arguments) {
        Some(problems) if problems.contains('\n') || is_nested(&problems) => format!("invalid arguments:\n{problems}"),
        _ => bad.to_string(),
    };
    Work::Ready(Ok(Outcome::Complete(CallToolResult::failure(text))))
}

/// Whether a problem, which begins with a path between backticks, lies inside an argument.
fn is_nested(problem: &str) -> bool {
    problem.split('`').nth(1).is_some_and(|path| path.contains('.'))
}

/// Answers with -32602.
#[must_use]
pub fn bad_text<T>(bad: BadArgument) -> Work<T> {
    Work::Ready(Err(bad.into()))
}

/// Decodes all arguments into one type.
///
/// # Errors
/// They do not fit.
pub fn whole<T: Argument>(json: &[u8]) -> Result<T, BadArgument> {
    super::arguments::whole(json)
}

/// The schema of an argument's type.
pub fn schema_of<T: Argument>(generator: &mut SchemaGenerator) -> schemars::Schema {
    generator.subschema_for::<T>()
}

/// The schema of an optional argument's type.
pub fn optional_schema_of<T: Argument>(generator: &mut SchemaGenerator) -> schemars::Schema {
    generator.subschema_for::<Option<T>>()
}

/// The schema of the type that holds all arguments.
#[must_use]
pub fn whole_schema<T: Argument>() -> Input {
    super::schema::whole(|generator| generator.root_schema_for::<T>())
}

/// The schema of structured content, when the return type does not say it.
#[must_use]
pub fn output_of<T: JsonSchema>() -> Option<Schema> {
    Some(super::schema::output(|generator| generator.root_schema_for::<T>()))
}

/// A default value as JSON.
///
/// # Panics
/// It cannot be serialized; this happens when the server is built.
pub fn default_value<T: Serialize>(value: T) -> Value {
    serde_json::to_value(value).expect("the default value of an argument can be written as JSON")
}

/// Ends a tool.
///
/// # Errors
/// An error of the protocol.
pub fn tool_done<R: IntoToolResult>(value: R) -> Done<CallToolResult> {
    value.into_tool_result()
}

/// Returns the output schema of a tool's return type.
#[must_use]
pub fn tool_output<R: IntoToolResult>() -> Option<Schema> {
    R::output_schema()
}

/// Ends a resource.
///
/// # Errors
/// An error of the protocol.
pub fn resource_done<R: IntoResourceResult>(value: R, reading: Reading) -> Done<ReadResourceResult> {
    value.into_resource_result(reading)
}

/// Ends a prompt.
///
/// # Errors
/// An error of the protocol.
pub fn prompt_done<R: IntoPromptResult>(value: R, description: Option<&'static str>) -> Done<GetPromptResult> {
    value.into_prompt_result().map(|outcome| described(outcome, description))
}

fn described(outcome: Outcome<GetPromptResult>, description: Option<&'static str>) -> Outcome<GetPromptResult> {
    outcome.map(|mut result| {
        result.description = result.description.or_else(|| description.map(str::to_owned));
        result
    })
}

/// Erases a completer.
pub fn completer<K>(completer: impl IntoCompleter<K>) -> Arc<dyn Completer> {
    completer.into_completer()
}

/// Completes among fixed values.
#[must_use]
pub fn among(choices: &'static [&'static str]) -> Arc<dyn Completer> {
    super::complete::among(choices)
}
