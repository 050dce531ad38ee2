//! The table beside the types of `jackfield-protocol`: both have the same members.

use std::collections::BTreeSet;

use jackfield_protocol::*;
use serde::de::{Deserialize, Deserializer, Error as _, Visitor, value::Error};

use super::{Value, definitions};

/// A deserializer that reads nothing, and notes which members a type asks for.
///
/// Derived code names all members of a struct before it reads the first one. What this finds is therefore what the code of the protocol
/// reads, whether or not a test ever makes a value with it.
struct MemberNames<'a>(&'a mut BTreeSet<&'static str>);

impl<'de> Deserializer<'de> for MemberNames<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        members: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.extend(members);
        self.deserialize_any(_visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(Error::custom("only the names are wanted"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple
        tuple_struct map enum identifier ignored_any
    }
}

fn members_of<T: for<'de> Deserialize<'de>>() -> BTreeSet<&'static str> {
    let mut members = BTreeSet::new();
    let read = T::deserialize(MemberNames(&mut members));
    assert!(read.is_err() && !members.is_empty(), "no struct is read");
    members
}

/// A type of the protocol crate, its members, and the entries of the table that describe it.
type Described = (&'static str, BTreeSet<&'static str>, Vec<&'static str>);

macro_rules! described {
    ($( $type:ident $( = $entry:ident $( | $more:ident )* )?, )+) => {
        vec![$( (
            stringify!($type),
            members_of::<$type>(),
            [$( stringify!($entry), $( stringify!($more), )* )?].into_iter().collect::<Vec<&str>>(),
        ), )+]
    };
}

/// Every type with members; without `=`, the entry has the name of the type.
fn described() -> Vec<Described> {
    described! {
        Annotations, Icon, Implementation,
        ClientCapabilities, RootsCapability, SamplingCapability, ElicitationCapability, ClientTasksCapability, ClientTaskRequests,
        SamplingTaskRequests, ElicitationTaskRequests, ServerCapabilities, PromptsCapability, ResourcesCapability, ToolsCapability,
        ServerTasksCapability, ServerTaskRequests, ToolTaskRequests,
        InitializeParams = InitializeRequestParams, InitializeResult, DiscoverResult, EmptyParams = RequestParams,
        EmptyResult = Result, ListParams = PaginatedRequestParams,
        LoggingMessageParams = LoggingMessageNotificationParams, SetLevelParams = SetLevelRequestParams,
        ProgressParams = ProgressNotificationParams, CancelledParams = CancelledNotificationParams, ErrorObject = Error,
        TextContent, ImageContent, AudioContent, EmbeddedResource, ToolUseContent, ToolResultContent,
        Resource = Resource | ResourceLink, ResourceTemplate, ResourceContents = TextResourceContents | BlobResourceContents, TextResourceContents, BlobResourceContents,
        ListResourcesResult, ListResourceTemplatesResult, ReadResourceParams = ReadResourceRequestParams, ReadResourceResult,
        SubscribeParams = SubscribeRequestParams, UnsubscribeParams = UnsubscribeRequestParams,
        ResourceUpdatedParams = ResourceUpdatedNotificationParams,
        Tool, ToolAnnotations, ToolExecution, ListToolsResult, CallToolParams = CallToolRequestParams, CallToolResult,
        Prompt, PromptArgument, PromptMessage, ListPromptsResult, GetPromptParams = GetPromptRequestParams, GetPromptResult,
        CompleteParams = CompleteRequestParams, CompletionArgument, CompletionContext, PromptReference,
        ResourceTemplateReference, CompleteResult, Completion,
        SubscriptionFilter, ListenParams = SubscriptionsListenRequestParams, ListenResult = SubscriptionsListenResult,
        SubscriptionsAcknowledgedParams = SubscriptionsAcknowledgedNotificationParams,
        InputRequired = InputRequiredResult, CreateMessageParams = CreateMessageRequestParams, ModelPreferences, ModelHint, ToolChoice,
        SamplingMessage, CreateMessageResult, ListRootsResult, Root,
        ElicitFormParams = ElicitRequestFormParams, ElicitUrlParams = ElicitRequestURLParams, ElicitSchema = RequestedSchema,
        StringSchema, BooleanSchema,
        PrimitiveSchema = StringSchema | NumberSchema | BooleanSchema | LegacyTitledEnumSchema | UntitledSingleSelectEnumSchema
            | TitledSingleSelectEnumSchema | UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema,
        Choice = NamedValue, ElicitResult, ElicitationCompleteParams,
        TaskMetadata, Task, CreateTaskResult, TaskParams = TaskRequestParams, ListTasksResult,
        TaskHandle, DetailedTask, UpdateTaskParams,
    }
}

/// A member that was added to a type but not to the table, or the other way round, is found here.
#[test]
fn the_table_and_the_protocol_have_the_same_members() {
    for (name, read, mut entries) in described() {
        if entries.is_empty() {
            entries.push(name);
        }
        let members = || definitions().filter(|entry| entries.contains(&entry.name)).flat_map(|entry| entry.members());
        let listed: BTreeSet<&str> = members().map(|member| member.name).collect();
        let unlisted: Vec<_> = read.difference(&listed).collect();
        assert!(unlisted.is_empty(), "{name} has {unlisted:?}, and the table does not");
        // Constants such as `type` are the tags of enums, and the kind of a result is read before the result.
        let tags: BTreeSet<&str> =
            members().filter(|m| matches!(m.value, Value::Word(_)) || m.name == "resultType").map(|m| m.name).collect();
        let unread: Vec<_> = listed.difference(&read).filter(|name| !tags.contains(*name)).collect();
        assert!(unread.is_empty(), "the table has {unread:?}, and {name} does not");
    }
}

/// No type is forgotten in the list above.
#[test]
fn every_type_of_the_protocol_is_compared() {
    let compared: BTreeSet<&str> = described().into_iter().map(|(name, ..)| name).collect();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/src");
    let mut declared = BTreeSet::new();
    for file in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        // The extension for skills has no place in the table.
        if file.path().extension().is_none_or(|ending| ending != "rs") || file.file_name() == "skill.rs" {
            continue;
        }
        let text = std::fs::read_to_string(file.path()).unwrap();
        let macros = ["\nmodel! {\n", "\noptions! {\n", "\nopen_model! {\n", "\nopen_options! {\n"];
        let declarations = macros.iter().flat_map(|start| text.split(start).skip(1));
        declared.extend(declarations.map(|text| {
            let head =
                text.lines().map(str::trim).find(|line| !line.starts_with("//") && !line.starts_with('#')).unwrap();
            head.split([' ', '[']).next().unwrap_or(head).to_owned()
        }));
    }
    let missing: Vec<&String> = declared.iter().filter(|name| !compared.contains(name.as_str())).collect();
    assert!(declared.len() > 60 && missing.is_empty(), "{missing:?}");
}
