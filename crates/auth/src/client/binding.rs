//! Which authorization server a given client belongs to.

use parking_lot::Mutex;

use super::AuthError;
use super::identity::GivenClient;
use super::oauth::Settings;

/// The authorization server that a given client was first used with, in this process. All logins of an application share it.
#[derive(Debug, Default)]
pub(super) struct FirstUse(Mutex<Option<String>>);

impl FirstUse {
    fn get(&self) -> Option<String> {
        self.0.lock().clone()
    }

    /// Remembers an issuer, unless there is one already; returns the one that counts.
    fn set(&self, issuer: String) -> String {
        self.0.lock().get_or_insert(issuer).clone()
    }
}

/// Checks that a given client may be shown to an issuer: the one it belongs to, or if nobody knows that, any.
pub(super) async fn check(settings: &Settings, given: &GivenClient, issuer: &str) -> Result<(), AuthError> {
    let bound = match given.issuer.clone().or_else(|| settings.first_use.get()) {
        Some(bound) => Some(bound),
        None => settings.load::<String>(&name(given)).await?,
    };
    fits(bound, issuer)
}

/// The same, and from then on the client belongs to the issuer, in all processes that share the store.
pub(super) async fn bind(settings: &Settings, given: &GivenClient, issuer: &str) -> Result<(), AuthError> {
    check(settings, given, issuer).await?;
    if given.issuer.is_some() || settings.first_use.get().is_some() {
        return Ok(());
    }
    let name = name(given);
    let _lock = settings.store.lock(&name).await?;
    // Another process may have been faster, and so may another login of this one.
    let bound = match settings.load::<String>(&name).await?.or_else(|| settings.first_use.get()) {
        Some(bound) => bound,
        None => {
            // Kept first: if that fails, the next attempt does not take it for done.
            settings.save(&name, &issuer).await?;
            issuer.to_owned()
        }
    };
    fits(Some(settings.first_use.set(bound)), issuer)
}

fn fits(bound: Option<String>, issuer: &str) -> Result<(), AuthError> {
    match bound.filter(|bound| bound != issuer) {
        Some(registered) => Err(AuthError::ForeignClient { registered, found: issuer.to_owned() }),
        None => Ok(()),
    }
}

/// The name under which a store keeps whose client it is.
fn name(given: &GivenClient) -> String {
    format!("issuer of {}", given.id)
}
