//! How the server describes itself.

use super::builder::AuthorizationServer;
use super::oauth_clients::client::{AUTHORIZATION_CODE, CLIENT_CREDENTIALS, JWT_BEARER, REFRESH_TOKEN, TOKEN_EXCHANGE};
use super::oauth_clients::client_auth::ASSERTION_ALGORITHMS;
use crate::metadata::AuthorizationServerMetadata;
use crate::{Scopes, pkce};

impl AuthorizationServer {
    /// Returns the metadata document, the same for RFC 8414 and OpenID Connect.
    #[must_use]
    pub fn metadata(&self) -> AuthorizationServerMetadata {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let at = |path: &str| Some(self.endpoint(path));
        let inner = &self.0;
        let mut grants = texts(&[AUTHORIZATION_CODE, REFRESH_TOKEN, CLIENT_CREDENTIALS]);
        grants.extend((!inner.trusted.is_empty()).then(|| JWT_BEARER.to_owned()));
        grants.extend((!inner.targets.is_empty()).then(|| TOKEN_EXCHANGE.to_owned()));
        let scopes =
            inner.resources.iter().fold(Scopes::from("openid offline_access"), |all, one| all.union(&one.all()));
        let confidential = texts(&["client_secret_basic", "client_secret_post", "private_key_jwt"]);
        let mut methods = texts(&["none"]);
        methods.extend(confidential.clone());
        let profiles = inner.trusted.iter().any(|issuer| issuer.is_identity_provider());
        AuthorizationServerMetadata {
            issuer: inner.issuer.clone(),
            authorization_endpoint: at("/authorize"),
            token_endpoint: at("/token"),
            registration_endpoint: at("/register").filter(|_| inner.registration.is_some()),
            revocation_endpoint: at("/revoke"),
            introspection_endpoint: at("/introspect"),
            jwks_uri: at("/jwks"),
            scopes_supported: scopes.iter().map(str::to_owned).collect(),
            response_types_supported: texts(&["code"]),
            response_modes_supported: texts(&["query"]),
            grant_types_supported: grants,
            token_endpoint_auth_methods_supported: methods.clone(),
            token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS
                .iter()
                .map(|algorithm| algorithm.name().to_owned())
                .collect(),
            revocation_endpoint_auth_methods_supported: methods,
            introspection_endpoint_auth_methods_supported: confidential,
            code_challenge_methods_supported: texts(&[pkce::METHOD]),
            authorization_response_iss_parameter_supported: true,
            client_id_metadata_document_supported: inner.documents.is_some(),
            dpop_signing_alg_values_supported: inner.proofs.algorithms(),
            subject_types_supported: texts(&["public"]),
            id_token_signing_alg_values_supported: texts(&["ES256"]),
            authorization_grant_profiles_supported: texts(if profiles {
                &["urn:ietf:params:oauth:grant-profile:id-jag"]
            } else {
                &[]
            }),
        }
    }
}
