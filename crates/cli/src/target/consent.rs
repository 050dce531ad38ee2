//! A person's consent to what a project's file asks for.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use jackfield_host::{Approvals, ConfigFile, EntrySummary, quoted};

use super::config::user_folder;
use crate::failure::{Class, Failure};
use crate::show::one_line;
use crate::typed_line::typed_line;

/// Whether entries of project files may be used.
#[derive(Debug)]
pub(crate) struct Consent {
    /// The command line says yes to all of them, this time.
    given: bool,
}

impl Consent {
    pub(crate) fn new(given: bool) -> Self {
        Self { given }
    }

    /// Returns once a person has agreed to this entry, now or earlier. Without a terminal only an earlier yes counts.
    pub(super) async fn ask(&self, servers: &ConfigFile, file: &Path, name: &str) -> Result<(), Failure> {
        let (Some(digest), Some(summary)) = (servers.digest(file, name), servers.summary(name)) else { return Ok(()) };
        if self.given {
            return Ok(());
        }
        let approvals = approvals();
        if let Some(approvals) = &approvals
            && approvals.contains(&digest).map_err(|error| unusable(&error))?
        {
            return Ok(());
        }
        let refused = |message: String| Failure::new(Class::Usage, message);
        if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return Err(refused(format!("nobody has agreed to the server {name:?} of {}", file.display()))
                .why("a project's file decides what it runs and which variables it reads, so a person is asked once; here is no terminal")
                .hint(format!("look at it, then run on a terminal: jackfield inspect {name}"))
                .hint("or say --approve, for scripts"));
        }
        let answer = typed_line(question(&summary, file, name)).await?;
        if !matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
            return Err(refused(format!("the server {name:?} of {} is not used", file.display())));
        }
        match approvals {
            Some(approvals) => approvals.record(&digest).map_err(|error| unusable(&error)),
            None => Ok(()),
        }
    }
}

/// Remembers that a person has agreed to a server which was just written to a file.
pub(crate) fn remember(file: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let digest = ConfigFile::parse(text).ok().and_then(|servers| servers.digest(file, name));
    match (approvals(), digest) {
        (Some(approvals), Some(digest)) => approvals.record(&digest).map_err(|error| unusable(&error)),
        _ => Ok(()),
    }
}

fn approvals() -> Option<Approvals> {
    let folder = user_folder(&|name| std::env::var(name).ok())?;
    Some(Approvals::at(folder.join("jackfield").join("approved.jsonl")))
}

fn unusable(error: &std::io::Error) -> Failure {
    let path = user_folder(&|name| std::env::var(name).ok()).map(|folder| folder.join("jackfield/approved.jsonl"));
    let path = path.unwrap_or_else(|| PathBuf::from("approved.jsonl"));
    Failure::new(Class::Failed, format!("{} cannot be used", path.display())).why(error.to_string())
}

/// Shows all of what would happen. What is invisible or steers the terminal is written out, and nothing is cut off.
fn question(entry: &EntrySummary, file: &Path, name: &str) -> String {
    let mut lines =
        vec![format!("The server {} of {} is new, or has changed.", one_line(name), shown(file)), String::new()];
    let words: Vec<_> = entry.words.iter().map(|word| one_line(&quoted(word.as_ref())).into_owned()).collect();
    if entry.is_command {
        lines.push("Whenever it is used, this command is run:".to_owned());
    } else {
        lines.push("Whenever it is used, requests are sent to:".to_owned());
    }
    lines.extend([String::new(), format!("  {}", words.join(" "))]);
    lines.extend(entry.env.iter().map(|(name, value)| format!("  with {}={}", one_line(name), one_line(value))));
    lines.extend(entry.env_file.iter().map(|file| format!("  with the variables of the file {}", one_line(file))));
    lines.extend(entry.directory.iter().map(|folder| format!("  in the directory {}", one_line(folder))));
    lines.extend(entry.headers.iter().map(|header| format!("  with the header {}", one_line(header))));
    lines.push(String::new());
    if !entry.variables.is_empty() {
        let names: Vec<_> = entry.variables.iter().map(|name| one_line(name).into_owned()).collect();
        lines.push(format!("It gets these variables of your environment: {}", names.join(", ")));
    }
    if entry.is_command {
        lines.push(
            "It runs with your rights: it can read, change and delete your files, and use the network.".to_owned(),
        );
    }
    lines.push("Use it only if you know what it does and trust where the project comes from.".to_owned());
    lines.push("\nUse it from now on? [y]es, [N]o: ".to_owned());
    lines.join("\n")
}

fn shown(file: &Path) -> String {
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    one_line(&file.display().to_string()).into_owned()
}
