//! Writing by hand: long texts are escaped eight bytes at a time, and the members' names are copied rather than escaped.

use crate::encode::value_into;
use crate::json::write_str;
use crate::{CallToolResult, ContentBlock, Meta, OtherMembers, ReadResourceResult, ResourceContents};

/// Appends a tool's result.
pub(crate) fn call_tool_result(out: &mut Vec<u8>, result: &CallToolResult) {
    out.extend_from_slice(br#"{"content":["#);
    list(out, &result.content, content_block);
    out.push(b']');
    if let Some(data) = &result.structured_content {
        out.extend_from_slice(br#","structuredContent":"#);
        out.extend_from_slice(data.get().as_bytes());
    }
    if let Some(failed) = result.is_error {
        out.extend_from_slice(if failed { br#","isError":true"# } else { br#","isError":false"# });
    }
    meta(out, result.meta.as_ref());
    others(out, &result.other);
    out.push(b'}');
}

/// Appends a resource's contents.
pub(crate) fn read_resource_result(out: &mut Vec<u8>, result: &ReadResourceResult) {
    out.extend_from_slice(br#"{"contents":["#);
    list(out, &result.contents, resource_contents);
    out.push(b']');
    if let Some(ttl_ms) = result.ttl_ms {
        out.extend_from_slice(br#","ttlMs":"#);
        crate::json::write_u64(out, ttl_ms);
    }
    if let Some(scope) = result.cache_scope {
        out.extend_from_slice(br#","cacheScope":""#);
        out.extend_from_slice(scope.as_str().as_bytes());
        out.push(b'"');
    }
    meta(out, result.meta.as_ref());
    others(out, &result.other);
    out.push(b'}');
}

fn content_block(out: &mut Vec<u8>, block: &ContentBlock) {
    match block {
        ContentBlock::Text(text) => {
            out.extend_from_slice(br#"{"type":"text","text":"#);
            write_str(out, &text.text);
            if let Some(annotations) = &text.annotations {
                out.extend_from_slice(br#","annotations":"#);
                value_into(out, annotations);
            }
            meta(out, text.meta.as_ref());
            others(out, &text.other);
            out.push(b'}');
        }
        other => value_into(out, other),
    }
}

fn resource_contents(out: &mut Vec<u8>, contents: &ResourceContents) {
    let (name, text) = match contents {
        ResourceContents::Text(contents) => (br#","text":"#, &contents.text),
        ResourceContents::Blob(contents) => (br#","blob":"#, &contents.blob),
    };
    out.extend_from_slice(br#"{"uri":"#);
    write_str(out, contents.uri());
    out.extend_from_slice(name);
    write_str(out, text);
    if let Some(mime_type) = contents.mime_type() {
        out.extend_from_slice(br#","mimeType":"#);
        write_str(out, mime_type);
    }
    meta(out, contents.meta());
    others(out, contents.other());
    out.push(b'}');
}

fn list<T>(out: &mut Vec<u8>, items: &[T], write: fn(&mut Vec<u8>, &T)) {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(out, item);
    }
}

fn meta(out: &mut Vec<u8>, meta: Option<&Meta>) {
    if let Some(meta) = meta {
        out.extend_from_slice(br#","_meta":"#);
        value_into(out, meta);
    }
}

fn others(out: &mut Vec<u8>, others: &OtherMembers) {
    for (name, value) in others.iter() {
        out.push(b',');
        write_str(out, name);
        out.push(b':');
        out.extend_from_slice(value.get().as_bytes());
    }
}
