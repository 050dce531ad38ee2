//! `prompts/get`.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jackfield_peer::{Answering, Incoming};
use jackfield_protocol::{ContentBlock, ErrorObject, GetPromptResult, Prompt, ResourceContents};

use crate::Cx;
use crate::builder::settings::Item as Shown;
use crate::routing::router::Router;
use crate::routing::run::run;
use crate::routing::tools::shorten;

/// Makes a prompt.
pub(crate) fn get(router: &Router, incoming: Incoming) -> Answering {
    match begin(router, incoming) {
        Ok(answering) => answering,
        Err(error) => Answering::ready(Err(error)),
    }
}

fn begin(router: &Router, incoming: Incoming) -> Result<Answering, ErrorObject> {
    let prompts = router.core.prompts.view(&router.core);
    let name = incoming.params.string("name")?;
    let found = prompts.shelf.find(&name).filter(|_| router.shows(&incoming.caller, Shown::Prompt(&name)));
    let Some(item) = found.cloned() else {
        return Err(ErrorObject::invalid_params(format!("unknown prompt: {}", shorten(&name))));
    };
    drop(name);
    let arguments: BTreeMap<String, String> = incoming.params.member("arguments")?.unwrap_or_default();
    check_arguments(&item.definition, &arguments)?;
    let cx = Cx::new(incoming, item.home(&router.core), router.core.clone());
    let handler = item.prepared.entry.handler.clone();
    let (name, description) = (item.definition.name.clone(), item.definition.description.clone());
    Ok(run(
        cx,
        |cx| handler.get(arguments, cx.clone()),
        move |mut result: GetPromptResult, _| {
            result.description = result.description.or(description);
            check_messages(&name, &result)?;
            for message in &mut result.messages {
                item.rename_resource(&mut message.content);
            }
            Ok(result.into())
        },
    ))
}

/// Checks what a prompt embeds: whoever reads it would have nothing but the prompt to go by.
fn check_messages(prompt: &str, result: &GetPromptResult) -> Result<(), ErrorObject> {
    let problem = result.messages.iter().find_map(|message| match &message.content {
        ContentBlock::Resource(embedded) => embedded_problem(&embedded.resource),
        ContentBlock::Image(image) => (!is_base64(&image.data)).then_some("an image is not base64"),
        ContentBlock::Audio(audio) => (!is_base64(&audio.data)).then_some("sound is not base64"),
        _ => None,
    });
    match problem {
        None => Ok(()),
        Some(problem) => {
            tracing::error!(prompt, problem, "a prompt embeds what it must not");
            Err(ErrorObject::internal(format!("the prompt {prompt} cannot be sent: {problem}")))
        }
    }
}

fn embedded_problem(resource: &ResourceContents) -> Option<&'static str> {
    let (uri, mime_type) = match resource {
        ResourceContents::Text(text) => (&text.uri, &text.mime_type),
        ResourceContents::Blob(blob) if !is_base64(&blob.blob) => return Some("an embedded resource is not base64"),
        ResourceContents::Blob(blob) => (&blob.uri, &blob.mime_type),
        _ => return None,
    };
    if jackfield_protocol::uri::check(uri).is_err() {
        return Some("an embedded resource has no valid URI");
    }
    mime_type.is_none().then_some("an embedded resource has no MIME type")
}

fn is_base64(text: &str) -> bool {
    STANDARD.decode(text).is_ok()
}

fn check_arguments(prompt: &Prompt, given: &BTreeMap<String, String>) -> Result<(), ErrorObject> {
    let mut known = prompt.arguments.iter().flatten();
    match known.find(|argument| argument.required == Some(true) && !given.contains_key(&argument.name)) {
        Some(missing) => {
            let message = format!("the prompt {} needs the argument `{}`", prompt.name, missing.name);
            Err(ErrorObject::invalid_params(message))
        }
        None => Ok(()),
    }
}
