//! An authorization server in memory, and a browser that visits it.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, Request};
use http_body::Body as _;
use jackfield_auth::pkce::Verifier;
use jackfield_auth::server::{AuthorizationServer, AuthorizationServerBuilder, Client, Registration, Resource, Users};
use jackfield_auth::{Clock, Secret};
use jackfield_http::{Body, ClientAddress};
use serde_json::Value;
use tower_service::Service;

pub(crate) const ISSUER: &str = "https://auth.example.com";
pub(crate) const RESOURCE: &str = "https://mcp.example.com/mcp";
pub(crate) const REDIRECT: &str = "https://app.example/cb";
pub(crate) const NOW: u64 = 1_800_000_000;
pub(crate) const PASSWORD: &str = "correct horse battery";

/// A server with one resource, the user `ann`, the public client `app` and the service `robot`.
pub(crate) fn server(
    change: impl FnOnce(AuthorizationServerBuilder) -> AuthorizationServerBuilder,
) -> (AuthorizationServer, Clock) {
    let clock = Clock::manual(NOW);
    (change(builder(&clock)).build().unwrap(), clock)
}

/// The same before it is put together.
pub(crate) fn builder(clock: &Clock) -> AuthorizationServerBuilder {
    let users = Users::new().unwrap();
    users.add_user("ann", &Secret::new(PASSWORD)).unwrap();
    let resource = Resource::new(RESOURCE).scope("read", "Read files").scope("write", "Write files");
    AuthorizationServer::builder(ISSUER)
        .resource(resource.default_scopes("read"))
        .users(users)
        .client(Client::public("app", [REDIRECT, "http://127.0.0.1/cb"]).name("The App"))
        .client(Client::with_secret("robot", &"s3cret of the robot".into()).grants(["client_credentials"]))
        .registration(Registration::default())
        .clock(clock.clone())
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.to_vec()).unwrap()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    #[track_caller]
    pub(crate) fn location(&self) -> String {
        let location = self.headers.get("location").unwrap_or_else(|| panic!("no redirect: {self:?}"));
        location.to_str().unwrap().to_owned()
    }

    /// A parameter of the address that the browser is sent to.
    #[track_caller]
    pub(crate) fn param(&self, name: &str) -> Option<String> {
        let url = url::Url::parse(&self.location()).unwrap();
        url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    }

    /// A field of the form on the page.
    #[track_caller]
    pub(crate) fn field(&self, name: &str) -> String {
        let text = self.text();
        let start = format!("name=\"{name}\" value=\"");
        let rest = text.split(&start).nth(1).unwrap_or_else(|| panic!("no field {name}: {text}"));
        rest.split('"').next().unwrap().to_owned()
    }

    pub(crate) fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_default().to_owned()
    }
}

/// A browser, or a program, with its cookies.
#[derive(Clone)]
pub(crate) struct Visitor {
    pub(crate) server: AuthorizationServer,
    pub(crate) cookies: BTreeMap<String, String>,
    pub(crate) address: IpAddr,
    pub(crate) headers: Vec<(String, String)>,
}

impl Visitor {
    pub(crate) fn new(server: &AuthorizationServer) -> Self {
        let address = "192.0.2.1".parse().unwrap();
        Self { server: server.clone(), cookies: BTreeMap::new(), address, headers: Vec::new() }
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn basic(self, id: &str, secret: &str) -> Self {
        self.with("authorization", &format!("Basic {}", STANDARD.encode(format!("{id}:{secret}"))))
    }

    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        self.send(Request::get(path), Bytes::new()).await
    }

    /// Sends a request of any method, without a body.
    pub(crate) async fn ask(&mut self, method: http::Method, path: &str) -> Answer {
        self.send(Request::builder().method(method).uri(path), Bytes::new()).await
    }

    pub(crate) async fn post(&mut self, path: &str, form: &[(&str, &str)]) -> Answer {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let request = Request::post(path).header("content-type", "application/x-www-form-urlencoded");
        self.send(request, body.into()).await
    }

