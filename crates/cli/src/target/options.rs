//! The options that all commands have that use a server.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use jackfield::protocol::{LoggingLevel, Revision};
use jackfield_host::{CommandTarget, Header, Reach, UrlTarget};

use super::header_value::expanded_header;
use super::{Consent, Target, config};
use crate::failure::Failure;
use crate::show::one_line;

/// How to reach the server and talk to it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server options")]
pub(crate) struct ServerOptions {
    /// The command that starts the server, instead of TARGET
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    /// Look the name up in this file only
    ///
    /// Without it, a name is looked up in jackfield/mcp.json of the user's configuration directory, and in mcp.json, .mcp.json,
    /// .vscode/mcp.json and .cursor/mcp.json of the working directory, in this order. You are asked once before an entry of the
    /// working directory is used.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Use a server of the working directory's files without asking, this time; for scripts
    #[arg(long)]
    approve: bool,
    /// Use this revision of the protocol and no other
    #[arg(long, value_name = "DATE")]
    pub(crate) revision: Option<Revision>,
    /// Send this header to a server at a URL; can be given several times
    ///
    /// A variable in the value is replaced: 'Authorization: Bearer $TOKEN' in single quotes keeps the token out of the shell's
    /// history and of the list of processes. $$ is a dollar sign.
    #[arg(long, value_name = "NAME: VALUE")]
    header: Vec<String>,
    /// Trust the certificate authorities in this PEM file too, for a server at an https URL
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_file: Option<PathBuf>,
    /// Set a variable for a server that is started, or pass one on; can be given several times
    ///
    /// Without it the server gets PATH, HOME and a few other harmless variables, and those that its mcp.json names.
    #[arg(long, value_name = "NAME[=VALUE]")]
    env: Vec<String>,
    /// Start the server in this directory
    #[arg(long, value_name = "DIRECTORY")]
    cwd: Option<PathBuf>,
    /// Tell the server that it may work in this directory; can be given several times
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) root: Vec<PathBuf>,
    /// How long to wait for an answer, such as 30, 500ms or 2m; progress starts it anew
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// Fill in this field when the server asks for it in a form; can be given several times
    ///
    /// On a terminal the remaining fields are asked for. Without a terminal the form is declined if a required field is missing.
    #[arg(long, value_name = "FIELD=VALUE")]
    pub(crate) answer: Vec<String>,
    /// Answer with this text when the server asks for a model's answer (sampling)
    #[arg(long, value_name = "TEXT")]
    pub(crate) reply: Option<String>,
    /// Show log messages of the server from this level on: debug, info, notice, warning, error, critical, alert, emergency
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    pub(crate) log: Option<LoggingLevel>,
    /// Record every message in both directions on this tape, or go on with it; `jackfield tape` shows it
    #[arg(long, value_name = "FILE")]
    pub(crate) tape: Option<PathBuf>,
    /// Write JSON, as the protocol has it
    #[arg(long)]
    pub(crate) json: bool,
    /// Show messages in both directions and what the server writes to standard error
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

impl ServerOptions {
    /// Finds out which server is meant. Unless it is a command, the first of `words` says so, and is taken away.
    pub(crate) async fn target(&self, words: &mut Vec<String>) -> Result<Target, Failure> {
        let environment = |name: &str| std::env::var(name).ok();
        let mut target = match self.command.split_first() {
            Some((program, arguments)) => {
                let mut command = CommandTarget::new(program.clone());
                command.arguments = arguments.to_vec();
                Target { label: shortened(&command.line()), file: None, reach: Reach::Command(command) }
            }
            None if words.is_empty() => return Err(no_target()),
            None => self.named(words.remove(0), &environment).await?,
        };
        match &mut target.reach {
            Reach::Url(url) => self.add_to_url(url, &environment)?,
            Reach::Command(command) => self.add_to_command(command)?,
        }
        Ok(target)
    }

    /// Whether the server is given by its command.
    pub(crate) fn has_command(&self) -> bool {
        !self.command.is_empty()
    }

