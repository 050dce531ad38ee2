//! Fetches what a URL stands for, from public addresses only unless it is told otherwise.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{CONTENT_LENGTH, LOCATION, USER_AGENT};
use http::{HeaderMap, HeaderValue, Request, Uri};
use jackfield_http::client::{Agent, AgentConfig, Answer, Error, resolve};
use jackfield_protocol::uri::percent_decode;

use super::GzipLimits;

/// The most redirects to other origins; each is checked like the first address.
const MOST_REDIRECTS: usize = 5;

/// Fetches within limits.
pub(super) struct Fetcher {
    limits: GzipLimits,
    agent: Agent,
}

impl Fetcher {
    pub(super) fn new(limits: GzipLimits) -> Self {
        let mut config = AgentConfig::default();
        config.reach = Some(limits.reach);
        // Redirects are followed here, where each is checked for its domain.
        config.redirects = 0;
        Self { limits, agent: Agent::new(config) }
    }

    /// Returns the bytes that a URL stands for. The texts of the errors are those of the original server.
    pub(super) async fn fetch(&self, url: &str) -> Result<Bytes, String> {
        let problem = |problem: String| format!("Error processing file {}: {problem}", shortened(url));
        let (scheme, rest) = url.split_once(':').unwrap_or_default();
        match scheme.to_ascii_lowercase().as_str() {
            "data" => {
                let bytes = decode(rest).ok_or_else(|| problem("the data: URL cannot be read".to_owned()))?;
                if bytes.len() > self.limits.max_size { Err(self.too_long(url)) } else { Ok(bytes.into()) }
            }
            "http" | "https" => {
                let uri = url.split('#').next().unwrap_or_default().parse::<Uri>();
                let uri = uri.map_err(|error| problem(error.to_string()))?;
                let limit = self.limits.max_time;
                tokio::time::timeout(limit, self.download(uri)).await.unwrap_or_else(|_| {
                    Err(format!("Fetching {} took more than {} ms and was aborted.", shortened(url), limit.as_millis()))
                })
            }
            _ => Err(problem(format!(
                "Unsupported URL protocol for {}. Only http, https, and data URLs are supported.",
                shortened(url)
            ))),
        }
    }

    async fn download(&self, mut uri: Uri) -> Result<Bytes, String> {
        for _ in 0..=MOST_REDIRECTS {
            let answer = self.get(&uri).await?;
            if !answer.status.is_redirection() {
                return self.read(&uri, answer).await;
            }
            let next = answer.headers.get(LOCATION).and_then(|location| resolve(&uri, location.to_str().ok()?));
            uri = next.ok_or_else(|| format!("{} leads nowhere", shortened(&uri.to_string())))?;
        }
        Err(format!("more than {MOST_REDIRECTS} redirects, the last to {}", shortened(&uri.to_string())))
    }

    async fn get(&self, uri: &Uri) -> Result<Answer, String> {
        let host = uri.host().unwrap_or_default();
        if !self.limits.allows(host) {
            let url = shortened(&uri.to_string());
            return Err(format!("Error processing file {url}: Domain {host} is not in the allowed domains list."));
        }
        let mut headers = HeaderMap::new();
        headers.insert(USER_AGENT, HeaderValue::from_static(concat!("jackfield/", env!("CARGO_PKG_VERSION"))));
        let mut request = Request::new(Bytes::new());
        *request.uri_mut() = uri.clone();
        *request.headers_mut() = headers;
        self.agent.send(request, None).await.map_err(|error| failed(uri, &error))
    }

    async fn read(&self, uri: &Uri, answer: Answer) -> Result<Bytes, String> {
        let (url, max) = (shortened(&uri.to_string()), self.limits.max_size);
        if !answer.status.is_success() {
            return Err(format!("Failed to fetch {url} - status code {}", answer.status.as_u16()));
        }
        let length = answer.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        if let Some(length) = length.filter(|length| *length > max) {
            return Err(format!("Content-Length for {url} exceeds max of {max}: {length}"));
        }
        answer.text(max).await.map_err(|error| match error.is_too_long() {
            true => self.too_long(&url),
            false => failed(uri, &error),
        })
    }

    fn too_long(&self, url: &str) -> String {
        format!("Response from {} exceeds {} bytes", shortened(url), self.limits.max_size)
    }
}

/// Says why nothing came, in the words of the last cause.
fn failed(uri: &Uri, error: &Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    format!("Failed to fetch {}: {cause}", shortened(&uri.to_string()))
}

fn shortened(url: &str) -> String {
    url.chars().take(100).collect()
}

/// Decodes what follows `data:`.
fn decode(rest: &str) -> Option<Vec<u8>> {
    let (kind, data) = rest.split_once(',')?;
    let bytes = percent_decode(data)?;
    if kind.ends_with(";base64") { STANDARD.decode(bytes).ok() } else { Some(bytes) }
}