    pub(crate) async fn post_json(&mut self, path: &str, body: &Value) -> Answer {
        let request = Request::post(path).header("content-type", "application/json");
        self.send(request, body.to_string().into()).await
    }

    async fn send(&mut self, mut request: http::request::Builder, body: Bytes) -> Answer {
        if !self.cookies.is_empty() {
            let cookies: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            request = request.header("cookie", cookies.join("; "));
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let mut request = request.body(Body::full(body)).unwrap();
        request.extensions_mut().insert(ClientAddress(self.address));
        let (parts, mut body) = self.server.call(request).await.unwrap().into_parts();
        let mut text = Vec::new();
        while let Some(frame) = std::future::poll_fn(|cx| std::pin::Pin::new(&mut body).poll_frame(cx)).await {
            text.extend_from_slice(&frame.unwrap().into_data().unwrap());
        }
        for cookie in parts.headers.get_all("set-cookie") {
            let (name, rest) = cookie.to_str().unwrap().split_once('=').unwrap();
            match rest.split(';').next().unwrap() {
                "" => drop(self.cookies.remove(name)),
                value => drop(self.cookies.insert(name.to_owned(), value.to_owned())),
            }
        }
        Answer { status: parts.status.as_u16(), headers: parts.headers, body: text.into() }
    }

    pub(crate) async fn login(&mut self, page: &Answer, password: &str) -> Answer {
        self.login_as(page, "ann", password).await
    }

    pub(crate) async fn login_as(&mut self, page: &Answer, user: &str, password: &str) -> Answer {
        let (request, csrf) = (page.field("request"), page.field("csrf"));
        self.post("/login", &[("request", &request), ("csrf", &csrf), ("username", user), ("password", password)]).await
    }

    pub(crate) async fn decide(&mut self, page: &Answer, decision: &str) -> Answer {
        let (request, csrf) = (page.field("request"), page.field("csrf"));
        self.post("/consent", &[("request", &request), ("csrf", &csrf), ("decision", decision)]).await
    }

    /// Logs in and consents; returns the answer that carries the code.
    pub(crate) async fn obtain(&mut self, start: &Start) -> Answer {
        let page = self.get(&start.path()).await;
        let page = self.login(&page, PASSWORD).await;
        self.decide(&page, "allow").await
    }
}

/// An authorization request.
#[derive(Clone)]
pub(crate) struct Start {
    pub(crate) params: BTreeMap<String, String>,
    pub(crate) verifier: Arc<Verifier>,
}

impl Start {
    pub(crate) fn new() -> Self {
        let verifier = Verifier::random().unwrap();
        let challenge = verifier.challenge();
        let params = [
            ("response_type", "code"),
            ("client_id", "app"),
            ("redirect_uri", REDIRECT),
            ("state", "st&te"),
            ("scope", "read"),
            ("resource", RESOURCE),
            ("code_challenge", challenge.as_str()),
            ("code_challenge_method", "S256"),
        ];
        let params = params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self { params, verifier: Arc::new(verifier) }
    }

    /// Changes a parameter; an empty value removes it.
    pub(crate) fn set(mut self, name: &str, value: &str) -> Self {
        self.params.insert(name.to_owned(), value.to_owned());
        self
    }

    pub(crate) fn path(&self) -> String {
        let pairs = self.params.iter().filter(|(_, value)| !value.is_empty());
        format!("/authorize?{}", url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish())
    }

    /// The form that redeems a code.
    pub(crate) fn redeem<'a>(&'a self, code: &'a str) -> Vec<(&'a str, &'a str)> {
        vec![
            ("grant_type", "authorization_code"),
            ("client_id", &self.params["client_id"]),
            ("code", code),
            ("redirect_uri", &self.params["redirect_uri"]),
            ("code_verifier", self.verifier.expose()),
            ("resource", RESOURCE),
        ]
    }
}
