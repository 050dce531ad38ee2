//! What completes arguments of prompts and variables of templates.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use jackfield_protocol::{Completion, Outcome};

use super::Failure;
use crate::{Completer, Cx, Done, Work};

/// An argument that is being typed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Completing {
    /// What has been typed.
    pub value: String,
    /// The other arguments that have been chosen before, by name; since 2025-06-18.
    pub context: BTreeMap<String, String>,
    /// The call.
    pub cx: Cx,
}

/// What a completer may return. At most 100 values are sent; the total is told.
#[diagnostic::on_unimplemented(
    message = "a completer cannot return `{Self}`",
    label = "not a completion",
    note = "return `Vec<String>`, `Vec<&str>`, `Completion`, or a `Result` of one of these"
)]
pub trait IntoCompletion {
    /// Turns it into proposals.
    ///
    /// # Errors
    /// An error of the protocol.
    fn into_completion(self) -> Done<Completion>;
}

impl IntoCompletion for Completion {
    fn into_completion(self) -> Done<Completion> {
        Ok(Outcome::Complete(self))
    }
}

impl IntoCompletion for Vec<String> {
    fn into_completion(self) -> Done<Completion> {
        let total = u64::try_from(self.len()).ok();
        let mut completion = Completion::new(self);
        completion.total = total;
        completion.has_more = Some(false);
        completion.into_completion()
    }
}

impl IntoCompletion for Vec<&str> {
    fn into_completion(self) -> Done<Completion> {
        self.into_iter().map(str::to_owned).collect::<Vec<_>>().into_completion()
    }
}

impl<T: IntoCompletion, E: Failure> IntoCompletion for Result<T, E> {
    fn into_completion(self) -> Done<Completion> {
        self.map_err(Failure::into_error)?.into_completion()
    }
}

/// What can complete an argument: `fn(&str) -> Vec<String>`, `fn(Completing) -> Vec<String>` if it needs to know more, or
/// `async fn(Completing) -> Vec<String>` if it has to wait. `Kind` tells them apart; the compiler finds it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot complete an argument",
    label = "not a completer",
    note = "write `fn(&str) -> Vec<String>`, `fn(Completing) -> Vec<String>` or `async fn(Completing) -> Vec<String>`"
)]
pub trait IntoCompleter<Kind> {
    /// Turns it into a completer.
    fn into_completer(self) -> Arc<dyn Completer>;
}

/// A completer that needs nothing but the typed text.
#[derive(Debug)]
pub struct Plain;

/// A completer that gets [`Completing`].
#[derive(Debug)]
pub struct Full;

/// A completer that gets [`Completing`] and may wait.
#[derive(Debug)]
pub struct Async;

#[diagnostic::do_not_recommend]
impl<F, R> IntoCompleter<(Plain, R)> for F
where
    F: Fn(&str) -> R + Send + Sync + 'static,
    R: IntoCompletion,
{
    fn into_completer(self) -> Arc<dyn Completer> {
        Arc::new(move |value: String, _: BTreeMap<String, String>, _: Cx| Work::Ready(self(&value).into_completion()))
    }
}

#[diagnostic::do_not_recommend]
impl<F, R> IntoCompleter<(Full, R)> for F
where
    F: Fn(Completing) -> R + Send + Sync + 'static,
    R: IntoCompletion,
{
    fn into_completer(self) -> Arc<dyn Completer> {
        Arc::new(move |value: String, context: BTreeMap<String, String>, cx: Cx| {
            Work::Ready(self(Completing { value, context, cx }).into_completion())
        })
    }
}

#[diagnostic::do_not_recommend]
impl<F, R> IntoCompleter<(Async, R)> for F
where
    F: Fn(Completing) -> R + Send + Sync + 'static,
    R: Future<Output: IntoCompletion> + Send + 'static,
{
    fn into_completer(self) -> Arc<dyn Completer> {
        Arc::new(move |value: String, context: BTreeMap<String, String>, cx: Cx| {
            let proposals = self(Completing { value, context, cx });
            Work::later(async move { proposals.await.into_completion() })
        })
    }
}

/// Proposes those of `choices` that contain what was typed, first those that begin with it.
pub(super) fn among(choices: &'static [&'static str]) -> Arc<dyn Completer> {
    (move |typed: &str| ranked(choices, typed)).into_completer()
}

fn ranked(choices: &[&'static str], typed: &str) -> Vec<&'static str> {
    let typed = typed.to_lowercase();
    let mut found: Vec<_> =
        choices.iter().filter_map(|choice| choice.to_lowercase().find(&typed).map(|at| (at > 0, *choice))).collect();
    found.sort_by_key(|(later, _)| *later);
    found.into_iter().map(|(_, choice)| choice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SRV-088: what fits best comes first, and what was typed need not be the beginning, nor in the right case.
    #[test]
    fn proposals_are_sorted_by_how_well_they_fit() {
        let languages = ["TypeScript", "Scala", "Rust", "JavaScript", "scheme"];
        assert_eq!(ranked(&languages, "SC"), ["Scala", "scheme", "TypeScript", "JavaScript"]);
        assert_eq!(ranked(&languages, "ust"), ["Rust"]);
        assert_eq!(ranked(&languages, ""), languages);
        assert!(ranked(&languages, "x").is_empty());
    }
}
