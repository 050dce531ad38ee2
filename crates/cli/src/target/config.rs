//! Servers by name, in the configuration files of the working directory and of the user.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jackfield_host::{ConfigFile, Reach, Variables, project_folder};

use super::consent::Consent;
use super::file::{absent, text_of};
use crate::failure::{Class, Failure, likely};

/// Where servers are looked up in a project, in this order, after the user's own file.
const IN_PROJECT: &[&str] = &["mcp.json", ".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json"];

/// A server of a configuration file.
#[derive(Debug)]
pub(crate) struct Configured {
    /// How it is reached.
    pub(crate) reach: Reach,
    /// The file that says so.
    pub(crate) file: PathBuf,
}

/// Finds a server by its name, in `file` or in the usual places. An entry of a project's file needs a person's consent, before its variables
/// are looked at.
pub(crate) async fn find(
    name: &str,
    file: Option<&Path>,
    consent: &Consent,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Configured, Failure> {
    let mut known = Vec::new();
    let mut read = Vec::new();
    for file in files(file, environment) {
        let file = file?;
        if file.has(name) {
            file.ask(consent, name).await?;
        }
        if let Some(reach) = file.reach(name, environment) {
            let reach = reach.map_err(|what| {
                Failure::usage(format!("the server {name:?} of {} cannot be used", file.path.display())).why(what)
            })?;
            return Ok(Configured { reach, file: file.path });
        }
        read.push(file.path.display().to_string());
        known.extend(file.servers.names().map(str::to_owned));
    }
    Err(unknown(name, &known, &read))
}

/// Servers of configuration files.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Those that can be used, by name.
    pub(crate) servers: Vec<(String, Reach)>,
    /// What is wrong with the others.
    pub(crate) unusable: Vec<String>,
}

/// Finds several servers by their names, in `file` or in the usual places; all of them if no name is given. An entry that was asked for by
/// name must be right; of the others those are left out that are not, or that are switched off.
pub(crate) async fn all_servers(names: &[String], file: Option<&Path>, consent: &Consent) -> Result<Found, Failure> {
    let environment = |name: &str| std::env::var(name).ok();
    if !names.is_empty() {
        let mut found = Found::default();
        for name in names {
            found.servers.push((name.clone(), find(name, file, consent, &environment).await?.reach));
        }
        return Ok(found);
    }
    let (mut found, mut known) = (Found::default(), BTreeSet::new());
    for file in files(file, &environment) {
        let file = file?;
        for name in file.servers.names() {
            // The first of a name counts, here as everywhere.
            if !known.insert(name.to_owned()) || file.servers.is_disabled(name) {
                continue;
            }
            match file.ask(consent, name).await {
                Err(failure) if failure.is_of(Class::Usage) => {
                    found.unusable.push(format!("{}; it is left out", failure.message()));
                    continue;
                }
                asked => asked?,
            }
            match file.reach(name, &environment) {
                Some(Ok(reach)) => found.servers.push((name.to_owned(), reach)),
                Some(Err(why)) => {
                    found.unusable.push(format!("the server {name:?} of {} is left out: {why}", file.path.display()))
                }
                None => {}
            }
        }
    }
    if found.servers.is_empty() {
        let failure = Failure::usage("there is no server to be offered");
        let failure = found.unusable.iter().fold(failure, |failure, why| failure.why(why.clone()));
        return Err(failure.hint("add one: jackfield add NAME URL, or jackfield add NAME -- COMMAND"));
    }
    Ok(found)
}

/// A configuration file, and where it is.
struct Located {
    path: PathBuf,
    servers: ConfigFile,
    /// Whether it came with the project in the working directory. One that was named on the command line was chosen by the person.
    of_project: bool,
}

/// Reads files with servers, one when it is asked for: `file` alone, which must be there, or those of the usual places that are.
fn files(
    file: Option<&Path>,
    environment: &dyn Fn(&str) -> Option<String>,
) -> impl Iterator<Item = Result<Located, Failure>> {
    let must_exist = file.is_some();
    let places = match file {
        Some(file) => vec![(file.to_owned(), false)],
        None => {
            let own = user_file(environment).map(|file| (file, false));
            own.into_iter().chain(IN_PROJECT.iter().map(|file| (PathBuf::from(file), true))).collect()
        }
    };
    places.into_iter().filter_map(move |(path, of_project)| {
        let text = match text_of(&path) {
            Ok(Some(text)) => text,
            Ok(None) if !must_exist => return None,
            Ok(None) => return Some(Err(absent(&path))),
            Err(failure) => return Some(Err(failure)),
        };
        Some(match ConfigFile::parse(&text) {
            Ok(servers) => Ok(Located { path, servers, of_project }),
            Err(why) => Err(Failure::usage(format!("{} cannot be used", path.display())).why(why.to_string())),
        })
    })
}

impl Located {
    fn has(&self, name: &str) -> bool {
        self.servers.names().any(|known| known == name)
    }

    async fn ask(&self, consent: &Consent, name: &str) -> Result<(), Failure> {
        if self.of_project { consent.ask(&self.servers, &self.path, name).await } else { Ok(()) }
    }

    /// Reads one server of the file.
    fn reach(&self, name: &str, environment: &dyn Fn(&str) -> Option<String>) -> Option<Result<Reach, String>> {
        let reach = self.servers.reach(name, &Variables { environment, folder: &project_folder(&self.path) })?;
        Some(reach.map_err(|error| error.to_string()))
    }
}

fn unknown(name: &str, known: &[String], read: &[String]) -> Failure {
    let failure = Failure::usage(format!("there is no server named {name:?}"));
    let failure = if read.is_empty() {
        failure.why(format!(
            "no configuration file was found; looked for {} and one in the user's folder",
            IN_PROJECT.join(", ")
        ))
    } else {
        let names = if known.is_empty() { "no servers".to_owned() } else { known.join(", ") };
        failure.why(format!("{} has {names}", read.join(", ")))
    };
    let meant = likely(name, known.iter().map(String::as_str)).map(|name| format!("did you mean {name}?"));
    let looks_like_a_host =
        name.contains('.') && !name.contains('/') && !name.ends_with(".py") && !name.ends_with(".js");
    let url = (looks_like_a_host || name.starts_with("localhost")).then(|| format!("for a URL write http://{name}"));
    failure
        .hint_if(meant)
        .hint_if(url)
        .hint("a command that starts a server goes to the end: jackfield inspect -- COMMAND")
}

/// The files that `add` and `remove` look at, in this order: they change the project's servers first.
pub(super) fn usual_places(environment: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    IN_PROJECT.iter().map(PathBuf::from).chain(user_file(environment)).collect()
}

fn user_file(environment: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    user_folder(environment).map(|folder| folder.join("jackfield").join("mcp.json"))
}

/// The folder of the user's own configuration.
pub(super) fn user_folder(environment: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let set = |name: &str| environment(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if cfg!(windows) {
        return set("APPDATA");
    }
    set("XDG_CONFIG_HOME").or_else(|| set("HOME").map(|home| home.join(".config")))
}
