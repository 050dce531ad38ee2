//! Any JSON as any type that differs between revisions: a step never panics, and what has been adapted once is not changed again.
#![no_main]

use jackfield_protocol::{
    Adapt, CallToolParams, CallToolResult, CompleteParams, CreateMessageParams, CreateMessageResult, DiscoverResult,
    ElicitParams, ElicitResult, GetPromptResult, InitializeParams, InitializeResult, InputRequired, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListRootsResult, ListToolsResult, ProgressParams,
    ReadResourceResult, Revision, adapt,
};
use libfuzzer_sys::fuzz_target;
use serde::Serialize;
use serde::de::DeserializeOwned;

fn check<T: Adapt + Clone + Serialize + DeserializeOwned>(data: &[u8]) {
    let Ok(value) = serde_json::from_slice::<T>(data) else { return };
    for revision in Revision::ALL {
        let mut once = value.clone();
        adapt(&mut once, revision);
        let mut twice = once.clone();
        adapt(&mut twice, revision);
        let text = |value: &T| serde_json::to_string(value).expect("what was read can be written");
        assert_eq!(text(&once), text(&twice), "adapting for {revision:?} is not stable");
    }
}

fuzz_target!(|data: &[u8]| {
    check::<InitializeParams>(data);
    check::<InitializeResult>(data);
    check::<DiscoverResult>(data);
    check::<CallToolParams>(data);
    check::<CallToolResult>(data);
    check::<ListToolsResult>(data);
    check::<ListResourcesResult>(data);
    check::<ListResourceTemplatesResult>(data);
    check::<ReadResourceResult>(data);
    check::<ListPromptsResult>(data);
    check::<GetPromptResult>(data);
    check::<CompleteParams>(data);
    check::<CreateMessageParams>(data);
    check::<CreateMessageResult>(data);
    check::<ElicitParams>(data);
    check::<ElicitResult>(data);
    check::<ListRootsResult>(data);
    check::<InputRequired>(data);
    check::<ProgressParams>(data);
});
