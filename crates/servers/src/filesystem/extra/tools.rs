//! The additional tools, as the protocol sees them.

use std::sync::Arc;

use jackfield::protocol::{CallToolResult, ContentBlock};
use jackfield::server::ToolEntry;
use serde::{Deserialize, Serialize};

use super::content::{self, Query};
use super::outline::outline;
use super::{change, definitions, lines};
use crate::filesystem::failure::Failure;
use crate::filesystem::server::{FileCall, Files, file_tool, text, text_until};
use crate::filesystem::tools::OnlyPath;
use crate::tool::structured;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Searching {
    path: String,
    pattern: String,
    #[serde(default)]
    ignore_case: bool,
    glob: Option<String>,
    #[serde(default)]
    include_ignored: bool,
    limit: Option<f64>,
    cursor: Option<String>,
}

#[derive(Deserialize)]
struct ReadingLines {
    path: String,
    start: Option<f64>,
    count: Option<f64>,
}

#[derive(Deserialize)]
struct Appending {
    path: String,
    content: String,
}

#[derive(Deserialize)]
struct Copying {
    source: String,
    destination: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListingTree {
    path: String,
    depth: Option<f64>,
    limit: Option<f64>,
    #[serde(default)]
    include_ignored: bool,
}

/// The tools, and whether they write.
pub(in crate::filesystem) fn tools(files: &Arc<Files>) -> Vec<(ToolEntry, bool)> {
    vec![
        (file_tool(files, definitions::search_content(), search_content), false),
        (file_tool(files, definitions::read_lines(), read_lines), false),
        (file_tool(files, definitions::list_tree(), list_tree), false),
        (file_tool(files, definitions::append_file(), append_file), true),
        (file_tool(files, definitions::copy_file(), copy_file), true),
        (file_tool(files, definitions::delete_file(), delete_file), true),
    ]
}

/// The schema has checked that it is a whole number in its range; JSON may write it as `3.0`.
fn whole(number: Option<f64>, default: u64) -> u64 {
    number.map_or(default, |number| number as u64)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Page<'a> {
    content: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<&'a str>,
}

fn search_content(call: &FileCall, arguments: Searching) -> Result<CallToolResult, Failure> {
    let location = call.directories.locate(&arguments.path)?;
    let query = Query {
        pattern: arguments.pattern,
        ignore_case: arguments.ignore_case,
        glob: arguments.glob,
        ignored: arguments.include_ignored,
        page: usize::try_from(whole(arguments.limit, 100)).unwrap_or(usize::MAX),
        cursor: arguments.cursor,
    };
    let matches = content::search(&location, &query, &call.files.limits, call)?;
    let page = Page { content: &matches.text, next_cursor: matches.next.as_deref() };
    let structured = structured(&page).map_err(Failure::new)?;
    let more = matches.next.map(|next| format!("There are more matches; go on with the cursor {next}"));
    let mut result = CallToolResult::text(matches.text).with_structured(structured);
    result.content.extend(more.map(ContentBlock::text));
    result.content.extend(matches.cut.map(|cut| ContentBlock::text(cut.to_string())));
    Ok(result)
}

fn read_lines(call: &FileCall, arguments: ReadingLines) -> Result<CallToolResult, Failure> {
    let location = call.directories.locate(&arguments.path)?;
    let (start, count) = (whole(arguments.start, 1), whole(arguments.count, 200));
    text(lines::read_lines(&location, start, count, &call.files.limits, call)?)
}

fn list_tree(call: &FileCall, arguments: ListingTree) -> Result<CallToolResult, Failure> {
    let location = call.directories.locate(&arguments.path)?;
    let mut limits = call.files.limits;
    limits.entries = limits.entries.min(whole(arguments.limit, 500));
    // The first level is the directory itself.
    let depth = usize::try_from(whole(arguments.depth, 3).saturating_sub(1)).unwrap_or(usize::MAX);
    limits.depth = limits.depth.min(depth);
    let tree = outline(&location, arguments.include_ignored, &limits, call)?;
    text_until(tree.text, tree.cut)
}

fn append_file(call: &FileCall, arguments: Appending) -> Result<CallToolResult, Failure> {
    let location = call.directories.locate(&arguments.path)?;
    change::append(&location, arguments.content.as_bytes(), call.files.rules)?;
    text(format!("Successfully appended to {}", arguments.path))
}

fn copy_file(call: &FileCall, arguments: Copying) -> Result<CallToolResult, Failure> {
    let from = call.directories.locate(&arguments.source)?;
    let to = call.directories.locate(&arguments.destination)?;
    change::copy(&from, &to, call)?;
    text(format!("Successfully copied {} to {}", arguments.source, arguments.destination))
}

fn delete_file(call: &FileCall, arguments: OnlyPath) -> Result<CallToolResult, Failure> {
    let location = call.directories.locate_link(&arguments.path)?;
    if location.name().is_some() && call.directories.any_beneath(&location.path) {
        let text = format!("Access denied - an allowed directory cannot be deleted: {}", location.path.display());
        return Err(Failure::new(text));
    }
    let place = change::delete(&location)?;
    text(format!("Moved {} to {}", arguments.path, place.display()))
}
