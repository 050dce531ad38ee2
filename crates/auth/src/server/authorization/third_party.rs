//! The tokens of another provider that we hold for its users.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::resource::AccessToken;
use crate::server::authorization::upstream::{Answered, NoTokens, Renewed, Upstream};
use crate::server::builder::AuthorizationServer;
use crate::server::requests::respond::OAuthError;
use crate::{Secret, random, store};

/// The tokens of a third party.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::server) struct ThirdPartyTokens {
    access_token: String,
    #[serde(default)]
    refresh_token: Option<String>,
    #[serde(default)]
    expires_at: Option<u64>,
}

impl fmt::Debug for ThirdPartyTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThirdPartyTokens").field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}

/// Why there is no token of the third party.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThirdPartyError {
    /// The user's login there is over; ours is over too now.
    #[error("the login at the other provider is over")]
    Over,
    /// The provider or the store cannot be reached.
    #[error("the token cannot be had at present")]
    Unavailable,
}

/// A token is renewed this long before its end, in seconds.
const MARGIN: u64 = 30;
/// How long a renewal may take, and how often a server looks whether that of another is over.
const LONGEST_RENEWAL: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(50);
/// How much longer than a renewal may take is waited for that of another server.
const GRACE: Duration = Duration::from_secs(2);

impl AuthorizationServer {
    pub(in crate::server) fn tokens_of(&self, answered: Answered, before: Option<String>) -> ThirdPartyTokens {
        ThirdPartyTokens {
            access_token: answered.access_token,
            refresh_token: answered.refresh_token.or(before),
            expires_at: answered.expires_in.map(|life| self.now().saturating_add(life)),
        }
    }

    /// Keeps tokens of the third party, sealed, for as long as our own.
    pub(in crate::server) async fn keep_third_party(
        &self,
        family: &str,
        tokens: &ThirdPartyTokens,
    ) -> Result<(), OAuthError> {
        let key = third_party_key(family);
        let sealed = self.0.sealer.seal(&key, &store::encode(tokens)?)?;
        let until = self.now().saturating_add(self.0.life.refresh);
        Ok(self.store().put(&key, sealed, until).await?)
    }

    /// Renews the tokens of the third party if they are about to end, and keeps them for as long as our own, which are renewed
    /// now; false if the login there is over.
    pub(in crate::server) async fn follow_third_party(&self, family: &str) -> Result<bool, OAuthError> {
        if self.third_party(family).await?.is_none() {
            return Ok(false);
        }
        let key = third_party_key(family);
        if let Some(sealed) = self.store().get(&key).await? {
            let until = self.now().saturating_add(self.0.life.refresh);
            // If they are others by now, whoever changed them has kept them as long.
            self.store().replace(&key, &sealed, sealed.clone(), until).await?;
        }
        Ok(true)
    }

    async fn third_party(&self, family: &str) -> Renewed {
        let Some(tokens) = self.kept_third_party(family).await? else { return Ok(None) };
        if self.is_fresh(&tokens) {
            return Ok(Some(tokens));
        }
        let Some(upstream) = &self.0.upstream else { return Ok(None) };
        let (server, of) = (self.clone(), family.to_owned());
        upstream.renew(family, async move { server.renew_third_party(&of).await }).await
    }

    async fn renew_third_party(&self, family: &str) -> Renewed {
        let Some(upstream) = &self.0.upstream else { return Ok(None) };
        let claim = self.begin_renewal(family).await?;
        let renewed = self.renewed_third_party(upstream, family).await;
        self.end_renewal(family, &claim).await?;
        renewed
    }

    /// Waits until no other server that shares the store renews the tokens of a login. One that dies meanwhile is waited for no
    /// longer than it could have taken.
    async fn begin_renewal(&self, family: &str) -> Result<Vec<u8>, OAuthError> {
        let (key, claim) = (renewal_key(family), random::token()?.into_bytes());
        // Longer than a claim lasts, so that the one of a server that died is over by then.
        let deadline = tokio::time::Instant::now() + LONGEST_RENEWAL + GRACE;
        // A claim lasts from when it is made, however long that took, and a little longer than the work.
        let until = || self.now().saturating_add(LONGEST_RENEWAL.as_secs()).saturating_add(1);
        while !self.store().add(&key, claim.clone(), until()).await? {
            if tokio::time::Instant::now() >= deadline {
                return Err(OAuthError::unavailable());
            }
            tokio::time::sleep(POLL).await;
        }
        Ok(claim)
    }

