//! A protected service in memory, and what it answers.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use jackfield_auth::challenge::Challenge;
use jackfield_auth::jose::{JwkSet, SigningKey};
use jackfield_auth::resource::{Authorized, JwtVerifier, ResourceServer, ResourceServerBuilder};
use jackfield_auth::{Clock, Scopes};
use jackfield_peer::Principal;
use serde_json::{Value, json};
use tower_layer::Layer;
use tower_service::Service;

pub(crate) const ISSUER: &str = "https://auth.example.com";
pub(crate) const RESOURCE: &str = "https://mcp.example.com/mcp";
pub(crate) const NOW: u64 = 1_800_000_000;

/// A service that remembers what it saw; a path of `/needs/SCOPES` demands scopes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inner(pub(crate) Arc<Mutex<Vec<Seen>>>);

/// The headers of a request, and who sent it.
type Seen = (HeaderMap, Option<Principal>);

impl Service<Request<Bytes>> for Inner {
    type Response = Response<Bytes>;
    type Error = Infallible;
    type Future = std::future::Ready<Result<Response<Bytes>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        let (parts, _) = request.into_parts();
        if let (Some(needs), Some(authorized)) =
            (parts.uri.path().strip_prefix("/needs/"), parts.extensions.get::<Authorized>())
        {
            let needed: Scopes = needs.replace('+', " ").as_str().into();
            if !needed.is_subset(authorized.scopes()) {
                authorized.demand(&needed);
            }
        }
        let principal = parts.extensions.get::<Principal>().cloned();
        self.0.lock().unwrap().push((parts.headers, principal));
        std::future::ready(Ok(Response::new(Bytes::from_static(b"inside"))))
    }
}

/// An issuer with one key, and a service that takes its tokens.
pub(crate) struct Guarded {
    pub(crate) clock: Clock,
    pub(crate) key: SigningKey,
    pub(crate) inner: Inner,
    pub(crate) server: ResourceServer,
}

impl Guarded {
    pub(crate) fn new(change: impl FnOnce(ResourceServerBuilder) -> ResourceServerBuilder) -> Self {
        let (clock, key) = (Clock::manual(NOW), SigningKey::generate().unwrap());
        let server = change(door(&clock, &key)).build().unwrap();
        Self { clock, key, inner: Inner::default(), server }
    }

    /// Another node that takes the same tokens.
    pub(crate) fn another(
        &self,
        change: impl FnOnce(ResourceServerBuilder) -> ResourceServerBuilder,
    ) -> ResourceServer {
        change(door(&self.clock, &self.key)).build().unwrap()
    }

    /// A good token, changed.
    pub(crate) fn token(&self, changes: Value) -> String {
        self.key.sign("at+jwt", &claims(changes)).unwrap()
    }

    pub(crate) async fn send(&self, request: Request<Bytes>) -> Answer {
        pass(&self.server, &self.inner, request).await
    }

    pub(crate) async fn with_token(&self, token: &str) -> Answer {
        self.send(request(&format!("Bearer {token}"))).await
    }
}

fn door(clock: &Clock, key: &SigningKey) -> ResourceServerBuilder {
    let keys = JwkSet { keys: vec![key.public().clone()] };
    let verifier = JwtVerifier::with_clock(ISSUER, Arc::new(keys), clock.clone());
    ResourceServer::builder(RESOURCE).issuer(ISSUER, verifier).clock(clock.clone())
}

/// Sends a request through a door to what is behind it.
pub(crate) async fn pass(door: &ResourceServer, inner: &Inner, request: Request<Bytes>) -> Answer {
    let response = door.layer(inner.clone()).call(request).await.unwrap();
    let (parts, body) = response.into_parts();
    Answer { status: parts.status.as_u16(), headers: parts.headers, body }
}

pub(crate) fn request(authorization: &str) -> Request<Bytes> {
    Request::post("/mcp").header("authorization", authorization).body(Bytes::new()).unwrap()
}

/// The claims of a good token, changed; null removes one.
pub(crate) fn claims(changes: Value) -> Value {
    let mut claims = json!({
        "iss": ISSUER, "sub": "ann", "aud": RESOURCE, "client_id": "client", "scope": "read",
        "iat": NOW - 10, "exp": NOW + 600, "jti": "1",
    });
    for (name, value) in changes.as_object().unwrap() {
        claims[name] = value.clone();
        if value.is_null() {
            claims.as_object_mut().unwrap().remove(name);
        }
    }
    claims
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn challenges(&self) -> Vec<Challenge> {
        Challenge::read(self.headers.get_all("www-authenticate"))
    }

    pub(crate) fn error(&self) -> Option<String> {
        self.challenges().first()?.get("error").map(str::to_owned)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}
