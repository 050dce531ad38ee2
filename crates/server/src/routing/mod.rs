//! From a request to its handler and back.

pub(crate) mod attempts;
pub(crate) mod completion;
pub(crate) mod hooks;
pub(crate) mod lifecycle;
pub(crate) mod middleware;
pub(crate) mod prompts;
pub(crate) mod raw_method;
pub(crate) mod resources;
pub(crate) mod router;
pub(crate) mod run;
pub(crate) mod scope;
pub(crate) mod tool_middleware;
pub(crate) mod tools;
pub(crate) mod work;
