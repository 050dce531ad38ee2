//! Which path is answered by what.

use http::header::ORIGIN;
use http::{HeaderValue, Method, StatusCode};

use crate::dpop::NONCE_HEADER;
use crate::server::authorization::pages;
use crate::server::builder::AuthorizationServer;
use crate::server::requests::request::ReceivedRequest;
use crate::server::requests::respond::{self, Answer};

/// What a path stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) enum Place {
    Metadata,
    OpenId,
    Keys,
    Authorize,
    Login,
    Consent,
    Callback,
    Token,
    Register,
    Revoke,
    Introspect,
}

impl Place {
    fn methods(self) -> &'static str {
        match self {
            Self::Metadata | Self::OpenId | Self::Keys | Self::Callback => "GET, HEAD",
            Self::Authorize => "GET, POST",
            _ => "POST",
        }
    }

    /// Endpoints that pages of browsers may use from elsewhere. Those where users log in and consent are not among them.
    fn is_for_scripts(self) -> bool {
        !matches!(self, Self::Authorize | Self::Login | Self::Consent | Self::Callback | Self::Introspect)
    }
}

/// The endpoints below the issuer.
const ENDPOINTS: &[(&str, Place)] = &[
    ("/.well-known/openid-configuration", Place::OpenId),
    ("/jwks", Place::Keys),
    ("/authorize", Place::Authorize),
    ("/login", Place::Login),
    ("/consent", Place::Consent),
    ("/callback", Place::Callback),
    ("/token", Place::Token),
    ("/register", Place::Register),
    ("/revoke", Place::Revoke),
    ("/introspect", Place::Introspect),
];

impl AuthorizationServer {
    /// Returns every path that is served.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        let prefix = &self.0.prefix;
        let mut paths: Vec<String> = ENDPOINTS.iter().map(|(path, _)| format!("{prefix}{path}")).collect();
        paths.push(format!("/.well-known/oauth-authorization-server{prefix}"));
        if !prefix.is_empty() {
            paths.push(format!("/.well-known/openid-configuration{prefix}"));
        }
        paths
    }

    pub(in crate::server) fn place(&self, path: &str) -> Option<Place> {
        let prefix = self.0.prefix.as_str();
        match path.strip_prefix("/.well-known/oauth-authorization-server") {
            Some(rest) if rest == prefix => return Some(Place::Metadata),
            _ => {}
        }
        match path.strip_prefix("/.well-known/openid-configuration") {
            Some(rest) if rest == prefix => return Some(Place::OpenId),
            _ => {}
        }
        let path = path.strip_prefix(prefix)?;
        ENDPOINTS.iter().find(|(known, _)| *known == path).map(|(_, place)| *place)
    }

    /// Answers a request.
    pub(in crate::server) async fn answer(&self, request: ReceivedRequest) -> Answer {
        let Some(place) = self.place(request.parts.uri.path()) else {
            return respond::empty(StatusCode::NOT_FOUND);
        };
        let is_get = matches!(request.parts.method, Method::GET | Method::HEAD);
        let is_post = request.parts.method == Method::POST;
        match place {
            _ if request.parts.method == Method::OPTIONS && place.is_for_scripts() => preflight(place),
            Place::Metadata if is_get => respond::document(&self.metadata(), 300),
            Place::OpenId if is_get => respond::document(&self.metadata(), 300),
            Place::Keys if is_get => {
                self.0.keys.follow().await;
                respond::document(&self.0.keys.public(), 60)
            }
            Place::Authorize if is_get || is_post => self.authorize(&request).await,
            Place::Callback if is_get => self.callback(&request).await,
            Place::Login | Place::Consent if is_post && !self.is_own_form(&request) => {
                pages::problem("This does not work", "The form is one of another site.", StatusCode::FORBIDDEN)
            }
            Place::Login if is_post => self.login(&request).await,
            Place::Consent if is_post => self.consent(&request).await,
            Place::Token if is_post => self.with_nonce(self.token(&request).await),
            Place::Register if is_post => self.register(&request).await,
            Place::Revoke if is_post => self.revoke(&request).await,
            Place::Introspect if is_post => self.introspect(&request).await,
            place => {
                let mut answer = respond::empty(StatusCode::METHOD_NOT_ALLOWED);
                answer.headers_mut().insert("allow", HeaderValue::from_static(place.methods()));
                answer
            }
        }
    }

    /// Whether a form is of a page of ours, as far as the browser says.
    fn is_own_form(&self, request: &ReceivedRequest) -> bool {
        request.parts.headers.get_all(ORIGIN).iter().all(|origin| origin.as_bytes() == self.0.origin.as_bytes())
    }

    /// Tells the client the nonce of its next proof, if there are any.
    fn with_nonce(&self, mut answer: Answer) -> Answer {
        if let Some(value) = self.0.proofs.nonce().and_then(|nonce| HeaderValue::from_str(&nonce).ok()) {
            answer.headers_mut().insert(NONCE_HEADER, value);
            answer.headers_mut().insert("access-control-expose-headers", HeaderValue::from_static("dpop-nonce"));
        }
        answer
    }
}

fn preflight(place: Place) -> Answer {
    let mut answer = respond::empty(StatusCode::NO_CONTENT);
    let headers = answer.headers_mut();
    headers.insert("access-control-allow-origin", HeaderValue::from_static("*"));
    headers.insert("access-control-allow-methods", HeaderValue::from_static(place.methods()));
    let allowed = HeaderValue::from_static("authorization, content-type, dpop, mcp-protocol-version");
    headers.insert("access-control-allow-headers", allowed);
    answer
}
