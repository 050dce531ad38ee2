//! Renewing a grant without the user, and giving it back.

use super::AuthError;
use super::event::AuthEvent;
use super::grant::Grant;
use super::oauth::Settings;
use super::registration;
use super::store::StoreError;
use super::token_endpoint::TokenRequest;
use crate::Secret;

/// What became of a grant.
#[derive(Debug)]
pub(super) enum Renewed {
    /// This is the new one.
    Here(Grant),
    /// Another process was faster, and this is the new one.
    Elsewhere(Grant),
    /// There is no new one.
    Not {
        /// What is kept now; none if the user has logged out meanwhile.
        kept: Option<Grant>,
        why: AuthError,
    },
}

/// Renews a grant, one process at a time. What is kept is what is renewed: another process may have renewed the grant that we know
/// long ago, and to use its refresh token again would look like a theft.
pub(super) async fn renew(settings: &Settings, known: &Grant) -> Result<Renewed, StoreError> {
    let name = Grant::name(&known.server);
    let _lock = settings.store.lock(&name).await?;
    let Some(kept) = settings.load::<Grant>(&name).await? else {
        let why = AuthError::LoginNeeded;
        settings.observer.tell(AuthEvent::NotRenewed { why: why.to_string() });
        return Ok(Renewed::Not { kept: None, why });
    };
    if !kept.is_same_as(known) && !kept.is_over(settings.clock.now()) {
        settings.observer.tell(AuthEvent::RenewedElsewhere);
        return Ok(Renewed::Elsewhere(kept));
    }
    match refresh(settings, &kept).await {
        Ok(grant) => {
            settings.save(&name, &grant).await?;
            settings.observer.tell(AuthEvent::Renewed);
            Ok(Renewed::Here(grant))
        }
        Err(why) => {
            settings.observer.tell(AuthEvent::NotRenewed { why: why.to_string() });
            if why.is_of_client() {
                registration::forget(settings, &kept.issuer.issuer, &kept.client.id).await?;
            }
            if !is_final(&why) {
                return Ok(Renewed::Not { kept: Some(kept), why });
            }
            // It will not work the next time either.
            let without = Grant { refresh: None, ..kept };
            settings.save(&name, &without).await?;
            Ok(Renewed::Not { kept: Some(without), why })
        }
    }
}

/// What is wrong with a renewal that asks for less proof than the login.
const LOOSENED: &str = "it is not bound to the key of the login any more";

async fn refresh(settings: &Settings, old: &Grant) -> Result<Grant, AuthError> {
    let refresh = old.refresh.as_ref().ok_or(AuthError::LoginNeeded)?;
    let form = vec![
        ("grant_type", "refresh_token".to_owned()),
        ("refresh_token", refresh.expose().to_owned()),
        ("resource", old.resource.clone()),
    ];
    let endpoint = old.issuer.token_endpoint.as_deref().ok_or(AuthError::NoEndpoint("token_endpoint"))?;
    let (key, audience, client) = (old.signing_key(), old.issuer.issuer.as_str(), &old.client);
    let request = TokenRequest { settings, endpoint, audience, client, form, key: key.as_ref() };
    let tokens = request.tokens().await?;
    let mut grant = old.clone();
    grant.take(settings, tokens)?;
    // Whoever can make the endpoint say so must not turn a login that needs its key into one that needs nothing.
    if old.key.is_some() && grant.key.is_none() {
        return Err(AuthError::BadToken(LOOSENED));
    }
    Ok(grant)
}

/// Whether the authorization server will never renew the grant again.
pub(super) fn is_final(error: &AuthError) -> bool {
    matches!(error, AuthError::Token { code, .. } if code == "invalid_grant")
        || matches!(error, AuthError::LoginNeeded | AuthError::BadToken(LOOSENED))
        || error.is_of_client()
}

/// Tells the authorization server that a grant is over (RFC 7009). Says whether it heard, and nothing can be renewed any more.
pub(super) async fn revoke(settings: &Settings, grant: &Grant) -> bool {
    let Some(endpoint) = grant.issuer.revocation_endpoint.as_deref() else { return false };
    let mut is_revoked = true;
    // The refresh token first: with it the whole grant ends at most servers.
    let tokens = [("refresh_token", grant.refresh.as_ref()), ("access_token", Some(&grant.access))];
    for (hint, token) in tokens {
        let Some(token) = token else { continue };
        match tell(settings, grant, endpoint, hint, token).await {
            Ok(()) => {}
            // Many issue access tokens that nobody can take back (RFC 7009, section 2.2.1). Without the refresh token one ends soon.
            Err(error) if hint == "access_token" && grant.refresh.is_some() && is_unsupported(&error) => {}
            Err(error) => {
                tracing::debug!(%error, "a token could not be revoked");
                is_revoked = false;
            }
        }
    }
    is_revoked
}

fn is_unsupported(error: &AuthError) -> bool {
    matches!(error, AuthError::Token { code, .. } if code == "unsupported_token_type")
}

async fn tell(settings: &Settings, grant: &Grant, endpoint: &str, hint: &str, token: &Secret) -> Result<(), AuthError> {
    let form = vec![("token", token.expose().to_owned()), ("token_type_hint", hint.to_owned())];
    let (audience, client) = (grant.issuer.issuer.as_str(), &grant.client);
    TokenRequest { settings, endpoint, audience, client, form, key: None }.tell().await
}
