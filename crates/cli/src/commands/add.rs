//! `jackfield add` and `jackfield remove`: servers in an `mcp.json`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use jackfield_host::quoted;
use serde_json::{Map, Value, json};
use url::Url;

use crate::failure::{Class, Failure};
use crate::show::{Screen, one_line};
use crate::target;
use crate::typed_line::typed_line;

/// The arguments of `jackfield add`.
#[derive(Debug, Args)]
#[command(
    override_usage = "jackfield add [OPTIONS] NAME URL\n       jackfield add [OPTIONS] NAME -- COMMAND [ARGUMENT]...",
    after_help = "A command runs with your rights whenever the server is used, so it is shown first and added only if you agree.\n\n\
The file is that of --config, or the first of the usual ones that is there, or a new mcp.json. All else in it stays as it is.\n\n\
Examples:\n  jackfield add github https://api.githubcopilot.com/mcp/\n  jackfield add demo -- jackfield serve everything\n  \
jackfield add search --env 'KEY=${SEARCH_KEY}' -- npx -y some-server"
)]
pub(crate) struct Add {
    /// What the server is to be called
    name: String,
    /// The server's URL, instead of COMMAND
    url: Option<String>,
    /// The command that starts the server
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// Set a variable for the command; can be given several times. ${NAME} in the value is replaced when the server is started
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// Write to this file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Add a command without asking; for scripts
    #[arg(long, short)]
    yes: bool,
}

/// The arguments of `jackfield remove`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  jackfield remove demo\n  jackfield remove demo --config .vscode/mcp.json")]
pub(crate) struct Remove {
    /// What the server is called
    name: String,
    /// Remove it from this file only
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Add {
    pub(crate) async fn run(self, screen: &mut Screen) -> Result<ExitCode, Failure> {
        if self.name.is_empty() || self.name.contains("://") || self.name.chars().any(char::is_control) {
            return Err(Failure::usage(format!("{:?} cannot be the name of a server", self.name)));
        }
        let file = self.config.clone().unwrap_or_else(target::file_for_new_servers);
        let server = self.server()?;
        // Nobody is asked about something that cannot be done.
        let text = target::add_to_file(&file, &self.name, &server)?;
        if !self.command.is_empty() && !self.yes {
            self.agree(&file).await?;
        }
        target::write_file(&file, &text)?;
        // What was agreed to here is not asked again when it is used.
        target::remember(&file, &self.name, &text)?;
        screen.page(&format!("{} is in {} now\n", one_line(&self.name), file.display()))?;
        screen.flush()?;
        Ok(ExitCode::SUCCESS)
    }

    /// The entry of the file.
    fn server(&self) -> Result<Value, Failure> {
        match (&self.url, self.command.split_first()) {
            (Some(url), None) if !self.env.is_empty() => {
                Err(Failure::usage("--env is for servers that are started, but this one has a URL").why(url.clone()))
            }
            (Some(url), None) => check_url(url).map(|()| json!({ "type": "http", "url": url })),
            (None, Some((program, arguments))) => {
                let mut server = Map::from_iter([("command".to_owned(), json!(program))]);
                if !arguments.is_empty() {
                    server.insert("args".to_owned(), json!(arguments));
                }
                let variables = self.env.iter().map(|pair| variable(pair)).collect::<Result<Map<_, _>, _>>()?;
                if !variables.is_empty() {
                    server.insert("env".to_owned(), variables.into());
                }
                Ok(server.into())
            }
            (Some(_), Some(_)) => Err(Failure::usage("a server has either a URL or a command, but here are both")),
            (None, None) => Err(Failure::usage("a URL or a command is missing")
                .hint(format!("jackfield add {} https://example.com/mcp", self.name))
                .hint(format!("jackfield add {} -- COMMAND", self.name))),
        }
    }

    /// Shows what would run, whole, and waits for a yes.
    async fn agree(&self, file: &Path) -> Result<(), Failure> {
        if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return Err(Failure::usage("nobody can be asked whether this command may be added")
                .why("standard input or standard error is not a terminal")
                .hint("look at the command, then say --yes"));
        }
        let answer = typed_line(self.question(file)).await?;
        match answer.trim().to_lowercase().as_str() {
            "y" | "yes" => Ok(()),
            _ => Err(Failure::new(Class::Failed, "nothing was added")),
        }
    }

    fn question(&self, file: &Path) -> String {
        // What is invisible or steers the terminal is written out, and nothing is cut off or wrapped.
        let words: Vec<_> = self.command.iter().map(|word| one_line(&quoted(word)).into_owned()).collect();
        let variables: String =
            self.env.iter().map(|pair| format!("  with {}\n", one_line(pair))).collect::<Vec<_>>().concat();
        format!(
            "The server {} would be added to {}.\nWhenever it is used, this command is run:\n\n  {}\n{variables}\n\
             It runs with your rights: it can read, change and delete your files, and use the network.\n\
             Add it only if you know what it does and trust where it comes from.\n\nAdd it? [y]es, [N]o: ",
            one_line(&self.name),
            one_line(&file.display().to_string()),
            words.join(" ")
        )
    }
}

impl Remove {
    pub(crate) fn run(self, screen: &mut Screen) -> Result<ExitCode, Failure> {
        let (file, text) = target::remove_from_file(&self.name, self.config.as_deref())?;
        target::write_file(&file, &text)?;
        screen.page(&format!("{} is no longer in {}\n", one_line(&self.name), file.display()))?;
        screen.flush()?;
        Ok(ExitCode::SUCCESS)
    }
}

fn check_url(text: &str) -> Result<(), Failure> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    match url {
        None => Err(Failure::usage(format!("{text:?} is not an http or https URL"))
            .hint("a command that starts a server comes after two dashes: jackfield add NAME -- COMMAND")),
        Some(url) if !url.username().is_empty() || url.password().is_some() => {
            Err(Failure::usage("a URL with a password in it is not kept").hint("log in instead: jackfield login URL"))
        }
        Some(_) => Ok(()),
    }
}

fn variable(pair: &str) -> Result<(String, Value), Failure> {
    match pair.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.into())),
        _ => Err(Failure::usage(format!("{pair:?} is not NAME=VALUE"))),
    }
}
