//! Clients whose name is the URL of a document about them (client ID metadata documents).

use std::sync::Arc;
use std::time::Duration;

use http::header::CONTENT_TYPE;
use jackfield_http::fetch::{Document, Fetch, FetchRequest, Reach};
use parking_lot::Mutex;
use serde::Deserialize;
use url::Url;

use crate::Clock;
use crate::clock::ExpiringMap;
use crate::metadata::{ClientMetadata, Redirects};
use crate::server::oauth_clients::client::{Client, Origin};
use crate::server::oauth_clients::registration;

/// Fetches the documents of clients, and keeps them as long as HTTP allows, within bounds. Failures are not kept.
#[derive(Debug)]
pub(in crate::server) struct Documents {
    fetch: Arc<dyn Fetch>,
    clock: Clock,
    redirects: Redirects,
    known: Mutex<ExpiringMap<String, Client>>,
}

const KNOWN: usize = 1000;
/// The longest document, in bytes.
pub(in crate::server) const LARGEST: usize = 16 * 1024;
const DEADLINE: Duration = Duration::from_secs(5);
/// For how long a document is kept that does not say, and at most.
const USUAL_LIFE: u64 = 3600;
const LONGEST_LIFE: u64 = 86_400;

#[derive(Deserialize)]
struct Named {
    client_id: String,
    #[serde(default)]
    client_secret: Option<serde::de::IgnoredAny>,
}

impl Documents {
    pub(in crate::server) fn new(fetch: Arc<dyn Fetch>, clock: Clock, redirects: Redirects) -> Self {
        Self { fetch, clock, redirects, known: Mutex::new(ExpiringMap::new(KNOWN)) }
    }

    pub(in crate::server) async fn client(&self, id: &str) -> Result<Client, &'static str> {
        let now = self.clock.now();
        if let Some(client) = self.known.lock().get(id, now) {
            return Ok(client.clone());
        }
        check_name(id)?;
        let mut ask = FetchRequest::get(id).map_err(|_| "the client id is no address of a document")?;
        (ask.limit, ask.deadline, ask.redirects) = (LARGEST, DEADLINE, 0);
        let fetched = tokio::time::timeout(DEADLINE, self.fetch.fetch(ask)).await;
        let document = fetched.map_err(|_| "the client's document took too long")?;
        let document = document.and_then(Document::success).map_err(|error| {
            tracing::debug!(%error, "a client's document could not be fetched");
            "the client's document could not be fetched"
        })?;
        let client = read(id, &document, self.redirects)?;
        let life = document.max_age().map_or(USUAL_LIFE, |age| age.as_secs().min(LONGEST_LIFE));
        if life > 0 {
            let until = now.saturating_add(life);
            self.known.lock().insert(id.to_owned(), client.clone(), until, now);
        }
        Ok(client)
    }
}

/// The name has to be an `https` URL with a path, in its one spelling, that a stranger may make us fetch.
fn check_name(id: &str) -> Result<(), &'static str> {
    let bad = "the client id is no address of a document";
    let url = Url::parse(id).map_err(|_| bad)?;
    let is_sound = id.len() <= 2048
        && url.as_str() == id
        && url.scheme() == "https"
        && url.path().len() > 1
        && url.fragment().is_none()
        && !id.contains('#')
        && url.username().is_empty()
        && url.password().is_none();
    if is_sound && Reach::Public.check_url(&url).is_ok() { Ok(()) } else { Err(bad) }
}

fn read(id: &str, document: &Document, redirects: Redirects) -> Result<Client, &'static str> {
    let kind = document.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if !(kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))) {
        return Err("the client's document is not JSON");
    }
    if document.body.len() > LARGEST {
        return Err("the client's document is too large");
    }
    let bad = |_| "the client's document lacks what it must have";
    let named: Named = document.json().map_err(bad)?;
    let metadata: ClientMetadata = document.json().map_err(bad)?;
    if named.client_id != id {
        return Err("the client's document is about another client");
    }
    // A document that everybody reads can hold no secret.
    let method = metadata.token_endpoint_auth_method.as_deref().unwrap_or("none");
    if named.client_secret.is_some() || !matches!(method, "none" | "private_key_jwt") {
        return Err("the client's document speaks of a secret");
    }
    if metadata.client_name.as_deref().is_none_or(str::is_empty) {
        return Err("the client's document lacks what it must have");
    }
    let method = method.to_owned();
    let metadata = ClientMetadata { token_endpoint_auth_method: Some(method), ..metadata };
    // Many servers read the document, so it may list more kinds of grants than a client like it gets here.
    let metadata = registration::accepted(metadata, redirects).map_err(|error| error.description)?;
    Ok(Client { id: id.to_owned(), metadata, secret: None, origin: Origin::Document, issued_at: 0 })
}