    /// Lets others renew. A claim that is not ours any more, because we took too long, is left alone.
    async fn end_renewal(&self, family: &str, claim: &[u8]) -> Result<(), OAuthError> {
        let (key, soon) = (renewal_key(family), self.now().saturating_add(1));
        if self.store().replace(&key, claim, Vec::new(), soon).await? {
            self.store().take(&key).await?;
        }
        Ok(())
    }

    async fn renewed_third_party(&self, upstream: &Upstream, family: &str) -> Renewed {
        // Somebody else may have renewed them meanwhile, and the old ones are worth nothing then.
        let Some(tokens) = self.kept_third_party(family).await? else { return Ok(None) };
        if self.is_fresh(&tokens) {
            return Ok(Some(tokens));
        }
        let Some(refresh) = &tokens.refresh_token else { return Ok(None) };
        match upstream.ask(&[("grant_type", "refresh_token"), ("refresh_token", refresh)]).await {
            Ok(answered) => {
                let tokens = self.tokens_of(answered, Some(refresh.clone()));
                self.keep_third_party(family, &tokens).await?;
                Ok(Some(tokens))
            }
            Err(NoTokens::Over) => Ok(None),
            Err(NoTokens::Failed(error)) => {
                tracing::warn!(%error, "the tokens of the upstream provider could not be renewed");
                Err(OAuthError::unavailable())
            }
        }
    }

    async fn kept_third_party(&self, family: &str) -> Result<Option<ThirdPartyTokens>, OAuthError> {
        let key = third_party_key(family);
        let Some(sealed) = self.store().get(&key).await? else { return Ok(None) };
        Ok(store::decode(self.0.sealer.open(&key, &sealed))?)
    }

    fn is_fresh(&self, tokens: &ThirdPartyTokens) -> bool {
        tokens.expires_at.is_none_or(|end| end > self.now().saturating_add(MARGIN))
    }

    /// Ends a login at the third party with ours. That it cannot be reached keeps nobody from logging out here.
    pub(in crate::server) async fn end_third_party(&self, family: &str) -> Result<(), OAuthError> {
        let key = third_party_key(family);
        let Some(sealed) = self.store().take(&key).await? else { return Ok(()) };
        let Some(tokens) = store::decode::<ThirdPartyTokens>(self.0.sealer.open(&key, &sealed))? else { return Ok(()) };
        if let Some(upstream) = &self.0.upstream {
            let token = tokens.refresh_token.unwrap_or(tokens.access_token);
            if let Err(error) = upstream.give_back(&token).await {
                tracing::warn!(%error, "a token could not be given back to the upstream provider");
            }
        }
        Ok(())
    }

    /// Returns the token of the other provider for the user of one of our tokens, renewed if need be. It is for requests to that
    /// provider's own services; the client never sees it.
    ///
    /// # Errors
    /// The login there is over, in which case our own tokens of it are revoked, or the provider cannot be reached.
    pub async fn third_party_token(&self, token: &AccessToken) -> Result<Secret, ThirdPartyError> {
        let family: String = token.claim("sid").ok_or(ThirdPartyError::Over)?;
        match self.third_party(&family).await {
            Ok(Some(tokens)) => Ok(Secret::new(tokens.access_token)),
            Ok(None) => {
                self.revoke_family(&family).await.map_err(|_| ThirdPartyError::Unavailable)?;
                Err(ThirdPartyError::Over)
            }
            Err(_) => Err(ThirdPartyError::Unavailable),
        }
    }
}

fn renewal_key(family: &str) -> String {
    format!("renewing:{family}")
}

fn third_party_key(family: &str) -> String {
    format!("third-party:{family}")
}
