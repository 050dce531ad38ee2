//! A server and its authorization servers on one loopback site, as crooked as a test wants them, and a client that uses it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use http::Request;
use jackfield_auth::Clock;
use jackfield_auth::client::{AuthError, AuthEvent, Interaction, Login, MemoryStore, OAuth, Page, Visit};
use jackfield_http::client::{Agent, Boxed, Error};
use jackfield_http::fetch::{Fetch as _, FetchRequest, HttpFetch};
use serde_json::{Value, json};

use crate::site::{Hit, Site, response};

pub(crate) const NOW: u64 = 1_800_000_000;

/// What the town does, and what it saw.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// Documents by path.
    pub(crate) documents: BTreeMap<String, Value>,
    /// What the server says after `WWW-Authenticate: Bearer `, when a token is missing or wrong.
    pub(crate) challenge: String,
    /// The scopes that each request to the server needs; a token has those that were asked for with it.
    pub(crate) needs: BTreeSet<String>,
    /// Tokens that are good, with their scopes.
    pub(crate) tokens: BTreeMap<String, BTreeSet<String>>,
    /// Members of the answer of a token endpoint, over the usual ones.
    pub(crate) answer: Value,
    /// A refusal of the token endpoint.
    pub(crate) refusal: Option<&'static str>,
    /// Parameters of the answer of the login page, over the usual ones.
    pub(crate) callback: BTreeMap<String, String>,
    /// Clients that the token endpoints do not know any more.
    pub(crate) forgotten: BTreeSet<String>,
    /// The nonce that proofs have to have.
    pub(crate) nonce: Option<&'static str>,
    /// Whether no token is ever good.
    pub(crate) hates_tokens: bool,
    /// A path that cannot be served at present.
    pub(crate) broken: Option<&'static str>,
    /// A refusal of the registration endpoint.
    pub(crate) no_registration: Option<&'static str>,
    /// A kind of token that is not revoked, and the refusal.
    pub(crate) no_revocation: Option<(&'static str, &'static str)>,
    /// The queries that login pages saw, the forms that token endpoints saw, and the documents of clients.
    pub(crate) visits: Vec<BTreeMap<String, String>>,
    pub(crate) forms: Vec<BTreeMap<String, String>>,
    pub(crate) clients: Vec<Value>,
    scopes: String,
}

#[derive(Debug)]
pub(crate) struct Town {
    pub(crate) site: Site,
    state: Arc<Mutex<State>>,
    pub(crate) clock: Clock,
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) events: Arc<Mutex<Vec<AuthEvent>>>,
    agent: Agent,
}

impl Town {
    /// A town where everything is as it should be: the server is at `/mcp`, its authorization server at `/as`.
    pub(crate) async fn new() -> Self {
        let state: Arc<Mutex<State>> = Arc::default();
        let shared = state.clone();
        let site = Site::open(move |hit| shared.lock().unwrap().answer(hit)).await;
        let town = Self {
            site,
            state,
            clock: Clock::manual(NOW),
            store: Arc::default(),
            events: Arc::default(),
            agent: Agent::default(),
        };
        town.set("/.well-known/oauth-protected-resource/mcp", town.resource(&["/as"]));
        town.set("/.well-known/oauth-authorization-server/as", town.issuer("/as"));
        town
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// What the town does, for those who change it meanwhile.
    pub(crate) fn shared_state(&self) -> Arc<Mutex<State>> {
        self.state.clone()
    }

    pub(crate) fn visits(&self) -> Vec<BTreeMap<String, String>> {
        self.state().visits.clone()
    }

    pub(crate) fn forms(&self) -> Vec<BTreeMap<String, String>> {
        self.state().forms.clone()
    }

    pub(crate) fn clients(&self) -> Vec<Value> {
        self.state().clients.clone()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        self.site.url(path)
    }

    pub(crate) fn resource(&self, issuers: &[&str]) -> Value {
        let issuers: Vec<String> = issuers.iter().map(|path| self.url(path)).collect();
        json!({ "resource": self.url("/mcp"), "authorization_servers": issuers })
    }

    /// The metadata of an authorization server.
    pub(crate) fn issuer(&self, path: &str) -> Value {
        json!({
            "issuer": self.url(path),
            "authorization_endpoint": self.url(&format!("{path}/authorize")),
            "token_endpoint": self.url(&format!("{path}/token")),
            "registration_endpoint": self.url(&format!("{path}/register")),
            "code_challenge_methods_supported": ["S256"],
        })
    }

    pub(crate) fn set(&self, path: &str, document: Value) {
        self.state().documents.insert(path.to_owned(), document);
    }

    /// Changes one member of a document.
    pub(crate) fn change(&self, path: &str, member: &str, value: Value) {
        self.state().documents.get_mut(path).unwrap()[member] = value;
    }

    pub(crate) fn remove(&self, path: &str) {
        self.state().documents.remove(path).unwrap();
    }

    /// An application whose user says yes to everything.
    pub(crate) fn oauth(&self) -> OAuth {
        let events = self.events.clone();
        OAuth::new("The App")
            .shared_store(self.store.clone())
            .clock(self.clock.clone())
            .interaction(Yes(HttpFetch::desktop()))
            .observer(move |event| events.lock().unwrap().push(event.clone()))
    }

    pub(crate) fn login(&self) -> Arc<Login> {
        self.oauth().server(self.url("/mcp")).unwrap()
    }

    /// Sends a request to the server; returns the status.
    pub(crate) async fn request(&self, login: &Login) -> Result<u16, Error> {
        let request = Request::post(self.url("/mcp")).body(Bytes::from_static(b"{}")).unwrap();
        Ok(self.agent.send(request, Some(login)).await?.status.as_u16())
    }

    /// Sends a request that cannot be authorized; returns why, down to the last cause.
    pub(crate) async fn failure(&self, login: &Login) -> String {
        let error = self.request(login).await.unwrap_err();
        let mut text = String::new();
        let mut cause: Option<&dyn std::error::Error> = Some(&error);
        while let Some(next) = cause {
            text.push_str(&format!("{next}: "));
            cause = next.source();
        }
        text
    }

    pub(crate) fn paths(&self, part: &str) -> Vec<String> {
        self.site.paths().into_iter().filter(|path| path.contains(part)).collect()
    }
}

impl State {
    fn answer(&mut self, hit: &Hit) -> String {
        let (path, query) = hit.path.split_once('?').unwrap_or((&hit.path, ""));
        if self.broken == Some(path) {
            return response(500, "", "");
        }
        if let Some(document) = self.documents.get(path) {
            return response(200, "content-type: application/json\r\n", &document.to_string());
        }
        match path.rsplit('/').next().unwrap() {
            "authorize" => self.authorize(query),
            "token" => self.token(&hit.body),
            "register" => self.register(path, &hit.body),
            "revoke" => {
                let form = pairs(&hit.body);
                let refusal = self.no_revocation.filter(|(hint, _)| form["token_type_hint"] == *hint);
                self.forms.push(form);
                match refusal {
                    Some((_, error)) => response(400, "", &json!({ "error": error }).to_string()),
                    None => response(200, "", ""),
                }
            }
            "mcp" => self.serve(hit),
            _ => response(404, "", "nothing here"),
        }
    }

