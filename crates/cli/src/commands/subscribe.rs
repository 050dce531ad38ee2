//! `jackfield subscribe`: what changes at a server, one line each.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use jackfield_client::{Client, Event, Subscription};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::failure::Failure;
use crate::session::{Persistence, with_server};
use crate::show::{Screen, one_line};
use crate::target::ServerOptions;

/// The arguments of `jackfield subscribe`.
#[derive(Debug, Args)]
#[command(
    override_usage = "jackfield subscribe [OPTIONS] TARGET [URI]...\n       \
                      jackfield subscribe [OPTIONS] [URI]... -- COMMAND [ARGUMENT]...",
    after_help = "Changes of the lists of tools, resources and prompts are always shown, and those of the resources that are named. \
It goes on until Ctrl-C, also when the server is started again or ends the subscription; that changes may have been missed is \
shown as a change. When the server stays away it ends with an error.\n\n\
Examples:\n  jackfield subscribe docs file:///README.md\n  jackfield subscribe https://example.com/mcp --json | jq --unbuffered .event"
)]
pub(crate) struct Subscribe {
    /// The server: a URL, or a name in an mcp.json; then the URIs of resources
    #[arg(value_name = "TARGET|URI")]
    words: Vec<String>,
    /// End after this many changes
    #[arg(long, value_name = "NUMBER")]
    count: Option<u64>,
    #[command(flatten)]
    server: ServerOptions,
}

impl Subscribe {
    pub(crate) async fn run(mut self, screen: &mut Screen) -> Result<ExitCode, Failure> {
        let target = self.server.target(&mut self.words).await?;
        with_server(&self.server, target, Persistence::Always, async |session| {
            let mut changes = Changes::begin(&session.client, &self.words).await?;
            warn_of_gaps(&changes.subscription, &self.words);
            let mut seen = 0;
            while self.count.is_none_or(|count| seen < count) {
                let event = changes.next().await?;
                if self.server.json {
                    screen.json_line(&as_json(&event))?;
                } else {
                    screen.page(&format!("{}\n", as_text(&event)))?;
                }
                screen.flush()?;
                seen += 1;
            }
            Ok(ExitCode::SUCCESS)
        })
        .await
    }
}

/// The first wait before a subscription that the server has ended is begun again; it doubles each time.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The changes at a server, which end only with the server.
struct Changes<'a> {
    client: &'a Client,
    uris: &'a [String],
    subscription: Subscription,
    begun: Instant,
    wait: Duration,
}

impl<'a> Changes<'a> {
    async fn begin(client: &'a Client, uris: &'a [String]) -> Result<Self, Failure> {
        let subscription = subscribed(client, uris).await?;
        Ok(Self { client, uris, subscription, begun: Instant::now(), wait: FIRST_WAIT })
    }

    /// Waits for the next change. A subscription that the server ends is begun again, and what may have been missed is a change too.
    async fn next(&mut self) -> Result<Event, Failure> {
        if let Some(event) = self.subscription.next().await {
            return Ok(event?);
        }
        if self.begun.elapsed() >= LONGEST_WAIT {
            self.wait = FIRST_WAIT;
        }
        // A client that is closed says why at once.
        if !self.client.is_closed() {
            tokio::time::sleep(self.wait).await;
        }
        self.wait = self.wait.saturating_mul(2).min(LONGEST_WAIT);
        self.subscription = subscribed(self.client, self.uris).await?;
        self.begun = Instant::now();
        Ok(Event::Reconnected)
    }
}

async fn subscribed(client: &Client, uris: &[String]) -> Result<Subscription, Failure> {
    let wanted = client.subscribe().tools().prompts().resources();
    Ok(uris.iter().fold(wanted, |wanted, uri| wanted.resource(uri)).await?)
}

/// A server may agree to less than what was asked for.
fn warn_of_gaps(changes: &Subscription, uris: &[String]) {
    let agreed = changes.acknowledged();
    let lists = [
        ("tools", agreed.tools_list_changed),
        ("prompts", agreed.prompts_list_changed),
        ("resources", agreed.resources_list_changed),
    ];
    let missing =
        lists.into_iter().filter(|(_, sent)| *sent != Some(true)).map(|(what, _)| format!("the list of {what}"));
    let known = agreed.resource_subscriptions.unwrap_or_default();
    let missing = missing.chain(uris.iter().filter(|uri| !known.contains(uri)).cloned());
    let missing: Vec<String> = missing.collect();
    if !missing.is_empty() {
        eprintln!("note: the server does not tell when these change: {}", missing.join(", "));
    }
}

fn as_text(event: &Event) -> String {
    match event {
        Event::ToolsChanged => "the list of tools changed".to_owned(),
        Event::PromptsChanged => "the list of prompts changed".to_owned(),
        Event::ResourcesChanged => "the list of resources changed".to_owned(),
        Event::ResourceUpdated(uri) => format!("{} changed", one_line(uri)),
        Event::Reconnected => "connected again; anything may have changed".to_owned(),
        _ => "something changed".to_owned(),
    }
}

fn as_json(event: &Event) -> Value {
    match event {
        Event::ToolsChanged => json!({"event": "toolsChanged"}),
        Event::PromptsChanged => json!({"event": "promptsChanged"}),
        Event::ResourcesChanged => json!({"event": "resourcesChanged"}),
        Event::ResourceUpdated(uri) => json!({"event": "resourceUpdated", "uri": uri}),
        Event::Reconnected => json!({"event": "reconnected"}),
        _ => json!({"event": "unknown"}),
    }
}

#[cfg(test)]
mod tests {
    use jackfield::transport::ByteStream;
    use jackfield::{Revision, Server};
    use tokio::task::JoinSet;

    use super::*;

    /// A server that is gone for good ends the command, which says so.
    #[tokio::test]
    async fn the_end_of_the_server_is_an_error() {
        for revision in [Revision::LATEST, Revision::LATEST_WITH_HANDSHAKE] {
            let (near, far) = ByteStream::pair(1 << 16);
            let mut serving = JoinSet::new();
            serving.spawn(Server::new("short").serve_stream(far));
            let client = Client::builder().revision(revision).over(near).await.unwrap();
            let mut changes = Changes::begin(&client, &[]).await.unwrap();
            serving.shutdown().await;
            let failure = changes.next().await.unwrap_err();
            assert!(failure.message().contains("the client is closed"), "{revision}: {}", failure.message());
        }
    }
}
