//! Getting a grant: by the user, by the client itself, or by an assertion.

use jackfield_http::fetch::{FetchError, Reach};
use url::Url;

use super::discovery::Found;
use super::event::{AuthEvent, ClientOrigin};
use super::grant::{Grant, write_key};
use super::identity::KnownClient;
use super::interaction::{Page, Visit};
use super::oauth::{Binding, Settings, Way};
use super::registration::{self, Prepared};
use super::response::Expected;
use super::token_endpoint::{JWT_BEARER, TokenRequest, Tokens, bad_endpoint};
use super::{AuthError, assertion, binding};
use crate::jose::SigningKey;
use crate::pkce::{self, Verifier};
use crate::{Scopes, Secret};

/// Keeps users logged in without them, where authorization servers know it.
const OFFLINE: &str = "offline_access";

/// What is to be authorized.
#[derive(Debug)]
pub(super) struct Authorization<'a> {
    pub(super) settings: &'a Settings,
    pub(super) server: &'a str,
    pub(super) found: &'a Found,
    pub(super) scopes: Scopes,
    /// The server asks for tokens that are bound to a key.
    pub(super) needs_binding: bool,
}

impl Authorization<'_> {
    /// Gets a grant.
    pub(super) async fn run(self) -> Result<Grant, AuthError> {
        let key = match self.settings.binding {
            Binding::Never => None,
            Binding::WhenAsked if !self.needs_binding && !self.found.needs_binding => None,
            _ => Some(SigningKey::generate()?),
        };
        match &self.settings.way {
            Way::User => self.by_user(key).await,
            Way::Client => {
                let client = self.given().await?;
                self.redeem(&client, vec![("grant_type", "client_credentials".to_owned())], true, key).await
            }
            Way::Workload(source) => {
                let assertion = assertion::obtain(&**source, self.found).await?;
                let client = self.given().await?;
                self.redeem(&client, bearer(&assertion), true, key).await
            }
            Way::Enterprise(provider) => {
                let client = self.given().await?;
                let assertion = provider.exchange(self.settings, self.found, &self.scopes).await?;
                self.redeem(&client, bearer(&assertion), true, key).await
            }
        }
    }

    async fn given(&self) -> Result<KnownClient, AuthError> {
        match registration::without_registering(self.settings, self.found).await? {
            Some((client, _)) => Ok(client),
            None => Err(AuthError::NoClient(self.found.issuer.issuer.clone())),
        }
    }

    /// The user logs in and consents; the code that comes back is redeemed.
    async fn by_user(mut self, key: Option<SigningKey>) -> Result<Grant, AuthError> {
        let issuer = &self.found.issuer;
        let methods = &issuer.code_challenge_methods_supported;
        if !self.found.is_guessed && !methods.iter().any(|method| method == pkce::METHOD) {
            return Err(AuthError::NoPkce(issuer.issuer.clone()));
        }
        let page = page(issuer.authorization_endpoint.as_deref())?;
        if issuer.token_endpoint.is_none() {
            return Err(AuthError::NoEndpoint("token_endpoint"));
        }
        if !self.scopes.is_empty() && issuer.scopes_supported.iter().any(|scope| scope == OFFLINE) {
            self.scopes = self.scopes.union(&OFFLINE.into());
        }
        let Prepared { client, origin, visit } = registration::prepare(self.settings, self.found).await?;
        let granted = self.by_client(page, &client, visit, key).await;
        // A server that does not know the client, or not any more, may say so, or show a page of its own that leads nowhere.
        if let Err(error) = &granted
            && matches!(origin, ClientOrigin::Registering | ClientOrigin::Remembered)
            && (error.is_of_client() || matches!(error, AuthError::TimedOut))
        {
            registration::forget(self.settings, &issuer.issuer, &client.id).await?;
        }
        granted
    }

    /// Brings the user to the page, and redeems what they bring back.
    async fn by_client(
        &self,
        page: Url,
        client: &KnownClient,
        visit: Box<dyn Visit>,
        key: Option<SigningKey>,
    ) -> Result<Grant, AuthError> {
        let issuer = &self.found.issuer;
        let (verifier, state) = (Verifier::random()?, Secret::random()?);
        let redirect_uri = visit.redirect_uri().to_owned();
        let url = self.request(page, client, &redirect_uri, &verifier, &state);
        self.settings.observer.tell(AuthEvent::Visiting {
            page: shown(&url),
            scopes: self.scopes.clone(),
            redirect_uri: redirect_uri.clone(),
        });
        let answer = visit.visit(Page { url, state: state.clone() }).await?;
        let names_itself = issuer.authorization_response_iss_parameter_supported;
        let code = Expected { state: &state, issuer: &issuer.issuer, names_itself }.code(&answer)?;
        self.settings.observer.tell(AuthEvent::CameBack);
        let form = vec![
            ("grant_type", "authorization_code".to_owned()),
            ("code", code.expose().to_owned()),
            ("redirect_uri", redirect_uri),
            ("code_verifier", verifier.expose().to_owned()),
        ];
        self.redeem(client, form, false, key).await
    }

    /// Makes the address of the login page.
    fn request(
        &self,
        mut page: Url,
        client: &KnownClient,
        redirect_uri: &str,
        verifier: &Verifier,
        state: &Secret,
    ) -> Url {
        page.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &client.id)
            .append_pair("redirect_uri", redirect_uri)
            .append_pair("state", state.expose())
            .append_pair("code_challenge", verifier.challenge().as_str())
            .append_pair("code_challenge_method", pkce::METHOD)
            .append_pair("resource", &self.found.resource);
        if !self.scopes.is_empty() {
            page.query_pairs_mut().append_pair("scope", &self.scopes.to_string());
        }
        page
    }

    async fn redeem(
        &self,
        client: &KnownClient,
        mut form: Vec<(&'static str, String)>,
        with_scopes: bool,
        key: Option<SigningKey>,
    ) -> Result<Grant, AuthError> {
        let issuer = &self.found.issuer;
        if let Some(given) = &self.settings.given {
            // From now on the issuer knows what the client shows.
            binding::bind(self.settings, given, &issuer.issuer).await?;
        }
        form.push(("resource", self.found.resource.clone()));
        if with_scopes && !self.scopes.is_empty() {
            form.push(("scope", self.scopes.to_string()));
        }
        let endpoint = issuer.token_endpoint.as_deref().ok_or(AuthError::NoEndpoint("token_endpoint"))?;
        let (settings, audience) = (self.settings, issuer.issuer.as_str());
        let tokens = TokenRequest { settings, endpoint, audience, client, form, key: key.as_ref() }.tokens().await?;
        self.granted(client, tokens, key)
    }

    fn granted(&self, client: &KnownClient, tokens: Tokens, key: Option<SigningKey>) -> Result<Grant, AuthError> {
        let mut grant = Grant {
            server: self.server.to_owned(),
            resource: self.found.resource.clone(),
            issuer: self.found.issuer.clone(),
            client: client.clone(),
            access: Secret::new(""),
            refresh: None,
            requested: self.scopes.clone(),
            scopes: self.scopes.clone(),
            expires_at: None,
            renew_at: None,
            key: key.as_ref().map(write_key),
        };
        let is_bound = tokens.is_bound();
        grant.take(self.settings, tokens)?;
        let is_renewable = grant.refresh.is_some();
        if !is_bound && (self.needs_binding || self.found.needs_binding || self.settings.binding == Binding::Always) {
            return Err(AuthError::BadToken("it is not bound to a key"));
        }
        let (scopes, now) = (grant.scopes.clone(), self.settings.clock.now());
        let expires_in = grant.expires_at.map(|at| at.saturating_sub(now));
        self.settings.observer.tell(AuthEvent::Issued { scopes, expires_in, is_renewable, is_bound });
        Ok(grant)
    }
}