    fn serve(&self, hit: &Hit) -> String {
        let shown = hit.authorization.as_deref().and_then(|text| text.split_once(' '));
        let token = shown.filter(|(scheme, _)| ["Bearer", "DPoP"].contains(scheme)).map(|(_, token)| token);
        let scopes = token.and_then(|token| self.tokens.get(token)).filter(|_| !self.hates_tokens);
        let Some(scopes) = scopes else {
            return response(401, &format!("www-authenticate: Bearer {}\r\n", self.challenge), "");
        };
        if let Some(nonce) = self.nonce
            && hit.proof.as_deref().is_none_or(|proof| claims(proof)["nonce"] != nonce)
        {
            let head = format!("www-authenticate: DPoP error=\"use_dpop_nonce\"\r\ndpop-nonce: {nonce}\r\n");
            return response(401, &head, "");
        }
        if self.needs.is_subset(scopes) {
            return response(200, "content-type: application/json\r\n", "{}");
        }
        let needs: Vec<_> = self.needs.iter().map(String::as_str).collect();
        let challenge =
            format!("www-authenticate: Bearer error=\"insufficient_scope\", scope=\"{}\"\r\n", needs.join(" "));
        response(403, &challenge, "")
    }

    fn authorize(&mut self, query: &str) -> String {
        let query = pairs(query);
        self.scopes = query.get("scope").cloned().unwrap_or_default();
        let mut answer = self.callback.clone();
        answer.entry("code".to_owned()).or_insert_with(|| "the-code".to_owned());
        answer.entry("state".to_owned()).or_insert_with(|| query["state"].clone());
        let answer = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(&answer).finish();
        let location = format!("location: {}?{answer}\r\n", query["redirect_uri"]);
        self.visits.push(query);
        response(302, &location, "")
    }

    fn token(&mut self, body: &str) -> String {
        let form = pairs(body);
        let scopes = form.get("scope").unwrap_or(&self.scopes).split(' ').map(str::to_owned).collect();
        let is_forgotten = form.get("client_id").is_some_and(|id| self.forgotten.contains(id));
        self.forms.push(form);
        if let Some(error) = self.refusal.or(is_forgotten.then_some("invalid_client")) {
            return response(400, "", &json!({ "error": error, "error_description": "so it is" }).to_string());
        }
        let token = format!("token-{}", self.forms.len());
        self.tokens.insert(token.clone(), scopes);
        let mut answer = json!({ "access_token": token, "token_type": "Bearer" });
        for (name, value) in self.answer.as_object().into_iter().flatten() {
            answer[name] = match value.as_str() {
                // Each refresh token is good once.
                Some("rotated") => json!(format!("refresh-{}", self.forms.len())),
                _ => value.clone(),
            };
        }
        response(200, "", &answer.to_string())
    }

    fn register(&mut self, path: &str, body: &str) -> String {
        self.clients.push(body.parse().unwrap());
        if let Some(error) = self.no_registration {
            return response(
                400,
                "",
                &json!({ "error": error, "error_description": "not to this address" }).to_string(),
            );
        }
        let id = format!("client-{}-of{}", self.clients.len(), path.trim_end_matches("/register").replace('/', "-"));
        response(201, "", &json!({ "client_id": id }).to_string())
    }
}

fn pairs(text: &str) -> BTreeMap<String, String> {
    url::form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

/// What a signed text says.
pub(crate) fn claims(text: &str) -> Value {
    use base64::Engine as _;
    let payload = text.split('.').nth(1).unwrap();
    serde_json::from_slice(&base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()
}

/// A user who says yes to everything.
#[derive(Clone, Debug)]
pub(crate) struct Yes(pub(crate) HttpFetch);

impl Interaction for Yes {
    fn prepare<'a>(&'a self, wanted: Option<&'a str>) -> Boxed<'a, Result<Box<dyn Visit>, AuthError>> {
        let redirect_uri = wanted.unwrap_or("http://127.0.0.1:4000/callback/x").to_owned();
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
            Ok(answer.headers["location"].to_str().unwrap().to_owned())
        })
    }
}
