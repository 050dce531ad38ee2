//! What to do when a server refuses a request.

use std::sync::Arc;

use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};
use jackfield_http::client::{Reaction, Refusal};

use super::AuthError;
use super::discovery::Found;
use super::event::AuthEvent;
use super::grant::Grant;
use super::login::{Inner, Standing, origin, token_header};
use super::renewal;
use super::turn::{Purpose, Turn};
use crate::challenge::Challenge;
use crate::{Scopes, dpop};

/// How many sets of scopes are remembered.
const STEPS: usize = 32;

impl Inner {
    /// Finds out what a refusal means, and does something about it.
    pub(super) async fn react(self: &Arc<Self>, refusal: &Refusal) -> Result<Reaction, AuthError> {
        let origin = origin(&refusal.uri);
        self.settings.nonces.learn(&origin, &refusal.headers);
        let challenges = self.heard(refusal.status, &refusal.headers);
        let wants_nonce = challenges.iter().any(|one| one.get("error") == Some("use_dpop_nonce"));
        if wants_nonce && let Some(proof) = refusal.sent.get(dpop::HEADER) {
            // Another request may have learned the nonce first; what counts is that this one did not have it.
            let known = self.settings.nonces.get(&origin);
            let is_new = known.is_some() && known != proof.to_str().ok().and_then(dpop::nonce_of);
            return Ok(if is_new { Reaction::Retry } else { Reaction::GiveUp });
        }
        match refusal.status {
            StatusCode::UNAUTHORIZED => self.unauthorized(refusal, challenges.first()).await,
            _ => match challenges.iter().find(|one| one.get("error") == Some("insufficient_scope")) {
                Some(challenge) => self.step_up(refusal, challenge).await,
                None => Ok(Reaction::GiveUp),
            },
        }
    }

    /// The server wants a token, or another one.
    async fn unauthorized(
        self: &Arc<Self>,
        refusal: &Refusal,
        challenge: Option<&Challenge>,
    ) -> Result<Reaction, AuthError> {
        let mut turn = self.turns.take_for(&Purpose::Login).await?;
        let sought = self.seek(refusal, challenge, &mut turn).await;
        sought.map_err(|error| self.turns.failed(Purpose::Login, error))
    }

    async fn seek(
        self: &Arc<Self>,
        refusal: &Refusal,
        challenge: Option<&Challenge>,
        turn: &mut Option<Turn>,
    ) -> Result<Reaction, AuthError> {
        let current = self.load().await?;
        if self.is_outdated(refusal, current.as_deref()) || self.is_renewed_elsewhere(refusal).await? {
            return Ok(Reaction::Retry);
        }
        // What is new and was not even shown, because it was over by then, was not refused either.
        let is_refused = current.as_deref().is_some_and(|grant| was_sent(refusal, grant));
        let standing = if is_refused { self.state().standing } else { Standing::Good };
        if standing == Standing::Issued {
            return Err(AuthError::Rejected);
        }
        let found = self.discover_or_guess(challenge).await?;
        if let Some(grant) = &current
            && grant.issuer.issuer == found.issuer.issuer
            && grant.refresh.is_some()
            && standing != Standing::Renewed
        {
            match self.renew(grant, turn).await {
                Ok(_) => return Ok(Reaction::Retry),
                Err(error) if renewal::is_final(&error) => {}
                Err(error) => return Err(error),
            }
        }
        self.ask_anew(&found, challenge, current.as_deref()).await
    }

    async fn ask_anew(
        &self,
        found: &Found,
        challenge: Option<&Challenge>,
        current: Option<&Grant>,
    ) -> Result<Reaction, AuthError> {
        let scopes = self.scopes(challenge, found, current);
        let needs_binding = challenge.is_some_and(|challenge| challenge.is("DPoP"));
        self.authorize(found, scopes, needs_binding).await?;
        Ok(Reaction::Retry)
    }

    /// A server that answers 401 is protected, whatever else it says.
    async fn discover_or_guess(&self, challenge: Option<&Challenge>) -> Result<Found, AuthError> {
        let nothing = Challenge::bearer();
        self.discover(Some(challenge.unwrap_or(&nothing))).await
    }

