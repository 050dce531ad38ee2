//! The results that carry most of the traffic, written and read without serde.

mod read;
mod write;

pub(crate) use read::call_tool_result as read_call_tool_result;
pub(crate) use write::{call_tool_result, read_resource_result};
