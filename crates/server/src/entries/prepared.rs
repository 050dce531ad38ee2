//! Entries that have been checked and are ready for calls.

use std::sync::{Arc, OnceLock};

use crate::validation::{self, Validator};
use crate::{Address, BuildError, PromptEntry, ResourceEntry, ToolEntry, UriTemplate};
use jackfield_protocol::{ParamHeader, Schema, TaskSupport, check_tool_name, param_headers};

/// A tool that has been checked, with its compiled schemas.
pub(crate) struct PreparedTool {
    pub(crate) entry: ToolEntry,
    /// Both are compiled at the start, which finds mistakes in them, unless they are known to be valid: compiling is most of what a
    /// server does at its start.
    input: OnceLock<Option<Validator>>,
    output: OnceLock<Option<Validator>>,
    /// The arguments that clients also send as HTTP headers.
    pub(crate) headers: Option<Arc<[ParamHeader]>>,
    /// Whether it may or must be called as a task.
    pub(crate) task: TaskSupport,
}

/// A resource or template that has been checked.
pub(crate) struct PreparedResource {
    pub(crate) entry: ResourceEntry,
}

/// A prompt that has been checked.
pub(crate) struct PreparedPrompt {
    pub(crate) entry: PromptEntry,
}

impl PreparedTool {
    pub(crate) fn new(entry: ToolEntry) -> Result<Self, BuildError> {
        let name = &entry.definition.name;
        let mut problems = Vec::new();
        if let Err(bad) = check_tool_name(name) {
            problems.push(format!("tool `{name}`: {bad}"));
        }
        if !validation::is_object_schema(&entry.definition.input_schema) {
            problems.push(format!("tool `{name}`: the input schema must have \"type\": \"object\""));
        }
        let headers = match param_headers(&entry.definition.input_schema) {
            Ok(headers) if headers.is_empty() => None,
            Ok(headers) => Some(headers.into()),
            Err(bad) => {
                problems.push(format!("tool `{name}`: {bad}"));
                None
            }
        };
        let mut prepare = |what, schema: Option<&Schema>, is_known: bool| {
            let prepared = OnceLock::new();
            match schema.map(|schema| validation::prepare(schema, !is_known)).transpose() {
                Ok(_) if is_known => {}
                Ok(validator) => drop(prepared.set(validator.flatten())),
                Err(problem) => problems.push(format!("tool `{name}`: the {what} schema {problem}")),
            }
            prepared
        };
        let input = prepare("input", Some(&entry.definition.input_schema), entry.known_input);
        let output = prepare("output", entry.definition.output_schema.as_ref(), entry.typed_output);
        let support = entry.definition.execution.as_ref().and_then(|execution| execution.task_support);
        let task = support.unwrap_or(TaskSupport::Forbidden);
        if problems.is_empty() {
            Ok(Self { entry, input, output, headers, task })
        } else {
            Err(BuildError::new(problems))
        }
    }

    /// Returns what checks arguments, if anything does.
    pub(crate) fn input(&self) -> Option<&Validator> {
        compiled(&self.input, &self.entry.definition.input_schema)
    }

    /// Returns what checks results, if anything does.
    pub(crate) fn output(&self) -> Option<&Validator> {
        compiled(&self.output, self.entry.definition.output_schema.as_ref()?)
    }
}

fn compiled<'a>(prepared: &'a OnceLock<Option<Validator>>, schema: &Schema) -> Option<&'a Validator> {
    prepared.get_or_init(|| validation::compile(schema).ok().flatten()).as_ref()
}

impl PreparedResource {
    pub(crate) fn new(entry: ResourceEntry) -> Result<Self, BuildError> {
        if let Some(problem) = entry.problem {
            return Err(BuildError::new(vec![problem]));
        }
        let problem = match &entry.address {
            Address::Static(resource) => jackfield_protocol::uri::check(&resource.uri)
                .err()
                .map(|problem| format!("resource `{}`: {problem}", resource.uri)),
            Address::Template(listed, template) => check_template(&listed.uri_template, template, &entry),
        };
        problem.map_or(Ok(Self { entry }), |problem| Err(BuildError::new(vec![problem])))
    }
}

fn check_template(listed: &str, template: &UriTemplate, entry: &ResourceEntry) -> Option<String> {
    if template.as_str() != listed {
        return Some(format!("template `{listed}`: it is listed under another text than `{}`", template.as_str()));
    }
    if let Err(problem) = template.check_scheme() {
        return Some(format!("template `{listed}`: {problem}"));
    }
    let unknown =
        entry.completers.keys().find(|name| !template.variables().any(|variable| variable == name.as_str()))?;
    Some(format!("template `{listed}`: it has no variable `{unknown}` to complete"))
}

impl PreparedPrompt {
    pub(crate) fn new(entry: PromptEntry) -> Result<Self, BuildError> {
        let name = &entry.definition.name;
        if name.is_empty() {
            return Err(BuildError::new(vec!["a prompt's name must not be empty".to_owned()]));
        }
        let arguments = entry.definition.arguments.as_deref().unwrap_or_default();
        for (at, argument) in arguments.iter().enumerate() {
            if arguments.iter().take(at).any(|earlier| earlier.name == argument.name) {
                return Err(BuildError::new(vec![format!("prompt `{name}`: two arguments `{}`", argument.name)]));
            }
        }
        match entry.completers.keys().find(|key| !arguments.iter().any(|argument| argument.name == **key)) {
            Some(key) => Err(BuildError::new(vec![format!("prompt `{name}`: it has no argument `{key}` to complete")])),
            None => Ok(Self { entry }),
        }
    }
}