    /// The token is good, but not for this.
    async fn step_up(self: &Arc<Self>, refusal: &Refusal, challenge: &Challenge) -> Result<Reaction, AuthError> {
        let wanted = challenge.scopes().unwrap_or_default();
        let purpose = Purpose::MoreScopes(wanted.clone());
        let _turn = self.turns.take_for(&purpose).await?;
        let stepped = self.ask_for_more(refusal, challenge, wanted).await;
        stepped.map_err(|error| self.turns.failed(purpose, error))
    }

    async fn ask_for_more(
        &self,
        refusal: &Refusal,
        challenge: &Challenge,
        wanted: Scopes,
    ) -> Result<Reaction, AuthError> {
        let current = self.load().await?;
        if self.is_outdated(refusal, current.as_deref()) {
            return Ok(Reaction::Retry);
        }
        {
            let mut state = self.state();
            if wanted.is_empty() || state.stepped_up.contains(&wanted) {
                return Err(AuthError::StepUp(wanted));
            }
            if state.stepped_up.len() >= STEPS {
                state.stepped_up.remove(0);
            }
            state.stepped_up.push(wanted.clone());
        }
        let mut asked = Asked { login: self, scopes: &wanted, is_settled: false };
        let found = self.discover_or_guess(Some(challenge)).await?;
        let scopes = self.scopes(Some(challenge), &found, current.as_deref());
        self.settings.observer.tell(AuthEvent::SteppingUp { scopes: scopes.clone() });
        let needs_binding = current.is_some_and(|grant| grant.key.is_some());
        let stepped = self.authorize(&found, scopes, needs_binding).await;
        asked.is_settled = stepped.as_ref().map_or_else(AuthError::is_refusal, |_| true);
        stepped?;
        Ok(Reaction::Retry)
    }

    /// Whether something newer is known than what was sent.
    fn is_outdated(&self, refusal: &Refusal, current: Option<&Grant>) -> bool {
        let Some(grant) = current else { return false };
        if grant.is_over(self.settings.clock.now()) {
            return false;
        }
        token_header(grant).is_ok() && !was_sent(refusal, grant)
    }

    /// Whether another process has put a newer token into the store.
    async fn is_renewed_elsewhere(&self, refusal: &Refusal) -> Result<bool, AuthError> {
        let Some(kept) = self.settings.load::<Grant>(&Grant::name(&self.name)).await? else { return Ok(false) };
        if !self.is_outdated(refusal, Some(&kept)) {
            return Ok(false);
        }
        self.settings.observer.tell(AuthEvent::RenewedElsewhere);
        self.adopt(kept, Standing::Good);
        Ok(true)
    }

    /// Reads the challenges of a refusal that mean tokens.
    pub(super) fn heard(&self, status: StatusCode, headers: &HeaderMap) -> Vec<Challenge> {
        let challenges = Challenge::read(headers.get_all(WWW_AUTHENTICATE));
        let mut ours: Vec<_> = challenges.into_iter().filter(|one| one.is("DPoP") || one.is("Bearer")).collect();
        // Who takes both does not ask for tokens that are bound to a key.
        ours.sort_by_key(|one| one.is("DPoP"));
        let first = ours.first();
        self.settings.observer.tell(AuthEvent::Challenged {
            status: status.as_u16(),
            scheme: first.map(|one| one.scheme.clone()),
            error: first.and_then(|one| one.get("error")).map(str::to_owned),
            scopes: first.and_then(Challenge::scopes),
            resource_metadata: first.and_then(|one| one.get("resource_metadata")).map(str::to_owned),
        });
        ours
    }
}

/// Whether a request that was refused carried the token of a grant.
fn was_sent(refusal: &Refusal, grant: &Grant) -> bool {
    token_header(grant).is_ok_and(|ours| refusal.sent.get(AUTHORIZATION) == Some(&ours))
}

/// Scopes that somebody is asked for. Who said no is not asked again; who could not be asked, or did not answer, may be.
struct Asked<'a> {
    login: &'a Inner,
    scopes: &'a Scopes,
    is_settled: bool,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if !self.is_settled {
            self.login.state().stepped_up.retain(|asked| asked != self.scopes);
        }
    }
}
