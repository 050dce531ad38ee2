//! What the command can do.

mod add;
mod auth;
mod call;
mod complete;
mod completions;
mod inspect;
mod list;
mod login;
mod offer;
mod ping;
mod prompt;
mod read;
mod subscribe;
mod tape;

pub(crate) use add::{Add, Remove};
pub(crate) use auth::Auth;
pub(crate) use call::Call;
pub(crate) use complete::Complete;
pub(crate) use completions::Completions;
pub(crate) use inspect::Inspect;
pub(crate) use list::List;
pub(crate) use login::{Login, Logout};
pub(crate) use offer::Offer;
pub(crate) use ping::Ping;
pub(crate) use prompt::GetPrompt;
pub(crate) use read::Read;
pub(crate) use subscribe::Subscribe;
pub(crate) use tape::Tape;

use crate::failure::Failure;

/// Words that nobody knows what to do with are a mistake.
pub(crate) fn nothing_more(words: &[String]) -> Result<(), Failure> {
    match words.first() {
        Some(word) => Err(Failure::usage(format!("{word:?} is one word too many")).hint("see --help")),
        None => Ok(()),
    }
}

/// Takes the next word; `what` it is called in the help.
fn next(words: &mut Vec<String>, what: &str) -> Result<String, Failure> {
    if words.is_empty() {
        return Err(Failure::usage(format!("{what} is missing")).hint("see --help"));
    }
    Ok(words.remove(0))
}
