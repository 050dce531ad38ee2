//! Results: every type that answers a request, and one enum of those that servers send.

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::by_hand;
use crate::encode::value_into;
use crate::envelope::ResultText;
use crate::{
    Adapt, CallToolResult, CompleteResult, CreateMessageResult, CreateTaskResult, DetailedTask, DiscoverResult,
    ElicitResult, EmptyResult, GetPromptResult, InitializeResult, InputRequired, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListRootsResult, ListTasksResult, ListToolsResult, ListenResult,
    Meta, RawJson, ReadResourceResult, Task, TaskHandle,
};

/// A type that answers a request: a JSON object with a `_meta` member.
pub trait ResultBody: Serialize + Adapt {
    /// Returns the `_meta` member.
    fn meta_mut(&mut self) -> &mut Option<Meta>;

    /// Appends the result as JSON: what `Serialize` says, where it matters in a faster way.
    #[doc(hidden)]
    fn write_json(&self, out: &mut Vec<u8>)
    where
        Self: Sized,
    {
        value_into(out, self);
    }

    /// Reads the result: what `Deserialize` says, where it matters in a faster way.
    #[doc(hidden)]
    fn read_text(result: &ResultText) -> Result<Self, serde_json::Error>
    where
        Self: Sized + DeserializeOwned,
    {
        serde_json::from_slice(result)
    }
}

impl<T: ResultBody> ResultBody for Box<T> {
    fn meta_mut(&mut self) -> &mut Option<Meta> {
        (**self).meta_mut()
    }

    fn write_json(&self, out: &mut Vec<u8>) {
        (**self).write_json(out);
    }
}

macro_rules! bodies {
    ($( $type:ty $( = $write_json:path $( , read $read_text:path )? )?; )+) => { $(
        impl ResultBody for $type {
            fn meta_mut(&mut self) -> &mut Option<Meta> {
                &mut self.meta
            }

            $(
                fn write_json(&self, out: &mut Vec<u8>) {
                    $write_json(out, self);
                }

                $(
                    fn read_text(result: &ResultText) -> Result<Self, serde_json::Error> {
                        $read_text(result).map_or_else(|| serde_json::from_slice(result), Ok)
                    }
                )?
            )?
        }
    )+ };
}

bodies! {
    CallToolResult = by_hand::call_tool_result, read by_hand::read_call_tool_result;
    ReadResourceResult = by_hand::read_resource_result;
    GetPromptResult; CompleteResult; ListToolsResult; ListResourcesResult;
    ListResourceTemplatesResult; ListPromptsResult; InitializeResult; DiscoverResult; ListenResult; EmptyResult;
    CreateTaskResult; Task; ListTasksResult; DetailedTask; TaskHandle; InputRequired;
    CreateMessageResult; ListRootsResult; ElicitResult;
}

macro_rules! any_result {
    (@held $type:ty) => { $type };
    (@held $type:ty => $held:ty) => { $held };
    ($( $(#[$doc:meta])* $variant:ident($type:ty $(=> $held:ty)?), )+) => {
        /// The result of any request to a server. Large ones that are seldom sent are boxed, so that the others move cheaply.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum AnyResult {
            $( $(#[$doc])* $variant(any_result!(@held $type $(=> $held)?)), )+
            /// A result object that is encoded already, for the revision of the peer that gets it; written verbatim.
            Encoded(Bytes),
            /// A result of a method outside the specification.
            Other(RawJson),
        }

        $(
            impl From<$type> for AnyResult {
                fn from(result: $type) -> Self {
                    Self::$variant(result.into())
                }
            }
        )+
    };
}

any_result! {
    /// Of `tools/call`.
    CallTool(CallToolResult),
    /// Of `prompts/get`.
    GetPrompt(GetPromptResult),
    /// Of `resources/read`.
    ReadResource(ReadResourceResult),
    /// Of `completion/complete`.
    Complete(CompleteResult),
    /// Of `tools/list`.
    ListTools(ListToolsResult => Box<ListToolsResult>),
    /// Of `resources/list`.
    ListResources(ListResourcesResult => Box<ListResourcesResult>),
    /// Of `resources/templates/list`.
    ListResourceTemplates(ListResourceTemplatesResult => Box<ListResourceTemplatesResult>),
    /// Of `prompts/list`.
    ListPrompts(ListPromptsResult => Box<ListPromptsResult>),
    /// Of `initialize`.
    Initialize(InitializeResult => Box<InitializeResult>),
    /// Of `server/discover`.
    Discover(DiscoverResult => Box<DiscoverResult>),
    /// Of `subscriptions/listen`.
    Listen(ListenResult),
    /// Of requests that are only acknowledged.
    Empty(EmptyResult),
    /// Of a request that runs as a task of 2025-11-25.
    CreateTask(CreateTaskResult => Box<CreateTaskResult>),
    /// Of `tasks/get` and `tasks/cancel` of 2025-11-25.
    Task(Task => Box<Task>),
    /// Of `tasks/list` of 2025-11-25.
    ListTasks(ListTasksResult),
    /// Of `tasks/get` of the extension.
    DetailedTask(DetailedTask => Box<DetailedTask>),
}

impl From<serde_json::Value> for AnyResult {
    fn from(value: serde_json::Value) -> Self {
        Self::Other(value.into())
    }
}

impl From<Bytes> for AnyResult {
    fn from(encoded: Bytes) -> Self {
        Self::Encoded(encoded)
    }
}
