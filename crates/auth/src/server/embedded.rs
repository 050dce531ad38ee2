//! Protecting a server with tokens of the authorization server in the same process.

use std::sync::Arc;

use super::builder::{AuthorizationServer, BuildError};
use crate::Scopes;
use crate::jose::{Algorithm, KeySource};
use crate::resource::{JwtVerifier, ResourceServer, ResourceServerBuilder, TokenVerifier, VerifyError, Verifying};

/// Checks tokens of an authorization server in the same process: its keys are at hand, and revoked tokens are known at once.
#[derive(Debug)]
pub struct EmbeddedVerifier {
    server: AuthorizationServer,
    jwt: JwtVerifier,
}

impl AuthorizationServer {
    /// Returns a verifier of our own tokens.
    #[must_use]
    pub fn verifier(&self) -> EmbeddedVerifier {
        let keys: Arc<dyn KeySource> = self.0.keys.clone();
        let jwt = JwtVerifier::with_clock(self.0.issuer.clone(), keys, self.0.clock.clone());
        EmbeddedVerifier { server: self.clone(), jwt: jwt.algorithms(&[Algorithm::Es256]).strict_typ() }
    }

    /// Begins to protect one of the resources. Where the server was given a store, proofs of possession are remembered there, for all
    /// nodes that share it.
    ///
    /// # Errors
    /// It is not a resource of this server.
    pub fn protect(&self, resource: &str) -> Result<ResourceServerBuilder, BuildError> {
        let known = self.resource(resource).ok_or_else(|| BuildError::Resource(resource.to_owned()))?;
        let scopes: Scopes = known.default.clone().unwrap_or_else(|| known.all());
        let builder = ResourceServer::builder(known.url.clone()).issuer(self.0.issuer.clone(), self.verifier());
        let builder = builder.scopes_supported(scopes).clock(self.0.clock.clone());
        Ok(if self.0.is_shared { builder.share_proofs(self.0.store.clone()) } else { builder })
    }
}

#[derive(serde::Deserialize)]
struct Names {
    sid: Option<String>,
    jti: Option<String>,
}

impl TokenVerifier for EmbeddedVerifier {
    fn verify<'a>(&'a self, token: &'a str) -> Verifying<'a> {
        Box::pin(async move {
            let token = self.jwt.verify(token).await?;
            let invalid = VerifyError::Invalid("the token was revoked");
            let Ok(Names { sid, jti }) = serde_json::from_slice(&token.payload) else { return Err(invalid) };
            for name in [sid, jti].into_iter().flatten() {
                let unavailable = |error| VerifyError::Unavailable(Arc::new(error));
                if self.server.is_revoked(&name).await.map_err(unavailable)? {
                    return Err(invalid);
                }
            }
            Ok(token)
        })
    }
}