    async fn named(&self, word: String, environment: &dyn Fn(&str) -> Option<String>) -> Result<Target, Failure> {
        if word.contains("://") {
            let reach = Reach::Url(UrlTarget { url: word.clone(), headers: Vec::new() });
            return Ok(Target { label: word, file: None, reach });
        }
        let found = config::find(&word, self.config.as_deref(), &Consent::new(self.approve), environment).await?;
        Ok(Target { label: word, file: Some(found.file), reach: found.reach })
    }

    fn add_to_url(&self, url: &mut UrlTarget, environment: &dyn Fn(&str) -> Option<String>) -> Result<(), Failure> {
        if !self.env.is_empty() || self.cwd.is_some() {
            return Err(Failure::usage("--env and --cwd are for servers that are started, but this one has a URL"));
        }
        for header in &self.header {
            // The text itself may hold a secret, so it is not repeated.
            let (name, value) = header
                .split_once(':')
                .ok_or_else(|| Failure::usage("a header has no colon").hint("write --header 'Name: value'"))?;
            let name = name.trim();
            let value = expanded_header(value.trim(), environment)
                .map_err(|what| Failure::usage(format!("the header {name} {what}")))?;
            let header = Header::new(name.to_owned(), value).map_err(|error| Failure::usage(error.to_string()))?;
            // What the command line says wins over what a file says.
            url.headers.retain(|known| !known.name().eq_ignore_ascii_case(name));
            url.headers.push(header);
        }
        Ok(())
    }

    fn add_to_command(&self, command: &mut CommandTarget) -> Result<(), Failure> {
        if self.ca_file.is_some() {
            return Err(Failure::usage("--ca-file is for servers at a URL, but this one is started by a command"));
        }
        if !self.header.is_empty() {
            return Err(Failure::usage("--header is for servers at a URL, but this one is started by a command")
                .hint("give it what it needs with --env NAME"));
        }
        for variable in &self.env {
            match variable.split_once('=') {
                Some(("", _)) => return Err(Failure::usage("--env needs the name of a variable")),
                Some((name, value)) => command.variables.push((name.into(), value.into())),
                None if std::env::var_os(variable).is_none() => {
                    return Err(Failure::usage(format!("the environment variable {variable} is not set"))
                        .hint(format!("write --env {variable}=VALUE to set it")));
                }
                None => command.inherited.push(variable.into()),
            }
        }
        if let Some(directory) = &self.cwd {
            command.directory = Some(directory.clone());
        }
        Ok(())
    }
}

/// A command may be a whole script; its beginning names it well enough.
fn shortened(line: &str) -> String {
    let line = one_line(line);
    if line.chars().count() <= 100 { line.into_owned() } else { line.chars().take(100).chain(['…']).collect() }
}

fn no_target() -> Failure {
    Failure::usage("no server is named")
        .hint("name one of your mcp.json, give a URL, or write the command that starts it at the end: -- COMMAND")
}

/// Reads a time span: seconds, or a number with `ms`, `s`, `m` or `h`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let factor = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("{unit:?} is no unit of time; known are ms, s, m and h")),
    };
    let seconds = number.trim().parse::<f64>().map_err(|_| format!("{number:?} is not a number"))?;
    let span = Duration::try_from_secs_f64(seconds * factor).map_err(|_| "is out of range".to_owned())?;
    if span.is_zero() { Err("no time at all is too little".to_owned()) } else { Ok(span) }
}

fn level(text: &str) -> Result<LoggingLevel, String> {
    let found = LoggingLevel::ALL.iter().find(|level| level.as_str() == text.to_ascii_lowercase());
    found.copied().ok_or_else(|| {
        let all: Vec<&str> = LoggingLevel::ALL.iter().map(|level| level.as_str()).collect();
        format!("known are {}", all.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_spans() {
        for (text, millis) in
            [("5", 5000), ("0.5", 500), ("250ms", 250), ("2m", 120_000), ("1h", 3_600_000), ("3s", 3000)]
        {
            assert_eq!(duration(text).unwrap().as_millis(), millis, "{text}");
        }
        for text in ["", "x", "-1", "0", "5 years", "1e30h", "NaN"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
