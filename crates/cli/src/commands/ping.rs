//! `jackfield ping`: whether a server lives.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use super::nothing_more;
use crate::failure::Failure;
use crate::session::{Persistence, with_server};
use crate::show::{Screen, one_line};
use crate::target::ServerOptions;

/// The arguments of `jackfield ping`.
#[derive(Debug, Args)]
#[command(
    override_usage = "jackfield ping [OPTIONS] TARGET\n       jackfield ping [OPTIONS] -- COMMAND [ARGUMENT]...",
    after_help = "The newest revision has no ping; such a server is asked what it is instead.\n\n\
Examples:\n  jackfield ping https://example.com/mcp --timeout 5\n  jackfield ping -- jackfield serve everything"
)]
pub(crate) struct Ping {
    /// The server: a URL, or a name in an mcp.json
    #[arg(value_name = "TARGET")]
    words: Vec<String>,
    #[command(flatten)]
    server: ServerOptions,
}

impl Ping {
    pub(crate) async fn run(mut self, screen: &mut Screen) -> Result<ExitCode, Failure> {
        let target = self.server.target(&mut self.words).await?;
        nothing_more(&self.words)?;
        with_server(&self.server, target, Persistence::Once, async |session| {
            let begun = Instant::now();
            session.client.ping().await?;
            let answered = begun.elapsed();
            let facts = session.client.server();
            let info = facts.as_deref().and_then(|facts| facts.info.as_ref());
            let revision = session.client.revision();
            if self.server.json {
                screen.json(&json!({
                    "serverInfo": info, "revision": revision,
                    "connectMs": millis(session.connected_in), "pingMs": millis(answered),
                }))?;
            } else {
                let name = info.map_or_else(|| "the server".into(), |info| one_line(&info.name));
                let revision = revision.map(|revision| format!(", revision {revision}")).unwrap_or_default();
                screen.page(&format!(
                    "{name} answered in {} ms (connected in {} ms{revision})\n",
                    millis(answered),
                    millis(session.connected_in)
                ))?;
            }
            screen.flush()?;
            Ok(ExitCode::SUCCESS)
        })
        .await
    }
}

/// Milliseconds with one decimal.
fn millis(span: Duration) -> f64 {
    (span.as_secs_f64() * 10_000.0).round() / 10.0
}
