//! What the tools are called, what they take, and what they promise.

use jackfield::protocol::Tool;

use crate::tool::{definition, hints, schema};

/// What a tool does to files.
#[derive(Clone, Copy)]
pub(super) enum Effect {
    Reads,
    Creates,
    /// Changes or removes; `repeatable` if a second time changes nothing more.
    Changes {
        repeatable: bool,
    },
}

const TEXT: &str = r#"{"type":"object","properties":{"content":{"type":"string"}},"required":["content"],"additionalProperties":false}"#;

const MEDIA: &str = r#"{"type":"object","properties":{"content":{"type":"array","items":{"anyOf":[{"type":"object","properties":{"type":{"type":"string","enum":["image","audio"]},"data":{"type":"string"},"mimeType":{"type":"string"}},"required":["type","data","mimeType"],"additionalProperties":false},{"type":"object","properties":{"type":{"type":"string","const":"resource"},"resource":{"type":"object","properties":{"uri":{"type":"string"},"mimeType":{"type":"string"},"blob":{"type":"string"}},"required":["uri","blob"],"additionalProperties":false}},"required":["type","resource"],"additionalProperties":false}]}}},"required":["content"],"additionalProperties":false}"#;

/// Makes the definition of a tool that returns text.
pub(super) fn text_tool(name: &str, title: &str, description: &str, effect: Effect, input: &str) -> Tool {
    let hints = match effect {
        Effect::Reads => hints([Some(true), None, None, Some(false)]),
        Effect::Creates => hints([Some(false), Some(false), Some(true), Some(false)]),
        Effect::Changes { repeatable } => hints([Some(false), Some(true), Some(repeatable), Some(false)]),
    };
    let tool = definition(name, description, input).with_title(title);
    tool.with_output_schema(schema(TEXT)).with_annotations(hints)
}

const PATH: &str = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#;

const READ: &str = r#"{"type":"object","properties":{"path":{"type":"string"},"tail":{"description":"Only the last lines, so many of them","type":"number"},"head":{"description":"Only the first lines, so many of them","type":"number"}},"required":["path"]}"#;

pub(super) fn read_file() -> Tool {
    let about = "Deprecated: the same as read_text_file.";
    text_tool("read_file", "Read File (Deprecated)", about, Effect::Reads, READ)
}

pub(super) fn read_text_file() -> Tool {
    let about = "Read a file as text: all of it, or with head or tail its first or last lines. Bytes that are not UTF-8 become U+FFFD; use \
                 read_media_file for images, sounds and other binary files.";
    text_tool("read_text_file", "Read Text File", about, Effect::Reads, READ)
}

pub(super) fn read_media_file() -> Tool {
    let about = "Read a file as it is, in base64: an image or a sound as such, anything else as an embedded resource.";
    let tool = text_tool("read_media_file", "Read Media File", about, Effect::Reads, PATH);
    tool.with_output_schema(schema(MEDIA))
}

pub(super) fn read_multiple_files() -> Tool {
    let about = "Read several text files at once. A file that cannot be read has its error in the result; the others are read all the same.";
    let input = r#"{"type":"object","properties":{"paths":{"minItems":1,"type":"array","items":{"type":"string"},"description":"The files to read"}},"required":["paths"]}"#;
    text_tool("read_multiple_files", "Read Multiple Files", about, Effect::Reads, input)
}

pub(super) fn write_file() -> Tool {
    let about = "Create a text file, or replace all of its content. The directory must exist. To change a part of a file use edit_file.";
    let input = r#"{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}"#;
    text_tool("write_file", "Write File", about, Effect::Changes { repeatable: true }, input)
}

pub(super) fn edit_file() -> Tool {
    let about = "Replace passages of a text file, in order, and return a diff. Each oldText must occur exactly, or as whole lines that differ \
                 only in the white space around them; only its first occurrence is replaced. If one is not found, nothing is written.";
    let input = r#"{"type":"object","properties":{"path":{"type":"string"},"edits":{"type":"array","items":{"type":"object","properties":{"oldText":{"type":"string","description":"The text to replace"},"newText":{"type":"string","description":"What to put in its place"}},"required":["oldText","newText"]}},"dryRun":{"default":false,"description":"Only show the diff, write nothing","type":"boolean"}},"required":["path","edits"]}"#;
    text_tool("edit_file", "Edit File", about, Effect::Changes { repeatable: false }, input)
}

pub(super) fn create_directory() -> Tool {
    let about = "Create a directory, with those above it that are missing. One that exists already is no error.";
    text_tool("create_directory", "Create Directory", about, Effect::Creates, PATH)
}

pub(super) fn list_directory() -> Tool {
    let about = "List the names in a directory, each with [FILE] or [DIR] in front. Links are files.";
    text_tool("list_directory", "List Directory", about, Effect::Reads, PATH)
}

pub(super) fn list_directory_with_sizes() -> Tool {
    let about = "List the names in a directory with the sizes of files, their number and their sum.";
    let input = r#"{"type":"object","properties":{"path":{"type":"string"},"sortBy":{"default":"name","description":"By name, or by size with the largest first","type":"string","enum":["name","size"]}},"required":["path"]}"#;
    text_tool("list_directory_with_sizes", "List Directory with Sizes", about, Effect::Reads, input)
}

pub(super) fn directory_tree() -> Tool {
    let about = "Return a directory and everything below it as JSON: name, type (file or directory), and the children of directories. Patterns \
                 are globs relative to the directory; one without a star leaves out that name at any depth.";
    let input = r#"{"type":"object","properties":{"path":{"type":"string"},"excludePatterns":{"default":[],"type":"array","items":{"type":"string"}}},"required":["path"]}"#;
    text_tool("directory_tree", "Directory Tree", about, Effect::Reads, input)
}

pub(super) fn move_file() -> Tool {
    let about = "Move or rename a file or directory. Nothing may exist at the destination. A link is moved itself.";
    let input = r#"{"type":"object","properties":{"source":{"type":"string"},"destination":{"type":"string"}},"required":["source","destination"]}"#;
    text_tool("move_file", "Move File", about, Effect::Changes { repeatable: false }, input)
}

pub(super) fn search_files() -> Tool {
    let about = "Find files and directories by their names, not by their content. The pattern is a glob that is matched against the path \
                 relative to the directory: *.txt finds files in it, **/*.txt also those below. Returns absolute paths.";
    let input = r#"{"type":"object","properties":{"path":{"type":"string"},"pattern":{"type":"string"},"excludePatterns":{"default":[],"type":"array","items":{"type":"string"}}},"required":["path","pattern"]}"#;
    text_tool("search_files", "Search Files", about, Effect::Reads, input)
}

pub(super) fn get_file_info() -> Tool {
    let about = "Return size, times, type and permissions of a file or directory.";
    text_tool("get_file_info", "Get File Info", about, Effect::Reads, PATH)
}

pub(super) fn list_allowed_directories() -> Tool {
    let about = "List the directories that the other tools may touch, with everything below them.";
    let input = r#"{"type":"object","properties":{}}"#;
    text_tool("list_allowed_directories", "List Allowed Directories", about, Effect::Reads, input)
}
