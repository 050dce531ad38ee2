//! `jackfield list`: what a server has, one thing per line.

use std::process::ExitCode;

use clap::Args;
use jackfield::protocol::{Prompt, Resource, ResourceTemplate, Tool};
use serde::Serialize;

use super::nothing_more;
use super::offer::all;
use crate::failure::Failure;
use crate::session::{Persistence, Session, with_server};
use crate::show::{Screen, Style, columns, one_line, padded};
use crate::target::ServerOptions;

/// The arguments of `jackfield list`.
#[derive(Debug, Args)]
#[command(
    override_usage = "jackfield list [OPTIONS] TARGET [tools|resources|templates|prompts]...\n       \
                      jackfield list [OPTIONS] [tools|resources|templates|prompts]... -- COMMAND [ARGUMENT]...",
    after_help = "Examples:\n  jackfield list github tools\n  jackfield list resources templates --json -- my-server"
)]
pub(crate) struct List {
    /// The server: a URL, or a name in an mcp.json; then what to list, everything if nothing is named
    #[arg(value_name = "TARGET|KIND")]
    words: Vec<String>,
    #[command(flatten)]
    server: ServerOptions,
}

/// What servers list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Tools,
    Resources,
    Templates,
    Prompts,
}

const KINDS: [(&str, Kind); 4] = [
    ("tools", Kind::Tools),
    ("resources", Kind::Resources),
    ("templates", Kind::Templates),
    ("prompts", Kind::Prompts),
];

/// What was listed; what was not asked for is left out.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Lists {
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<Tool>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resources: Option<Vec<Resource>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_templates: Option<Vec<ResourceTemplate>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompts: Option<Vec<Prompt>>,
}

impl List {
    pub(crate) async fn run(mut self, screen: &mut Screen) -> Result<ExitCode, Failure> {
        // Both orders can be told apart, so both are understood.
        let (mut kinds, mut words): (Vec<String>, Vec<String>) =
            self.words.drain(..).partition(|word| kind(word).is_some());
        if words.is_empty() && !self.server.has_command() && kinds.len() > 1 {
            // A server may be called like a kind; then it stands first.
            words.push(kinds.remove(0));
        }
        let target = self.server.target(&mut words).await?;
        nothing_more(&words).map_err(|failure| failure.hint("known are tools, resources, templates and prompts"))?;
        let mut kinds: Vec<Kind> = kinds.iter().filter_map(|word| kind(word)).collect();
        if kinds.is_empty() {
            kinds = KINDS.iter().map(|(_, kind)| *kind).collect();
        }
        with_server(&self.server, target, Persistence::Once, async |session| {
            let lists = lists(session, &kinds).await?;
            if self.server.json {
                screen.json(&lists)?;
            } else {
                screen.page(&page(&lists, screen.style()))?;
            }
            screen.flush()?;
            Ok(ExitCode::SUCCESS)
        })
        .await
    }
}

fn kind(word: &str) -> Option<Kind> {
    KINDS.iter().find(|(name, _)| *name == word).map(|(_, kind)| *kind)
}

async fn lists(session: &Session, kinds: &[Kind]) -> Result<Lists, Failure> {
    let client = &session.client;
    let mut lists = Lists::default();
    for kind in kinds {
        match kind {
            Kind::Tools => lists.tools = Some(all(client.tools()).await?),
            Kind::Resources => lists.resources = Some(all(client.resources()).await?),
            Kind::Templates => lists.resource_templates = Some(all(client.resource_templates()).await?),
            Kind::Prompts => lists.prompts = Some(all(client.prompts()).await?),
        }
    }
    Ok(lists)
}

/// Lays out the lists: a name, and what it is. Several lists have headings.
fn page(lists: &Lists, style: Style) -> String {
    let rows = |name: &str, about: Option<&str>| {
        (
            one_line(name).into_owned(),
            about.and_then(|about| about.trim().lines().next()).map(|about| one_line(about).into_owned()),
        )
    };
    let tables = [
        (
            "Tools",
            lists.tools.as_ref().map(|tools| {
                tools
                    .iter()
                    .map(|tool| rows(&tool.name, tool.description.as_deref().or(tool.title.as_deref())))
                    .collect::<Vec<_>>()
            }),
        ),
        (
            "Resources",
            lists.resources.as_ref().map(|resources| {
                resources.iter().map(|one| rows(&one.uri, one.description.as_deref().or(Some(&one.name)))).collect()
            }),
        ),
        (
            "Resource templates",
            lists.resource_templates.as_ref().map(|templates| {
                templates
                    .iter()
                    .map(|one| rows(&one.uri_template, one.description.as_deref().or(Some(&one.name))))
                    .collect()
            }),
        ),
        (
            "Prompts",
            lists.prompts.as_ref().map(|prompts| {
                prompts.iter().map(|one| rows(&one.name, one.description.as_deref().or(one.title.as_deref()))).collect()
            }),
        ),
    ];
    let tables: Vec<_> = tables.into_iter().filter_map(|(title, rows)| rows.map(|rows| (title, rows))).collect();
    let mut out = String::new();
    let several = tables.len() > 1;
    for (title, rows) in tables.into_iter().filter(|(_, rows)| !several || !rows.is_empty()) {
        if several {
            let gap = if out.is_empty() { "" } else { "\n" };
            out.push_str(&format!("{gap}{}\n", style.heading(title)));
        }
        out.push_str(&table(&rows, style));
    }
    out
}

fn table(rows: &[(String, Option<String>)], style: Style) -> String {
    let widest = rows.iter().map(|(name, _)| columns(name)).max().unwrap_or(0).min(48);
    let mut out = String::new();
    for (name, about) in rows {
        let line = match about.as_deref().filter(|about| !about.is_empty()) {
            Some(about) => {
                let used = columns(name).max(widest) + 2;
                format!("{}  {}", style.name(&padded(name, widest)), style.cut(about, used))
            }
            None => style.name(name),
        };
        out.push_str(&line);
        out.push('\n');
    }
    out
}