impl Grant {
    /// Takes what a token endpoint answered.
    pub(super) fn take(&mut self, settings: &Settings, tokens: Tokens) -> Result<(), AuthError> {
        let is_bearer = tokens.token_type.is_empty() || tokens.token_type.eq_ignore_ascii_case("Bearer");
        match (is_bearer, tokens.is_bound(), &self.key) {
            (true, ..) => self.key = None,
            (false, true, Some(_)) => {}
            _ => return Err(AuthError::BadToken("the type of the token is not known")),
        }
        let now = settings.clock.now();
        self.expires_at = tokens.expires_in.map(|life| now.saturating_add(life));
        // Half a minute before its end, or a fifth of its life if that is shorter.
        self.renew_at = tokens.expires_in.map(|life| now.saturating_add(life.saturating_sub((life / 5).min(30))));
        if let Some(scopes) = tokens.scopes() {
            self.scopes = scopes;
        }
        self.access = tokens.access_token;
        // Without a new one the old one stays good (RFC 6749, section 6).
        self.refresh = tokens.refresh_token.or_else(|| self.refresh.take());
        Ok(())
    }
}

fn bearer(assertion: &Secret) -> Vec<(&'static str, String)> {
    vec![("grant_type", JWT_BEARER.to_owned()), ("assertion", assertion.expose().to_owned())]
}

/// Reads the address of a login page. Users are sent there, so it has to be one that is safe to open: `https`, or `http` on this
/// machine.
fn page(endpoint: Option<&str>) -> Result<Url, AuthError> {
    let text = endpoint.ok_or(AuthError::NoEndpoint("authorization_endpoint"))?;
    let bad = |source| bad_endpoint("authorization_endpoint", source);
    let url = Url::parse(text).map_err(|_| bad(FetchError::Refused("not a URL")))?;
    Reach::Desktop.check_url(&url).map_err(|why| bad(why.into()))?;
    if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
        return Err(bad(FetchError::Refused("user information or a fragment in the URL")));
    }
    Ok(url)
}

fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-060, T-061: only addresses that are safe to open are opened. SEC-028, SEC-029, SEC-030, SEC-034, AUTH-104
    #[test]
    fn only_web_pages_are_opened() {
        for bad in [
            "javascript:alert(1)",
            "data:text/html,<script>alert(1)</script>",
            "file:///etc/passwd",
            "vbscript:x",
            "about:blank",
            "blob:https://a.example/x",
            "chrome://settings",
            "ms-msdt:/id",
            "smb://a.example/x",
            "ftp://a.example/",
            "ssh://a.example",
            "mailto:a@b.example",
            "http://a.example/authorize",
            "https://user:password@a.example/",
            "https://a.example/#x",
            "https://169.254.169.254/",
            "-flag",
            "/authorize",
            "",
        ] {
            assert!(page(Some(bad)).is_err(), "{bad}");
        }
        for good in ["https://a.example/authorize?x=1", "http://localhost:3000/authorize", "http://127.0.0.1:3000/"] {
            assert!(page(Some(good)).is_ok(), "{good}");
        }
    }
}
