//! The server: what its tools share, and how a call runs.

use std::sync::Arc;

use jackfield::protocol::{CallToolResult, ContentBlock, Tool};
use jackfield::server::ToolEntry;
use jackfield::{Cx, Error, Server};
use jiff::tz::TimeZone;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::directories::Directories;
use super::failure::Failure;
use super::limits::{Limits, Watcher};
use super::options::Options;
use super::session::CallerDirectories;
use super::walk::Cut;
use super::write::WriteRules;
use super::{extra, tools};
use crate::tool::{structured, tool};
use crate::typescript;

/// Makes the filesystem server. It reads the time zone of the system, so that nothing outside the directories is read later.
pub fn server(options: Options) -> Server {
    let files = Arc::new(Files {
        callers: CallerDirectories::new(&options),
        zone: TimeZone::system(),
        limits: options.limits,
        rules: WriteRules { refuse_hard_links: options.refuse_hard_links },
    });
    let server = typescript::server("secure-filesystem-server").version("0.2.0");
    let (started, changed) = (files.clone(), files.clone());
    let server = server
        .on_initialized(move |cx| {
            let files = started.clone();
            async move { files.callers.ask(&cx).await }
        })
        .on_roots_changed(move |cx| {
            let files = changed.clone();
            async move { files.callers.ask(&cx).await }
        });
    let add = |server: Server, (entry, writes): (ToolEntry, bool)| {
        if writes && options.read_only { server } else { server.tool(typescript::tool(entry)) }
    };
    let server = tools::tools(&files).into_iter().fold(server, add);
    if options.extra_tools { extra::tools(&files).into_iter().fold(server, add) } else { server }
}

/// What all tools share.
pub(super) struct Files {
    callers: CallerDirectories,
    pub(super) zone: TimeZone,
    pub(super) limits: Limits,
    pub(super) rules: WriteRules,
}

/// What one call knows.
pub(super) struct FileCall {
    pub(super) files: Arc<Files>,
    pub(super) directories: Arc<Directories>,
    cx: Cx,
}

impl Watcher for FileCall {
    fn is_cancelled(&self) -> bool {
        self.cx.is_cancelled()
    }

    fn progress(&self, entries: u64) {
        self.cx.progress(entries as f64, None, None);
    }
}

/// Joins a definition and what it does. The work runs where it may block.
pub(super) fn file_tool<A: DeserializeOwned + Send + 'static>(
    files: &Arc<Files>,
    definition: Tool,
    work: fn(&FileCall, A) -> Result<CallToolResult, Failure>,
) -> ToolEntry {
    let files = files.clone();
    tool(definition, move |arguments: A, cx: Cx| {
        let files = files.clone();
        async move {
            let directories = files.callers.of(&cx).await?;
            let call = FileCall { files, directories, cx };
            let done = tokio::task::spawn_blocking(move || work(&call, arguments)).await;
            match done {
                Ok(result) => result.map_err(Error::from),
                Err(error) => match error.try_into_panic() {
                    Ok(panic) => std::panic::resume_unwind(panic),
                    Err(_) => Err(Error::new("the server is shutting down")),
                },
            }
        }
    })
}

#[derive(Serialize)]
pub(super) struct Content<T> {
    pub(super) content: T,
}

/// Makes a result of text, which is repeated as structured content.
pub(super) fn text(text: String) -> Result<CallToolResult, Failure> {
    let structured = structured(&Content { content: &text }).map_err(Failure::new)?;
    Ok(CallToolResult::text(text).with_structured(structured))
}

/// The same, with a note if something is missing.
pub(super) fn text_until(content: String, cut: Option<Cut>) -> Result<CallToolResult, Failure> {
    let mut result = text(content)?;
    result.content.extend(cut.map(|cut| ContentBlock::text(cut.to_string())));
    Ok(result)
}
