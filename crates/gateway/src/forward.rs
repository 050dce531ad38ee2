//! Requests of callers, passed on to the server that they are for.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use jackfield_protocol::meta::{check_own_key, key};
use jackfield_protocol::{
    AnyResult, CallToolResult, Completion, ContentBlock, ErrorObject, GetPromptResult, Meta, Outcome, RawJson,
    ReadResourceResult, Reference, ResourceContents, Revision, Tool,
};
use jackfield_server::{Cx, Done};

use crate::error::ForwardError;
use crate::forwarded_call::{ForwardedCall, forward};
use crate::headers::behalf;
use crate::upstream::Upstream;

/// What the protocol itself keeps in `_meta`; it is about one connection and goes no further.
const RESERVED: &str = "io.modelcontextprotocol/";

/// Calls a tool.
pub(crate) async fn call(upstream: Arc<Upstream>, tool: Arc<Tool>, arguments: Bytes, cx: Cx) -> Done<CallToolResult> {
    let arguments = String::from_utf8(arguments.to_vec()).ok().and_then(|text| RawJson::from_text(text).ok());
    let arguments = arguments.ok_or_else(|| ErrorObject::invalid_params("parameter `arguments` cannot be read"))?;
    tracing::debug!(server = upstream.name, tool = tool.name, "a call is passed on");
    let meta = passed_on(cx.meta());
    let name = tool.name.clone();
    let asked = forward(&upstream, &cx, behalf(&cx, Some(&tool)), move |client, forwarded: Arc<ForwardedCall>| {
        let call = client.call(name, arguments).on_progress(move |notice| forwarded.progress(&notice));
        let call = meta.into_iter().fold(call, |call, (name, value)| call.meta(name, value));
        async move { call.await.map(|output| output.into_result().into()) }
    });
    match asked.await {
        Ok(AnyResult::CallTool(mut result)) => {
            clean(&mut result.meta);
            Ok(Outcome::Complete(result))
        }
        Ok(_) => Err(ErrorObject::internal("the result is not that of a tool")),
        Err(error) => error.of_tool().map(Outcome::Complete),
    }
}

/// Reads a resource by the URI that it has at the server.
pub(crate) async fn read(upstream: Arc<Upstream>, uri: String, cx: Cx) -> Done<ReadResourceResult> {
    let asked = forward(&upstream, &cx, behalf(&cx, None), {
        let uri = uri.clone();
        move |client, _| async move { client.read(uri).await.map(AnyResult::from) }
    });
    match asked.await {
        Ok(AnyResult::ReadResource(mut result)) => {
            clean(&mut result.meta);
            // How long others may keep it was said to the gateway, not to its callers; what is kept is kept here.
            (result.ttl_ms, result.cache_scope) = (None, None);
            Ok(Outcome::Complete(result))
        }
        Ok(_) => Err(ErrorObject::internal("the result is not that of a resource")),
        Err(error) => {
            let spoken = upstream.client().ok().and_then(|client| client.revision());
            Err(error.of_resource(spoken, cx.revision(), &upstream.prefix.uri(&uri)))
        }
    }
}

/// Gets a prompt.
pub(crate) async fn prompt(
    upstream: Arc<Upstream>,
    name: String,
    arguments: BTreeMap<String, String>,
    cx: Cx,
) -> Done<GetPromptResult> {
    let asked = forward(&upstream, &cx, behalf(&cx, None), move |client, _| async move {
        client.prompt(name, arguments).await.map(AnyResult::from)
    });
    match asked.await {
        Ok(AnyResult::GetPrompt(mut result)) => {
            clean(&mut result.meta);
            result.messages.iter_mut().for_each(|message| name_type(&mut message.content));
            Ok(Outcome::Complete(result))
        }
        Ok(_) => Err(ErrorObject::internal("the result is not that of a prompt")),
        Err(error) => Err(error.into_error_object()),
    }
}

/// Asks for proposals for an argument.
pub(crate) async fn complete(
    upstream: Arc<Upstream>,
    what: Reference,
    argument: String,
    typed: String,
    known: BTreeMap<String, String>,
    cx: Cx,
) -> Done<Completion> {
    let client = upstream.client().map_err(|words| ForwardError::Unavailable(words).into_error_object())?;
    let client = client.on_behalf(behalf(&cx, None));
    match client.complete(what, argument, typed, known).await {
        Ok(result) => Ok(Outcome::Complete(result.completion)),
        Err(error) => Err(ForwardError::Failed { server: upstream.name.clone(), error }.into_error_object()),
    }
}

/// What of a caller's `_meta` concerns the tool, such as its trace.
fn passed_on(meta: Meta) -> Meta {
    // What one revision keeps for itself may be free in another; it goes no further either way.
    let is_own = |name: &str| Revision::ALL.iter().all(|revision| check_own_key(name, *revision).is_ok());
    meta.into_iter().filter(|(name, _)| name != key::PROGRESS_TOKEN && is_own(name)).collect()
}

/// Takes out of a result what the server says about itself: out here it is the gateway that answers.
fn clean(meta: &mut Option<Meta>) {
    if let Some(inner) = meta {
        inner.retain(|name, _| !name.starts_with(RESERVED));
        if inner.is_empty() {
            *meta = None;
        }
    }
}

/// A resource in a prompt has to say what it is, and not every server does so.
fn name_type(content: &mut ContentBlock) {
    if let ContentBlock::Resource(embedded) = content {
        match &mut embedded.resource {
            ResourceContents::Text(text) => drop(text.mime_type.get_or_insert_with(|| "text/plain".to_owned())),
            ResourceContents::Blob(blob) => {
                blob.mime_type.get_or_insert_with(|| "application/octet-stream".to_owned());
            }
            _ => {}
        }
    }
}
