//! `prompts/get`.

use std::collections::BTreeMap;

use jackfield_peer::{Answering, Incoming};
use jackfield_protocol::{ErrorObject, GetPromptResult, Prompt};

use crate::Cx;
use crate::router::Router;
use crate::run::run;
use crate::settings::Item as Shown;
use crate::tools::shorten;

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
    let description = item.definition.description.clone();
    Ok(run(
        cx,
        |cx| handler.get(arguments, cx),
        move |mut result: GetPromptResult| {
            result.description = result.description.or(description);
            Ok(result.into())
        },
    ))
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
