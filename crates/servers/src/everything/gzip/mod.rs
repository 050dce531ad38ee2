//! Compresses data into a resource.

mod fetch;
mod limits;

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use jackfield::protocol::{ContentBlock, Resource, ResourceContents};
use jackfield::server::{Handle, ResourceRegistry};
use jackfield::{Cx, Server, State, tool};
use schemars::JsonSchema;
use serde::Deserialize;

pub use limits::GzipLimits;

use fetch::Fetcher;

/// What is compressed unless something else is given.
const DEFAULT_DATA: &str = "https://raw.githubusercontent.com/modelcontextprotocol/servers/refs/heads/main/README.md";

/// How many archives are kept; the oldest is dropped for a new one.
const MOST_ARCHIVES: usize = 32;

/// The archives that have been made.
pub(super) struct Archives {
    fetcher: Fetcher,
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
    let archives =
        Archives { fetcher: Fetcher::new(limits), resources: server.registry().resources(), kept: Mutex::default() };
    server.state(archives)
}

#[derive(Clone, Copy, Deserialize, JsonSchema, serde::Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(super) enum OutputType {
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
    open_world
)]
pub(super) async fn gzip_file_as_resource(
    /** The name of the archive. */
    #[default("README.md.gz".to_owned())]
    name: String,
    /** The data: an http, https or data URL. */
    #[schemars(extend("format" = "uri"))]
    #[default(DEFAULT_DATA.to_owned())]
    data: String,
    /** A link to the archive, or the archive itself. */
    #[arg(rename = "outputType")]
    #[default(OutputType::ResourceLink)]
    output_type: OutputType,
    archives: State<Archives>,
) -> Result<ContentBlock, String> {
    let bytes = archives.fetcher.fetch(&data).await?;
    let packed = tokio::task::spawn_blocking(move || compressed(&bytes)).await.map_err(|error| error.to_string())?;
    let archive = packed.map_err(|error| error.to_string())?;

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

fn compressed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
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
