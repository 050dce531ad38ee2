//! `jackfield inspect`: one page about a server.

use std::process::ExitCode;

use clap::Args;
use jackfield::protocol::{Prompt, Resource, ResourceTemplate, ServerCapabilities, Tool};

use super::{Offer, nothing_more};
use jackfield_host::Reach;

use crate::failure::Failure;
use crate::session::{Persistence, with_server};
use crate::show::{Screen, Style, columns, escaped, one_line, padded, parameters};
use crate::target::{ServerOptions, Target};

/// The arguments of `jackfield inspect`.
#[derive(Debug, Args)]
#[command(
    override_usage = "jackfield inspect [OPTIONS] TARGET\n       jackfield inspect [OPTIONS] -- COMMAND [ARGUMENT]...",
    after_help = "Examples:\n  jackfield inspect https://example.com/mcp\n  jackfield inspect -- npx -y @modelcontextprotocol/server-everything"
)]
pub(crate) struct Inspect {
    /// The server: a URL, or a name in an mcp.json
    #[arg(value_name = "TARGET")]
    words: Vec<String>,
    #[command(flatten)]
    server: ServerOptions,
}

impl Inspect {
    pub(crate) async fn run(mut self, screen: &mut Screen) -> Result<ExitCode, Failure> {
        let target = self.server.target(&mut self.words).await?;
        nothing_more(&self.words)?;
        with_server(&self.server, target, Persistence::Once, async |session| {
            let offer = Offer::of(&session.client).await?;
            if self.server.json {
                screen.json(&offer)?;
            } else {
                screen.page(&page(&offer, &session.target, screen.style()))?;
            }
            screen.flush()?;
            Ok(ExitCode::SUCCESS)
        })
        .await
    }
}

/// Lays out the page. All of it is the server's word but the target, so all of it is made harmless.
pub(super) fn page(offer: &Offer, target: &Target, style: Style) -> String {
    let mut out = head(offer, target, style);
    section(&mut out, style, "Capabilities", &style.paragraph(&capabilities(&offer.capabilities), 2));
    if let Some(instructions) = &offer.instructions {
        section(&mut out, style, "Instructions", &style.paragraph(&escaped(instructions), 2));
    }
    let count = |what: &str, count: usize| format!("{what} ({count})");
    let tools: String = offer.tools.iter().map(|one| tool(one, style)).collect();
    section(&mut out, style, &count("Tools", offer.tools.len()), &tools);
    let resources: String = offer.resources.iter().map(|one| resource(one, style)).collect();
    section(&mut out, style, &count("Resources", offer.resources.len()), &resources);
    let templates: String = offer.resource_templates.iter().map(|one| template(one, style)).collect();
    section(&mut out, style, &count("Resource templates", offer.resource_templates.len()), &templates);
    let prompts: String = offer.prompts.iter().map(|one| prompt(one, style)).collect();
    section(&mut out, style, &count("Prompts", offer.prompts.len()), &prompts);
    out
}

fn section(out: &mut String, style: Style, title: &str, text: &str) {
    if !text.is_empty() {
        out.push_str(&format!("\n{}\n{text}", style.heading(title)));
    }
}

fn head(offer: &Offer, target: &Target, style: Style) -> String {
    let (name, version, title) = match &offer.server_info {
        Some(info) => (info.name.as_str(), info.version.as_str(), info.title.as_deref()),
        None => ("a server that does not say its name", "", None),
    };
    let title = title.filter(|title| *title != name).map(|title| format!("  {}", one_line(title))).unwrap_or_default();
    let mut out = format!("{} {}{title}\n", style.heading(&one_line(name)), one_line(version));
    if let Some(revision) = offer.revision {
        let era = if revision.has_handshake() { "legacy era: handshake and session" } else { "modern era: stateless" };
        out.push_str(&format!("revision {revision} ({era})\n"));
    }
    let way = match &target.reach {
        Reach::Url(url) => format!("at {}", one_line(&url.url)),
        Reach::Command(command) => format!("started by {}", one_line(&command.line())),
    };
    out.push_str(&style.aside(&way));
    out.push('\n');
    out
}

