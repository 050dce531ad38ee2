//! What the additional tools are called, what they take, and what they promise.

use jackfield::protocol::Tool;

use crate::filesystem::definitions::{Effect, text_tool};
use crate::tool::schema;

pub(super) fn search_content() -> Tool {
    let about = "Find lines in files by a regular expression, in a directory and everything below it, or in one file. What .gitignore and \
                 .ignore leave out is skipped, binary files too. Returns path:line: text, with paths relative to the directory. If there \
                 are more matches, nextCursor is where to go on.";
    let input = r#"{"type":"object","properties":{"path":{"type":"string"},"pattern":{"type":"string","description":"A regular expression, in the syntax of ripgrep"},"ignoreCase":{"default":false,"type":"boolean"},"glob":{"type":"string","description":"Only files whose path relative to the directory matches, such as **/*.rs"},"includeIgnored":{"default":false,"description":"Also search what ignore files leave out","type":"boolean"},"limit":{"default":100,"description":"The most lines to return","type":"integer","minimum":1,"maximum":1000},"cursor":{"type":"string","description":"nextCursor of the page before"}},"required":["path","pattern"]}"#;
    let output = r#"{"type":"object","properties":{"content":{"type":"string"},"nextCursor":{"type":"string"}},"required":["content"],"additionalProperties":false}"#;
    let tool = text_tool("search_content", "Search Content", about, Effect::Reads, input);
    tool.with_output_schema(schema(output))
}

pub(super) fn read_lines() -> Tool {
    let about = "Read a range of lines of a text file, each with its number in front.";
    let input = r#"{"type":"object","properties":{"path":{"type":"string"},"start":{"default":1,"description":"The first line, counted from 1","type":"integer","minimum":1},"count":{"default":200,"description":"How many lines","type":"integer","minimum":1}},"required":["path"]}"#;
    text_tool("read_lines", "Read Lines", about, Effect::Reads, input)
}

pub(super) fn append_file() -> Tool {
    let about = "Write text at the end of a file. A file that does not exist is created.";
    let input = r#"{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}"#;
    text_tool("append_file", "Append to File", about, Effect::Changes { repeatable: false }, input)
}

pub(super) fn copy_file() -> Tool {
    let about = "Copy a file. Nothing may exist at the destination.";
    let input = r#"{"type":"object","properties":{"source":{"type":"string"},"destination":{"type":"string"}},"required":["source","destination"]}"#;
    text_tool("copy_file", "Copy File", about, Effect::Creates, input)
}

pub(super) fn delete_file() -> Tool {
    let about = "Delete a file or a directory with all it holds: it is moved to the directory .jackfield-trash of its allowed directory, from \
                 where move_file can bring it back.";
    let input = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#;
    text_tool("delete_file", "Delete File", about, Effect::Changes { repeatable: false }, input)
}

pub(super) fn list_tree() -> Tool {
    let about = "List a directory and what is below it as indented names, a few levels deep. What .gitignore and .ignore leave out is skipped.";
    let input = r#"{"type":"object","properties":{"path":{"type":"string"},"depth":{"default":3,"description":"How many levels","type":"integer","minimum":1,"maximum":100},"limit":{"default":500,"description":"The most names","type":"integer","minimum":1,"maximum":100000},"includeIgnored":{"default":false,"description":"Also list what ignore files leave out","type":"boolean"}},"required":["path"]}"#;
    text_tool("list_tree", "List Tree", about, Effect::Reads, input)
}
