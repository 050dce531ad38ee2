//! What is known about the server's tools, because they were listed.

use std::collections::HashMap;
use std::sync::Arc;

use jackfield_protocol::{HEADER_PREFIX, ParamHeader, TaskSupport, Tool, param_headers};

/// What is known about the server's tools.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    tools: HashMap<String, Arc<KnownTool>>,
    /// Whether all tools have been listed.
    pub(crate) complete: bool,
}

/// What the client must know of a tool to call it well.
#[derive(Debug)]
pub(crate) struct KnownTool {
    pub(crate) needs_task: bool,
    headers: Vec<ParamHeader>,
    #[cfg(feature = "validation")]
    pub(crate) output: Option<crate::validation::OutputCheck>,
}

/// The most tools that are remembered; a server with more is served, but its further tools are not checked.
const MOST: usize = 10_000;

impl Catalogue {
    pub(crate) fn find(&self, name: &str) -> Option<Arc<KnownTool>> {
        self.tools.get(name).cloned()
    }

    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Notes a tool. `false` if its annotations for headers are wrong, so that it must not be offered.
    pub(crate) fn note(&mut self, tool: &Tool, wants_headers: bool) -> bool {
        let headers = match param_headers(&tool.input_schema) {
            Ok(headers) => headers,
            Err(_) if !wants_headers => Vec::new(),
            Err(error) => {
                tracing::warn!(tool = %tool.name.escape_debug(), %error, "a tool is left out");
                return false;
            }
        };
        if self.tools.len() < MOST || self.tools.contains_key(&tool.name) {
            let support = tool.execution.as_ref().and_then(|execution| execution.task_support);
            let known = KnownTool {
                needs_task: support == Some(TaskSupport::Required),
                headers,
                #[cfg(feature = "validation")]
                output: tool.output_schema.as_ref().map(crate::validation::OutputCheck::new),
            };
            self.tools.insert(tool.name.clone(), Arc::new(known));
        }
        true
    }
}

impl KnownTool {
    /// Returns the headers that carry some of the arguments too.
    pub(crate) fn headers(&self, arguments: Option<&str>) -> Vec<(String, String)> {
        let Some(arguments) = arguments.filter(|_| !self.headers.is_empty()) else { return Vec::new() };
        let arguments = serde_json::from_str(arguments).unwrap_or_default();
        let name = |header: &ParamHeader| format!("{HEADER_PREFIX}{}", header.name);
        self.headers.iter().filter_map(|header| Some((name(header), header.value(&arguments)?))).collect()
    }
}
