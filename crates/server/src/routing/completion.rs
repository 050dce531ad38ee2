//! `completion/complete`.

use std::sync::Arc;

use jackfield_peer::{Answering, Incoming};
use jackfield_protocol::{CompleteParams, CompleteResult, Completion, ErrorObject, Reference};

use crate::builder::core::Core;
use crate::builder::settings::Item as Shown;
use crate::routing::router::Router;
use crate::routing::run::run;
use crate::routing::tools::shorten;
use crate::{Address, Completer, Cx};

/// Whether anything can be completed.
pub(crate) fn is_offered(core: &Core) -> bool {
    core.prompts.view(core).shelf.items.iter().any(|item| !item.prepared.entry.completers.is_empty())
        || core.resources.view(core).templates.items.iter().any(|item| !item.prepared.entry.completers.is_empty())
}

/// Completes an argument.
pub(crate) fn complete(router: &Router, incoming: Incoming) -> Answering {
    match begin(router, incoming) {
        Ok(answering) => answering,
        Err(error) => Answering::ready(Err(error)),
    }
}

fn begin(router: &Router, incoming: Incoming) -> Result<Answering, ErrorObject> {
    router.completions.admit(&incoming, "completions")?;
    let asked: CompleteParams = incoming.params.decode()?;
    let Found { completer, home } = find(router, &incoming, &asked)?;
    let context = asked.context.and_then(|context| context.arguments).unwrap_or_default();
    let cx = Cx::new(incoming, home, router.core.clone());
    let finish = |completion: Completion| Ok(CompleteResult::new(shorten_list(completion)).into());
    Ok(match completer {
        Some(completer) => run(
            cx,
            |cx| completer.complete(asked.argument.value, context, cx.clone()),
            move |completion, _| finish(completion),
        ),
        None => Answering::ready(finish(Completion::new(Vec::new())).map(jackfield_protocol::Outcome::Complete)),
    })
}

struct Found {
    /// None if the argument exists, but has no completer.
    completer: Option<Arc<dyn Completer>>,
    home: Arc<Core>,
}

fn find(router: &Router, incoming: &Incoming, asked: &CompleteParams) -> Result<Found, ErrorObject> {
    let argument = asked.argument.name.as_str();
    let unknown = |what: &str, name: &str| ErrorObject::invalid_params(format!("unknown {what}: {}", shorten(name)));
    match &asked.r#ref {
        Reference::Prompt(prompt) => {
            let prompts = router.core.prompts.view(&router.core);
            let shown = router.shows(&incoming.caller, Shown::Prompt(&prompt.name));
            let item =
                prompts.shelf.find(&prompt.name).filter(|_| shown).ok_or_else(|| unknown("prompt", &prompt.name))?;
            let known = item.definition.arguments.iter().flatten().any(|known| known.name == argument);
            let entry = &item.prepared.entry;
            known.then_some(()).ok_or_else(|| unknown("argument", argument))?;
            Ok(Found { completer: entry.completers.get(argument).cloned(), home: item.home(&router.core) })
        }
        Reference::Resource(resource) => {
            let resources = router.core.resources.view(&router.core);
            let shown = router.shows(&incoming.caller, Shown::Template(&resource.uri));
            let item = resources.templates.find(&resource.uri).filter(|_| shown);
            let item = item.ok_or_else(|| unknown("resource template", &resource.uri))?;
            let known = match &item.definition {
                Address::Template(_, template) => template.variables().any(|known| known == argument),
                Address::Static(_) => false,
            };
            known.then_some(()).ok_or_else(|| unknown("variable", argument))?;
            let completer = item.prepared.entry.completers.get(argument).cloned();
            Ok(Found { completer, home: item.home(&router.core) })
        }
        _ => Err(unknown("kind of reference", "")),
    }
}

/// An answer has at most 100 values, and says how many there are.
fn shorten_list(mut completion: Completion) -> Completion {
    let count = completion.values.len();
    if count > Completion::MAX_VALUES {
        completion.values.truncate(Completion::MAX_VALUES);
        completion.total.get_or_insert(count as u64);
        completion.has_more = Some(true);
    }
    completion
}
