//! Who is asking: logins at servers, kept for the next time.

mod ask_first;
mod keeping;
mod steps;

use std::error::Error as StdError;
use std::io;

use jackfield::auth::client::{AuthError, Opener, StoreError, SystemBrowser};

use keeping::DIRECTORY;

use crate::failure::{Class, Failure};
use crate::show::one_line;

pub(crate) use ask_first::AskFirst;
pub(crate) use keeping::{Credentials, oauth, oauth_keeping};
pub(crate) use steps::told;

/// The browser of the user; the address is shown as well, because a browser is not always there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Browser;

impl Opener for Browser {
    fn open(&self, page: &url::Url) -> io::Result<()> {
        eprintln!("Opening the login page of {} in the browser. If none appears, open this address:", host(page));
        eprintln!("  {page}");
        if let Err(error) = SystemBrowser.open(page) {
            eprintln!("note: the browser cannot be started ({error}); open the address yourself");
        }
        Ok(())
    }
}

fn host(page: &url::Url) -> &str {
    page.host_str().unwrap_or_default()
}

/// Returns why a request could not be authorized, if that is what is wrong.
pub(crate) fn cause<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a AuthError> {
    let mut cause = Some(error);
    while let Some(next) = cause {
        if let Some(error) = next.downcast_ref::<AuthError>() {
            return Some(error.plain());
        }
        cause = next.source();
    }
    None
}

/// Says why nobody is logged in.
pub(crate) fn plain_failure(error: &AuthError) -> Failure {
    let class = match error {
        AuthError::BadServer(_) | AuthError::Redirect(_) => Class::Usage,
        AuthError::NotProtected | AuthError::Store(_) => Class::Failed,
        _ => Class::Login,
    };
    let failure = Failure::new(class, one_line(&error.to_string()).into_owned());
    match error.source() {
        Some(cause) => failure.why(crate::failure::chain(cause)),
        None => failure,
    }
}

/// Says why nobody is logged in, and what to try.
pub(crate) fn failure(error: &AuthError, url: &str) -> Failure {
    let failure = plain_failure(error);
    match error {
        AuthError::LoginNeeded => failure.hint(format!("jackfield login {url}")),
        AuthError::NotProtected => failure.hint(format!("use it without a login: jackfield inspect {url}")),
        AuthError::NoClient(_) => {
            failure.hint("register a client at the authorization server by hand, and name it with --client-id")
        }
        AuthError::ForeignClient { .. } => failure.hint(
            "log in again, with a client id of the new authorization server; if it has the same there, with --issuer",
        ),
        AuthError::StepUp(_) => failure.hint("ask the operator of the server for these permissions, then log in again"),
        AuthError::TimedOut | AuthError::Interaction(_) => {
            failure.hint(format!("without a browser here: jackfield login {url} --headless"))
        }
        AuthError::Store(StoreError::Keyring(_) | StoreError::Sealed(_)) => {
            failure.hint(format!("unlock the keyring; or without it: jackfield login {url} --credentials file"))
        }
        AuthError::Store(_) => {
            failure.hint(format!("see what the directory in the variable {DIRECTORY} is, or that of your data"))
        }
        _ => failure.hint(format!("see each step with: jackfield auth explain {url}")),
    }
}

#[cfg(test)]
mod tests {
    use jackfield::http::client::NotAuthorized;

    use super::*;

    /// A login that could not be read or kept in the middle of a session is no reason to log in.
    #[test]
    fn a_store_that_fails_is_not_taken_for_a_login_that_is_missing() {
        let full = StoreError::File { place: "/data".to_owned(), source: io::Error::other("the disk is full") };
        let refused = NotAuthorized::new("no token").with_source(AuthError::Store(full));
        let failure = Failure::of(&jackfield_client::Error::connect(io::Error::other(refused)));
        assert!(failure.is_of(Class::Failed), "{failure:?}");
        assert!(failure.message().contains("the disk is full"), "{}", failure.message());
    }
}
