//! What is known about the server's tools, because they were listed.

use std::collections::HashMap;
use std::sync::Arc;

use jackfield_protocol::{HEADER_PREFIX, ParamHeader, TaskSupport, Tool, param_headers};

/// What is known about the server's tools.
#[derive(Debug, Default)]
pub(crate) struct ToolCatalog {
    tools: HashMap<String, Arc<KnownTool>>,
    /// Whether all tools have been listed.
    pub(crate) complete: bool,
    /// How often it was forgotten.
    version: CatalogVersion,
}

/// Tells what was listed before the tools changed from what was listed after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CatalogVersion(u64);

/// What the client must know of a tool to call it well.
#[derive(Debug)]
pub(crate) struct KnownTool {
    pub(crate) needs_task: bool,
    /// Calling it twice does no more than calling it once, as far as the server can be trusted.
    pub(crate) is_repeatable: bool,
    headers: Vec<ParamHeader>,
    #[cfg(feature = "validation")]
    pub(crate) output: Option<crate::tools::OutputCheck>,
}

/// The most tools that are remembered; a server with more is served, but its further tools are not checked.
const MOST: usize = 10_000;

impl ToolCatalog {
    pub(crate) fn find(&self, name: &str) -> Option<Arc<KnownTool>> {
        self.tools.get(name).cloned()
    }

    pub(crate) fn forget(&mut self) {
        *self = Self { version: CatalogVersion(self.version.0.wrapping_add(1)), ..Self::default() };
    }

    pub(crate) fn version(&self) -> CatalogVersion {
        self.version
    }

    /// Notes that all tools have been listed, unless they have changed meanwhile.
    pub(crate) fn completed(&mut self, version: CatalogVersion) {
        self.complete |= version == self.version;
    }

    /// Notes a tool of a list that was asked for at this version. `false` if its annotations for headers are wrong, so that it must not be
    /// offered.
    pub(crate) fn note(&mut self, tool: &Tool, wants_headers: bool, version: CatalogVersion) -> bool {
        let headers = match param_headers(&tool.input_schema) {
            Ok(headers) => headers,
            Err(_) if !wants_headers => Vec::new(),
            Err(error) => {
                tracing::warn!(tool = %tool.name.escape_debug(), %error, "a tool is left out");
                return false;
            }
        };
        let has_room = self.tools.len() < MOST || self.tools.contains_key(&tool.name);
        if version == self.version && has_room {
            let support = tool.execution.as_ref().and_then(|execution| execution.task_support);
            let annotations = tool.annotations.as_ref();
            let known = KnownTool {
                needs_task: support == Some(TaskSupport::Required),
                is_repeatable: annotations
                    .is_some_and(|hints| hints.read_only_hint == Some(true) || hints.idempotent_hint == Some(true)),
                headers,
                #[cfg(feature = "validation")]
                output: tool.output_schema.as_ref().map(crate::tools::OutputCheck::new),
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
