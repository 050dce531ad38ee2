//! Middleware of one tool.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use jackfield_protocol::CallToolResult;

use crate::{Cx, Done, ToolEntry, ToolHandler, Work};

/// The rest of the way of a call: the middleware after this one, then the tool.
#[derive(Clone)]
pub struct NextTool(Arc<dyn ToolHandler>);

impl NextTool {
    /// Goes on with the call.
    ///
    /// # Errors
    /// What the rest answers with.
    pub async fn run(self, arguments: Bytes, cx: Cx) -> Done<CallToolResult> {
        self.0.call(arguments, cx).done().await
    }
}

impl ToolEntry {
    /// Puts middleware around the tool. What is added last comes first.
    #[must_use]
    pub fn with_middleware<F, R>(mut self, middleware: F) -> Self
    where
        F: Fn(Bytes, Cx, NextTool) -> R + Send + Sync + 'static,
        R: Future<Output = Done<CallToolResult>> + Send + 'static,
    {
        let next = NextTool(self.handler);
        self.handler = Arc::new(move |arguments: Bytes, cx: Cx| Work::later(middleware(arguments, cx, next.clone())));
        self
    }
}

impl fmt::Debug for NextTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NextTool")
    }
}
