//! Compresses data into a resource.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use jackfield::protocol::{ContentBlock, Resource, ResourceContents};
use jackfield::{Cx, Handle, ResourceRegistry, Server, State, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::typescript;

/// What may be compressed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GzipLimits {
    /// The most bytes: `GZIP_MAX_FETCH_SIZE`.
    pub max_size: usize,
    /// The longest time: `GZIP_MAX_FETCH_TIME_MILLIS`.
    pub max_time: Duration,
    /// The domains, with their sub-domains: `GZIP_ALLOWED_DOMAINS`; all if empty.
    pub allowed_domains: Vec<String>,
}

impl Default for GzipLimits {
    fn default() -> Self {
        Self { max_size: 10 * 1024 * 1024, max_time: Duration::from_millis(30_000), allowed_domains: Vec::new() }
    }
}

impl GzipLimits {
    /// Reads the limits from the environment.
    ///
    /// # Errors
    /// A variable is not a number.
    pub fn from_env() -> Result<Self, String> {
        let mut limits = Self::default();
        if let Some(size) = number("GZIP_MAX_FETCH_SIZE")? {
            limits.max_size = usize::try_from(size).unwrap_or(usize::MAX);
        }
        if let Some(time) = number("GZIP_MAX_FETCH_TIME_MILLIS")? {
            limits.max_time = Duration::from_millis(time);
        }
        if let Ok(domains) = std::env::var("GZIP_ALLOWED_DOMAINS") {
            limits.allowed_domains = domains
                .split(',')
                .map(|domain| domain.trim().to_lowercase())
                .filter(|domain| !domain.is_empty())
                .collect();
        }
        Ok(limits)
    }

    fn allows(&self, host: &str) -> bool {
        let host = host.to_lowercase();
        self.allowed_domains.is_empty()
            || self.allowed_domains.iter().any(|domain| host == *domain || host.ends_with(&format!(".{domain}")))
    }
}

fn number(name: &str) -> Result<Option<u64>, String> {
    match std::env::var(name) {
        Ok(text) => text.parse().map(Some).map_err(|_| format!("{name} must be a number, not {text:?}")),
        Err(_) => Ok(None),
    }
}

/// How many archives are kept; the oldest is dropped for a new one.
const MOST_ARCHIVES: usize = 32;

/// The archives that have been made.
struct Archives {
    limits: GzipLimits,
    resources: ResourceRegistry,
    kept: Mutex<VecDeque<(String, Handle)>>,
}

impl Archives {
    /// Registers an archive, in place of an earlier one of the same name.
    fn keep(&self, listed: &Resource, contents: &ResourceContents) -> Result<(), String> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(uri, _)| *uri != listed.uri);
        while kept.len() >= MOST_ARCHIVES {
            kept.pop_front();
        }
        let contents = contents.clone();
        let handle = self
            .resources
            .insert(listed.clone(), move |_: Cx| {
                let contents = contents.clone();
                async move { contents }
            })
            .map_err(|error| error.to_string())?;
        kept.push_back((listed.uri.clone(), handle));
        Ok(())
    }
}

pub(super) fn add(server: Server, limits: GzipLimits) -> Server {
    let archives = Archives { limits, resources: server.resources(), kept: Mutex::default() };
    server.state(archives).tool(typescript::tool(gzip_file_as_resource))
}

#[derive(Clone, Copy, Deserialize, JsonSchema, serde::Serialize)]
#[serde(rename_all = "camelCase")]
enum OutputType {
    ResourceLink,
    Resource,
}

/// Compress data and offer the archive as a resource.
#[tool(
    name = "gzip-file-as-resource",
    title = "GZip File as Resource Tool",
    read_only = false,
    destructive = false,
    idempotent,
    open_world,
    blocking
)]
fn gzip_file_as_resource(
    /** The name of the archive. */
    #[default("README.md.gz".to_owned())]
    name: String,
    /** The data, as a data: URL. */
    #[default("data:text/plain,Jackfield".to_owned())]
    data: String,
    /** A link to the archive, or the archive itself. */
    #[arg(rename = "outputType")]
    #[default(OutputType::ResourceLink)]
    output_type: OutputType,
    archives: State<Archives>,
) -> Result<ContentBlock, String> {
    let bytes = fetch(&data, &archives.limits).map_err(|problem| format!("Error processing file {data}: {problem}"))?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&bytes).map_err(|error| error.to_string())?;
    let archive = encoder.finish().map_err(|error| error.to_string())?;

    let mut listed = Resource::new(format!("demo://resource/session/{}", escaped(&name)), name);
    listed.mime_type = Some("application/gzip".to_owned());
    let contents =
        ResourceContents::blob(listed.uri.clone(), STANDARD.encode(archive)).with_mime_type("application/gzip");
    archives.keep(&listed, &contents)?;
    Ok(match output_type {
        OutputType::ResourceLink => ContentBlock::link(listed),
        OutputType::Resource => ContentBlock::resource(contents),
    })
}

/// Returns the bytes that a URL stands for.
fn fetch(url: &str, limits: &GzipLimits) -> Result<Vec<u8>, String> {
    let (scheme, rest) = url.split_once(':').unwrap_or_default();
    match scheme {
        "data" => {
            let bytes = decode(rest).ok_or("the data: URL can not be read")?;
            if bytes.len() > limits.max_size {
                return Err(format!("Response from {} exceeds {} bytes", shortened(url), limits.max_size));
            }
            Ok(bytes)
        }
        "http" | "https" => {
            let host = rest.trim_start_matches('/').split(['/', ':', '?', '#']).next().unwrap_or_default();
            if !limits.allows(host) {
                return Err(format!("Domain {host} is not in the allowed domains list."));
            }
            Err("this build does not reach the network; give the data as a data: URL".to_owned())
        }
        _ => Err(format!(
            "Unsupported URL protocol for {}. Only http, https, and data URLs are supported.",
            shortened(url)
        )),
    }
}

fn shortened(url: &str) -> String {
    url.chars().take(100).collect()
}

/// Decodes what follows `data:`.
fn decode(rest: &str) -> Option<Vec<u8>> {
    let (kind, data) = rest.split_once(',')?;
    let bytes = percent_decoded(data)?;
    if kind.ends_with(";base64") { STANDARD.decode(bytes).ok() } else { Some(bytes) }
}

fn percent_decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    Some(bytes)
}

/// Escapes what may not stand in a URI.
fn escaped(name: &str) -> String {
    name.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}
