//! What entries say besides what was given when they were made, in chains.

use jackfield_protocol::{Icon, Meta, TaskSupport};
use schemars::JsonSchema;

use crate::convert::spec::output_of;
use crate::{Address, IntoCompleter, PromptEntry, ResourceEntry, TaskStart, ToolEntry, Validation};

/// What a tool says about itself. Everything else is in [`definition`](Self::definition).
impl ToolEntry {
    /// Sets what it does, for the model.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.definition.description = Some(description.into());
        self
    }

    /// Sets the name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.definition.title = Some(title.into());
        self
    }

    /// Says whether it changes nothing.
    #[must_use]
    pub fn read_only(mut self, yes: bool) -> Self {
        self.definition.annotations.get_or_insert_default().read_only_hint = Some(yes);
        self
    }

    /// Says whether it may destroy something.
    #[must_use]
    pub fn destructive(mut self, yes: bool) -> Self {
        self.definition.annotations.get_or_insert_default().destructive_hint = Some(yes);
        self
    }

    /// Says whether a second call with the same arguments changes nothing more.
    #[must_use]
    pub fn idempotent(mut self, yes: bool) -> Self {
        self.definition.annotations.get_or_insert_default().idempotent_hint = Some(yes);
        self
    }

    /// Says whether it deals with the world outside the server.
    #[must_use]
    pub fn open_world(mut self, yes: bool) -> Self {
        self.definition.annotations.get_or_insert_default().open_world_hint = Some(yes);
        self
    }

    /// Sets the schema of structured content to that of a type, where the type that the handler returns does not say it.
    #[must_use]
    pub fn output<T: JsonSchema>(mut self) -> Self {
        self.definition.output_schema = output_of::<T>();
        self.typed_output = false;
        self
    }

    /// Sets how arguments are checked before the handler sees them.
    #[must_use]
    pub fn validation(mut self, validation: Validation) -> Self {
        self.validation = validation;
        self
    }

    /// Says that calls of the tool may or must run as tasks.
    #[must_use]
    pub fn task(mut self, support: TaskSupport) -> Self {
        self.definition.execution.get_or_insert_default().task_support = Some(support);
        self
    }

    /// Says that the handler itself decides when a call becomes a task, where the caller leaves that to the server.
    #[must_use]
    pub fn becomes_task(mut self) -> Self {
        self.task_start = TaskStart::WhenAsked;
        let execution = self.definition.execution.get_or_insert_default();
        execution.task_support.get_or_insert(TaskSupport::Optional);
        self
    }

    /// Sets images for user interfaces.
    #[must_use]
    pub fn icons(mut self, icons: impl Into<Vec<Icon>>) -> Self {
        self.definition.icons = Some(icons.into());
        self
    }

    /// Sets metadata.
    #[must_use]
    pub fn meta(mut self, meta: impl Into<Meta>) -> Self {
        self.definition.meta = Some(meta.into());
        self
    }
}

macro_rules! of_address {
    ($( $(#[$doc:meta])* $method:ident($value:ident: $type:ty) $field:ident = $set:expr; )+) => { $(
        $(#[$doc])*
        #[must_use]
        pub fn $method(mut self, $value: $type) -> Self {
            match &mut self.address {
                Address::Static(resource) => resource.$field = $set,
                Address::Template(template, _) => template.$field = $set,
            }
            self
        }
    )+ };
}

/// What a resource says about itself. Everything else is in [`address`](Self::address).
impl ResourceEntry {
    of_address! {
        /// Sets the name, which otherwise is the URI.
        name(name: impl Into<String>) name = name.into();
        /// Sets the name for people.
        title(title: impl Into<String>) title = Some(title.into());
        /// Sets what it is, for the model.
        description(description: impl Into<String>) description = Some(description.into());
        /// Sets the type of its contents, where the handler does not say another.
        mime_type(mime_type: impl Into<String>) mime_type = Some(mime_type.into());
        /// Sets images for user interfaces.
        icons(icons: impl Into<Vec<Icon>>) icons = Some(icons.into());
        /// Sets metadata.
        meta(meta: impl Into<Meta>) meta = Some(meta.into());
    }

    /// Sets what completes a variable of the template.
    #[must_use]
    pub fn complete<K>(mut self, variable: impl Into<String>, completer: impl IntoCompleter<K>) -> Self {
        self.completers.insert(variable.into(), completer.into_completer());
        self
    }
}

/// What a prompt says about itself. Everything else is in [`definition`](Self::definition).
impl PromptEntry {
    /// Sets the name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.definition.title = Some(title.into());
        self
    }

    /// Sets what it is for.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.definition.description = Some(description.into());
        self
    }

    /// Sets images for user interfaces.
    #[must_use]
    pub fn icons(mut self, icons: impl Into<Vec<Icon>>) -> Self {
        self.definition.icons = Some(icons.into());
        self
    }

    /// Sets metadata.
    #[must_use]
    pub fn meta(mut self, meta: impl Into<Meta>) -> Self {
        self.definition.meta = Some(meta.into());
        self
    }

    /// Sets what completes an argument.
    #[must_use]
    pub fn complete<K>(mut self, argument: impl Into<String>, completer: impl IntoCompleter<K>) -> Self {
        self.completers.insert(argument.into(), completer.into_completer());
        self
    }
}
