//! Logging in without a browser, in the way each scenario wants it.

use std::sync::Arc;

use anyhow::{Context, Result};
use jackfield::Value;
use jackfield::auth::Secret;
use jackfield::auth::client::{AuthError, GivenClient, IdentityProvider, Interaction, Login, OAuth, Page, Visit};
use jackfield::auth::jose::SigningKey;
use jackfield::http::client::Boxed;
use jackfield::http::fetch::{Fetch, FetchRequest, HttpFetch};

/// The name that the suite expects of a client whose document is its name. It is never fetched.
const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";

/// Makes the login for a scenario.
pub(crate) fn login(url: &str, scenario: &str) -> Result<Arc<Login>> {
    let oauth = OAuth::new("Conformance client").interaction(Browserless(HttpFetch::desktop()));
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = if context.is_empty() { Value::Null } else { context.parse()? };
    let text = |name: &str| context[name].as_str().with_context(|| format!("the context has no {name}"));
    let given = || -> Result<GivenClient> { Ok(GivenClient::new(text("client_id")?)) };
    let oauth = match scenario {
        "auth/basic-cimd" => oauth.client_document(DOCUMENT)?,
        "auth/pre-registration" => oauth.client(given()?.secret(text("client_secret")?).issuer(text("issuer")?)),
        "auth/client-credentials-basic" => oauth.client_credentials(given()?.secret(text("client_secret")?)),
        "auth/client-credentials-jwt" => {
            oauth.client_credentials(given()?.key(SigningKey::from_pem(text("private_key_pem")?)?))
        }
        "auth/enterprise-managed-authorization" => {
            let identity = Secret::new(text("idp_id_token")?);
            let provider = IdentityProvider::new(text("idp_token_endpoint")?, text("idp_client_id")?, identity);
            oauth.client(given()?.secret(text("client_secret")?)).enterprise(provider)
        }
        "auth/wif-jwt-bearer" => oauth.client(given()?).workload_identity(Secret::new(text("valid_jwt")?)),
        _ => oauth,
    };
    Ok(oauth.server(url)?)
}

/// A user who says yes to everything: the page is asked, and where it leads is the answer.
#[derive(Clone, Debug)]
struct Browserless(HttpFetch);

impl Interaction for Browserless {
    fn prepare<'a>(&'a self, wanted: Option<&'a str>) -> Boxed<'a, Result<Box<dyn Visit>, AuthError>> {
        let redirect_uri = match wanted {
            Some(wanted) => wanted.replace("http://127.0.0.1/", "http://127.0.0.1:3999/"),
            None => "http://127.0.0.1:3999/callback".to_owned(),
        };
        let visit = Visiting { fetch: self.0.clone(), redirect_uri };
        Box::pin(std::future::ready(Ok(Box::new(visit) as Box<dyn Visit>)))
    }
}

#[derive(Debug)]
struct Visiting {
    fetch: HttpFetch,
    redirect_uri: String,
}

impl Visit for Visiting {
    fn redirect_uri(&self) -> &str {
        &self.redirect_uri
    }

    fn visit(self: Box<Self>, page: Page) -> Boxed<'static, Result<String, AuthError>> {
        Box::pin(async move {
            let mut ask = FetchRequest::get(page.url.as_str())?;
            ask.redirects = 0;
            let answer = self.fetch.fetch(ask).await?;
            let location = answer.headers.get("location").and_then(|value| value.to_str().ok());
            let nowhere = || AuthError::Interaction(format!("the page leads nowhere, status {}", answer.status));
            location.map(str::to_owned).ok_or_else(nowhere)
        })
    }
}
