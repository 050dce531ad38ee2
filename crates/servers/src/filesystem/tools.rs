//! The tools of the original, as the protocol sees them.

use std::sync::Arc;

use jackfield::protocol::{CallToolResult, ContentBlock, ResourceContents};
use jackfield::server::ToolEntry;
use serde::Deserialize;

use super::definitions;
use super::edit::{self, Edit};
use super::failure::Failure;
use super::limits::Watcher;
use super::list::{self, SortBy};
use super::media::{self, MediaKind};
use super::read::{self, Part};
use super::server::{Content, FileCall, Files, file_tool, text, text_until};
use super::{info, search, tree, write};
use crate::tool::structured;

#[derive(Deserialize)]
pub(super) struct OnlyPath {
    pub(super) path: String,
}

#[derive(Deserialize)]
struct Reading {
    path: String,
    head: Option<f64>,
    tail: Option<f64>,
}

#[derive(Deserialize)]
struct ReadingSeveral {
    paths: Vec<String>,
}

#[derive(Deserialize)]
struct Writing {
    path: String,
    content: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Editing {
    path: String,
    edits: Vec<Replacement>,
    #[serde(default)]
    dry_run: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    old_text: String,
    new_text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListingSizes {
    path: String,
    sort_by: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Treeing {
    path: String,
    #[serde(default)]
    exclude_patterns: Vec<String>,
}

#[derive(Deserialize)]
struct Moving {
    source: String,
    destination: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Searching {
    path: String,
    pattern: String,
    #[serde(default)]
    exclude_patterns: Vec<String>,
}

#[derive(Deserialize)]
struct Nothing {}

/// The tools in the order of the original, and whether they write.
pub(super) fn tools(files: &Arc<Files>) -> Vec<(ToolEntry, bool)> {
    vec![
        (file_tool(files, definitions::read_file(), read_text), false),
        (file_tool(files, definitions::read_text_file(), read_text), false),
        (file_tool(files, definitions::read_media_file(), read_media), false),
        (file_tool(files, definitions::read_multiple_files(), read_several), false),
        (file_tool(files, definitions::write_file(), write_file), true),
        (file_tool(files, definitions::edit_file(), edit_file), true),
        (file_tool(files, definitions::create_directory(), create_directory), true),
        (file_tool(files, definitions::list_directory(), list_directory), false),
        (file_tool(files, definitions::list_directory_with_sizes(), list_with_sizes), false),
        (file_tool(files, definitions::directory_tree(), directory_tree), false),
        (file_tool(files, definitions::move_file(), move_file), true),
        (file_tool(files, definitions::search_files(), search_files), false),
        (file_tool(files, definitions::get_file_info(), file_info), false),
        (file_tool(files, definitions::list_allowed_directories(), allowed), false),
    ]
}

fn read_text(call: &FileCall, arguments: Reading) -> Result<CallToolResult, Failure> {
    let location = call.directories.locate(&arguments.path)?;
    let part = Part::new(arguments.head, arguments.tail)?;
    text(read::read_text(&location, part, &call.files.limits)?)
}

fn read_media(call: &FileCall, arguments: OnlyPath) -> Result<CallToolResult, Failure> {
    let location = call.directories.locate(&arguments.path)?;
    let media = media::read_media(&location, &call.files.limits)?;
    let block = match media.kind {
        MediaKind::Image(mime_type) => ContentBlock::image(media.base64, mime_type),
        MediaKind::Audio(mime_type) => ContentBlock::audio(media.base64, mime_type),
        MediaKind::Other => {
            let contents = ResourceContents::blob(media::file_uri(&location.path), media.base64);
            ContentBlock::resource(contents.with_mime_type("application/octet-stream"))
        }
    };
    let structured = structured(&Content { content: [&block] }).map_err(Failure::new)?;
    Ok(CallToolResult::new(vec![block]).with_structured(structured))
}

/// Reads one file after the other. What is left of the limit is for the rest of them.
fn read_several(call: &FileCall, arguments: ReadingSeveral) -> Result<CallToolResult, Failure> {
    let mut limits = call.files.limits;
    let mut parts = Vec::with_capacity(arguments.paths.len());
    for path in &arguments.paths {
        if call.is_cancelled() {
            return Err(Failure::cancelled());
        }
        let location = call.directories.locate(path);
        let content = location.and_then(|location| read::read_text(&location, Part::Whole, &limits));
        parts.push(match content {
            Ok(content) => {
                limits.answer_bytes = limits.answer_bytes.saturating_sub(content.len() as u64);
                format!("{path}:\n{content}\n")
            }
            Err(failure) => format!("{path}: Error - {failure}"),
        });
    }
    text(parts.join("\n---\n"))
}

fn write_file(call: &FileCall, arguments: Writing) -> Result<CallToolResult, Failure> {
    let location = call.directories.locate(&arguments.path)?;
    write::write_file(&location, arguments.content.as_bytes(), call.files.rules)?;
    text(format!("Successfully wrote to {}", arguments.path))
}

fn edit_file(call: &FileCall, arguments: Editing) -> Result<CallToolResult, Failure> {
    let location = call.directories.locate(&arguments.path)?;
    let edits = arguments.edits.into_iter().map(|edit| Edit { old_text: edit.old_text, new_text: edit.new_text });
    let edits: Vec<Edit> = edits.collect();
    text(edit::edit_file(&location, &edits, arguments.dry_run, &call.files.limits, call.files.rules)?)
}

fn create_directory(call: &FileCall, arguments: OnlyPath) -> Result<CallToolResult, Failure> {
    write::create_directory(&call.directories.locate(&arguments.path)?)?;
    text(format!("Successfully created directory {}", arguments.path))
}

fn list_directory(call: &FileCall, arguments: OnlyPath) -> Result<CallToolResult, Failure> {
    text(list::list_directory(&call.directories.locate(&arguments.path)?, &call.files.limits)?)
}

fn list_with_sizes(call: &FileCall, arguments: ListingSizes) -> Result<CallToolResult, Failure> {
    let sort_by = if arguments.sort_by.as_deref() == Some("size") { SortBy::Size } else { SortBy::Name };
    text(list::list_with_sizes(&call.directories.locate(&arguments.path)?, sort_by, &call.files.limits)?)
}

fn directory_tree(call: &FileCall, arguments: Treeing) -> Result<CallToolResult, Failure> {
    let location = call.directories.locate(&arguments.path)?;
    let tree = tree::directory_tree(&location, &arguments.exclude_patterns, &call.files.limits, call)?;
    text_until(tree.json, tree.cut)
}

fn move_file(call: &FileCall, arguments: Moving) -> Result<CallToolResult, Failure> {
    let from = call.directories.locate_link(&arguments.source)?;
    let to = call.directories.locate(&arguments.destination)?;
    if from.name().is_some() && call.directories.any_beneath(&from.path) {
        let text = format!("Access denied - an allowed directory cannot be moved: {}", from.path.display());
        return Err(Failure::new(text));
    }
    write::move_file(&from, &to)?;
    text(format!("Successfully moved {} to {}", arguments.source, arguments.destination))
}

fn search_files(call: &FileCall, arguments: Searching) -> Result<CallToolResult, Failure> {
    let location = call.directories.locate(&arguments.path)?;
    let Searching { pattern, exclude_patterns, .. } = &arguments;
    let found =
        search::search_files(&call.directories, &location, pattern, exclude_patterns, &call.files.limits, call)?;
    text_until(found.text, found.cut)
}

fn file_info(call: &FileCall, arguments: OnlyPath) -> Result<CallToolResult, Failure> {
    text(info::file_info(&call.directories.locate(&arguments.path)?, &call.files.zone)?)
}

fn allowed(call: &FileCall, _: Nothing) -> Result<CallToolResult, Failure> {
    let paths: Vec<String> = call.directories.paths().map(|(path, _)| path.display().to_string()).collect();
    text(format!("Allowed directories:\n{}", paths.join("\n")))
}
