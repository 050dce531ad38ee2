//! `jackfield subscribe`: what changes at a server, one line each.

use std::process::ExitCode;

use clap::Args;
use jackfield_client::{Event, Subscription};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::session::{Persistence, Session, with_server};
use crate::show::{Screen, one_line};
use crate::target::ServerOptions;

/// The arguments of `jackfield subscribe`.
#[derive(Debug, Args)]
#[command(
    override_usage = "jackfield subscribe [OPTIONS] TARGET [URI]...\n       \
                      jackfield subscribe [OPTIONS] [URI]... -- COMMAND [ARGUMENT]...",
    after_help = "Changes of the lists of tools, resources and prompts are always shown, and those of the resources that are named. \
It goes on until Ctrl-C, also when the server is started again.\n\n\
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
        let target = self.server.target(&mut self.words)?;
        with_server(&self.server, target, Persistence::Always, async |session| {
            let mut changes = subscribed(session, &self.words).await?;
            warn_of_gaps(&changes, &self.words);
            let mut seen = 0;
            while self.count.is_none_or(|count| seen < count) {
                let Some(event) = changes.next().await else { break };
                let event = event?;
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

async fn subscribed(session: &Session, uris: &[String]) -> Result<Subscription, Failure> {
    let mut wanted = session.client.subscribe().tools().prompts().resources();
    for uri in uris {
        wanted = wanted.resource(uri);
    }
    Ok(wanted.await?)
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
