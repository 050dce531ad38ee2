//! The client that the official conformance suite is run against: `conformance-client URL`. The environment names the scenario and
//! the version to speak; the rest is what any user of the client would write.

mod authorization;
mod scenarios;

use anyhow::{Context, Result};
use jackfield::client::{Builder, Client, Http};
use jackfield::{ErrorObject, Revision};

#[tokio::main]
async fn main() -> Result<()> {
    let url = std::env::args().next_back().context("the URL of a server is missing")?;
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").context("no scenario is named")?;
    let version = std::env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").context("no version is named")?;
    let mut server = Http::new(&url).eras(Default::default());
    if scenario.starts_with("auth/") {
        server = server.authorizer(authorization::login(&url, &scenario)?);
    }
    let client = builder(&version).connect(server).await?;
    let outcome = scenarios::play(&client, &scenario).await;
    client.close().await;
    outcome
}

/// A client that speaks this version, with everything a scenario may ask it for.
fn builder(version: &str) -> Builder {
    let builder = Client::builder()
        .on_form(scenarios::answer_form)
        .on_sampling(|_| async { Err(ErrorObject::new(-1, "there is no model here")) })
        .roots([])
        .tasks()
        .extension(jackfield::client::skills::EXTENSION, Default::default());
    // The probe of the other era would count as a message of the scenario.
    match version.parse::<Revision>() {
        Ok(revision) if revision.has_handshake() => builder.without_revision(Revision::LATEST),
        _ => builder.modern_only(),
    }
}