fn capabilities(capabilities: &ServerCapabilities) -> String {
    let with = |what: &str, extras: &[(&str, Option<bool>)]| {
        let extras = extras.iter().filter(|(_, has)| *has == Some(true)).map(|(extra, _)| *extra);
        let extras = extras.collect::<Vec<_>>().join(", ");
        if extras.is_empty() { what.to_owned() } else { format!("{what} ({extras})") }
    };
    let mut words = Vec::new();
    if let Some(tools) = &capabilities.tools {
        words.push(with("tools", &[("list changes", tools.list_changed)]));
    }
    if let Some(resources) = &capabilities.resources {
        let extras = [("subscriptions", resources.subscribe), ("list changes", resources.list_changed)];
        words.push(with("resources", &extras));
    }
    if let Some(prompts) = &capabilities.prompts {
        words.push(with("prompts", &[("list changes", prompts.list_changed)]));
    }
    if capabilities.completions.is_some() {
        words.push("completions".to_owned());
    }
    if capabilities.logging.is_some() {
        words.push("logging".to_owned());
    }
    if capabilities.tasks.is_some() {
        words.push("tasks".to_owned());
    }
    for (what, names) in [("extension", &capabilities.extensions), ("experimental", &capabilities.experimental)] {
        words.extend(names.iter().flatten().map(|(name, _)| format!("{what} {}", one_line(name))));
    }
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}

fn tool(tool: &Tool, style: Style) -> String {
    let notes = tool.annotations.as_ref().map(|hints| {
        let hints = [
            ("read-only", hints.read_only_hint == Some(true)),
            ("destructive", hints.destructive_hint == Some(true) && hints.read_only_hint != Some(true)),
            ("idempotent", hints.idempotent_hint == Some(true)),
        ];
        hints.into_iter().filter(|(_, is)| *is).map(|(word, _)| word).collect::<Vec<_>>().join(", ")
    });
    let mut out = entry(&tool.name, tool.title.as_deref(), notes.as_deref(), tool.description.as_deref(), style);
    let parameters = parameters(&tool.input_schema);
    let rows = parameters.iter().map(|parameter| {
        (one_line(&parameter.name).into_owned(), one_line(&parameter.rules()).into_owned(), parameter.description())
    });
    out.push_str(&arguments(rows.collect(), style));
    out
}

fn prompt(prompt: &Prompt, style: Style) -> String {
    let mut out = entry(&prompt.name, prompt.title.as_deref(), None, prompt.description.as_deref(), style);
    let rows = prompt.arguments.iter().flatten().map(|argument| {
        let rules = if argument.required == Some(true) { "required" } else { "optional" };
        (one_line(&argument.name).into_owned(), rules.to_owned(), argument.description.as_deref())
    });
    out.push_str(&arguments(rows.collect(), style));
    out
}

fn resource(resource: &Resource, style: Style) -> String {
    let size = resource.size.map(|size| format!("{size} bytes"));
    let notes = [resource.mime_type.clone(), size].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let title = resource.title.as_deref().unwrap_or(&resource.name);
    entry(&resource.uri, Some(title), Some(&notes), resource.description.as_deref(), style)
}

fn template(template: &ResourceTemplate, style: Style) -> String {
    let title = template.title.as_deref().unwrap_or(&template.name);
    entry(&template.uri_template, Some(title), template.mime_type.as_deref(), template.description.as_deref(), style)
}

/// A line with the name, and the description below it.
fn entry(name: &str, title: Option<&str>, notes: Option<&str>, description: Option<&str>, style: Style) -> String {
    let title = title.filter(|title| *title != name).map(|title| format!("  {}", one_line(title))).unwrap_or_default();
    let notes =
        notes.filter(|notes| !notes.is_empty()).map(|notes| format!(" [{}]", one_line(notes))).unwrap_or_default();
    let mut out = format!("  {}{title}{}\n", style.name(&one_line(name)), style.aside(&notes));
    if let Some(description) = description {
        out.push_str(&style.paragraph(escaped(description).trim(), 6));
    }
    out
}

/// A table of arguments: name, rules, meaning.
fn arguments(rows: Vec<(String, String, Option<&str>)>, style: Style) -> String {
    let widest = rows.iter().map(|(name, ..)| columns(name)).max().unwrap_or(0).min(30);
    let mut out = String::new();
    for (name, rules, about) in rows {
        let about = about.map(|about| one_line(about.lines().next().unwrap_or(about)).into_owned());
        let text = match about.filter(|about| !about.is_empty()) {
            Some(about) => format!("{rules}: {about}"),
            None => rules,
        };
        let paragraph = style.paragraph(&text, widest + 8);
        out.push_str(&format!("      {}  {}", style.name(&padded(&name, widest)), paragraph.trim_start()));
    }
    out
}
