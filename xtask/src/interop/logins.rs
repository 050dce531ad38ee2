//! Logging in: clients of others at our authorization server, also when it sends users on to a provider of others; tokens of that
//! provider at a server of ours; and our client at all of them.
//!
//! The protected server is the program `interop-auth-server` of the testkit, our client is `interop-login`, the provider is `oidc-provider` from npm. A person with
//! a browser is played by the scripts in `tests/interop/logins`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};

use super::client;
use super::report::{self, Verdict};
use crate::child::{self, Listening};
use crate::pinned::{OIDC_PROVIDER, PYTHON_1, PYTHON_2, Pinned, TYPESCRIPT_1, TYPESCRIPT_2_CLIENT};
use crate::workspace::Workspace;
use crate::{node, parallel};

/// What a client is checked for.
const CHECKS: &[&str] = &["connect", "login", "call", "refresh", "step up"];
/// What our own client is checked for.
const OUR_CHECKS: &[&str] = &["connect", "login", "call", "refresh", "step up", "logout"];
/// What the tokens of the provider are checked for.
const TOKEN_CHECKS: &[&str] = &["challenge", "token", "scope", "refusals"];

/// How long one client may take with one server.
const LIMIT: Duration = Duration::from_secs(90);

const PROGRAM: &str = "interop-auth-server";
const OUR_CLIENT: &str = "interop-login";

/// Who issues the tokens of a protected server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Issuer {
    /// Our authorization server, with users of its own.
    Ours,
    /// Ours, with users who log in at the provider.
    OursWithUpstream,
    /// The provider.
    Theirs,
}

impl Issuer {
    const ALL: &[Self] = &[Self::Ours, Self::OursWithUpstream, Self::Theirs];

    fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::OursWithUpstream => "upstream",
            Self::Theirs => "theirs",
        }
    }

    /// What the program is started with.
    fn words(self, provider: &str) -> Vec<String> {
        match self {
            Self::Ours => vec!["own".to_owned()],
            Self::OursWithUpstream => vec!["upstream".to_owned(), provider.to_owned()],
            Self::Theirs => vec!["resource".to_owned(), provider.to_owned()],
        }
    }

    /// What clients of others cannot show: tokens of the provider live for long, and it allows clients that registered themselves the
    /// scopes of their registration only.
    fn lacks(self) -> &'static [&'static str] {
        match self {
            Self::Ours | Self::OursWithUpstream => &[],
            Self::Theirs => &["refresh", "step up"],
        }
    }

    /// What a script is told that it can try.
    fn allows(self) -> &'static [&'static str] {
        if self.lacks().is_empty() { &["refresh", "step-up"] } else { &[] }
    }

    /// Whom the tokens of the user `ann` are about.
    fn subject(self, provider: &str) -> String {
        match self {
            Self::OursWithUpstream => format!("{provider}:ann"),
            Self::Ours | Self::Theirs => "ann".to_owned(),
        }
    }
}

/// A client that logs in.
#[derive(Debug)]
struct Login {
    name: &'static str,
    kit: Kit,
    /// What it must agree on with the server.
    revision: &'static str,
    /// What it cannot do.
    lacks: &'static [&'static str],
}

#[derive(Debug)]
enum Kit {
    /// The Python package `mcp`, and our script.
    Python(&'static Pinned, &'static str),
    /// A package from npm, and our script.
    Npm(&'static Pinned, &'static str),
    /// Our own client.
    Ours,
}

const LOGINS: &[Login] = &[
    Login { name: PYTHON_1.label, kit: Kit::Python(&PYTHON_1, "login_1.py"), revision: "2025-11-25", lacks: &[] },
    Login { name: PYTHON_2.label, kit: Kit::Python(&PYTHON_2, "login_2.py"), revision: "2026-07-28", lacks: &[] },
    Login {
        name: TYPESCRIPT_1.label,
        kit: Kit::Npm(&TYPESCRIPT_1, "login_1.mjs"),
        revision: "2025-11-25",
        // With a refresh token at hand it never asks for more.
        lacks: &["step up"],
    },
    Login {
        name: TYPESCRIPT_2_CLIENT.label,
        kit: Kit::Npm(&TYPESCRIPT_2_CLIENT, "login_2.mjs"),
        revision: "2026-07-28",
        lacks: &[],
    },
    Login { name: "jackfield", kit: Kit::Ours, revision: "2026-07-28", lacks: &[] },
];

/// Lets all clients log in whose name begins like `only`; fails when a check fails. Returns a line for each that could not run.
pub(super) fn run(workspace: &Workspace, only: Option<&str>) -> Result<Vec<String>> {
    let wanted: Vec<&Login> =
        LOGINS.iter().filter(|login| only.is_none_or(|only| login.name.starts_with(only))).collect();
    let wants_tokens = only.is_none_or(|only| OIDC_PROVIDER.name.starts_with(only));
    if wanted.is_empty() && !wants_tokens {
        return Ok(Vec::new());
    }
    let program = workspace.tested_program(PROGRAM)?;
    let logs = client::folder(workspace).join("log");
    std::fs::create_dir_all(&logs)?;
    let mut missing = Vec::new();
    let provider = match provider(workspace) {
        Ok(words) => Some(start_provider(&words, &logs)?),
        Err(reason) => {
            missing.push(format!("{} is not installed ({reason}); skipped: logins by way of it", OIDC_PROVIDER.name));
            None
        }
    };
    let issuer = provider.as_ref().map(|listening| format!("http://{}", listening.address));
    let issuers = Issuer::ALL.iter().filter(|kind| issuer.is_some() || **kind == Issuer::Ours);
    let servers = issuers
        .map(|kind| Ok((*kind, start_server(&program, *kind, issuer.as_deref().unwrap_or_default(), &logs)?)))
        .collect::<Result<Vec<(Issuer, Listening)>>>()?;

    let mut jobs = Vec::new();
    for login in &wanted {
        match login.install(workspace) {
            Ok(words) => jobs.extend(servers.iter().map(|(kind, server)| (*login, words.clone(), *kind, server))),
            Err(reason) => missing.push(format!("{} is not installed ({reason}); skipped: its logins", login.name)),
        }
    }
    let ran = parallel::map(&jobs, |(login, words, kind, server)| {
        let subject = kind.subject(issuer.as_deref().unwrap_or_default());
        let mut words = words.clone();
        words.extend([format!("http://{}/mcp", server.address), subject]);
        words.extend(kind.allows().iter().map(|&word| word.to_owned()));
        let log = logs.join(format!("login-{}-{}.log", login.name.replace(' ', "-"), kind.name()));
        anyhow::Ok(report::judge_by(login.checks(), &script(&words, &log)?, login.revision, &login.lacks_with(*kind)))
    });
    let mut failures = Vec::new();
    println!("clients that log in: {}; ours also {}", CHECKS.join(", "), OUR_CHECKS[CHECKS.len()..].join(", "));
    for ((login, _, kind, _), verdicts) in jobs.iter().zip(ran) {
        let name = format!("{:<20} {:<9}", login.name, kind.name());
        failures.extend(shown(&name, login.revision, login.checks(), &verdicts?));
    }
    if let (Some(issuer), Some((_, server))) =
        (issuer.as_ref().filter(|_| wants_tokens), servers.iter().find(|(kind, _)| *kind == Issuer::Theirs))
    {
        let mut words = node_script(workspace, &OIDC_PROVIDER, &["tokens.mjs"]).map_err(anyhow::Error::msg)?;
        words.extend([format!("http://{}/mcp", server.address), issuer.clone()]);
        let reports = script(&words, &logs.join("login-tokens.log"))?;
        println!("tokens of {}: {}", OIDC_PROVIDER.label, TOKEN_CHECKS.join(", "));
        let verdicts = report::judge_by(TOKEN_CHECKS, &reports, "", &[]);
        failures.extend(shown(&format!("{:<30}", OIDC_PROVIDER.name), "", TOKEN_CHECKS, &verdicts));
    }
    for listening in servers.into_iter().map(|(_, server)| server).chain(provider) {
        failures.extend(listening.stop().err().map(|error| error.to_string()));
    }
    for failure in &failures {
        println!("failed: {failure}");
    }
    if !failures.is_empty() {
        bail!("{} checks of logins failed", failures.len());
    }
    Ok(missing)
}

/// Prints one sign for each check; returns a line for each failure.
fn shown(name: &str, revision: &str, checks: &[&str], verdicts: &[Verdict]) -> Vec<String> {
    println!("{name} {revision:<10}  {}", super::others::signs(verdicts));
    let failed = checks.iter().zip(verdicts).filter_map(|(check, verdict)| match verdict {
        Verdict::Failed(reason) => Some(format!("{}, {check}: {reason}", name.trim())),
        Verdict::Ok | Verdict::Absent => None,
    });
    failed.collect()
}

/// Runs a script of ours and reads what it says.
fn script(words: &[String], log: &Path) -> Result<Vec<report::Report>> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(report::parse(&child::run(&mut command, LIMIT, log)?.output))
}

fn start_server(program: &Path, kind: Issuer, provider: &str, logs: &Path) -> Result<Listening> {
    let start = |address: SocketAddr| {
        let mut command = Command::new(program);
        command.arg(address.to_string()).args(kind.words(provider));
        command
    };
    Listening::start(start, &logs.join(format!("login-server-{}.log", kind.name())))
}

/// Installs the provider; returns the words that start it.
fn provider(workspace: &Workspace) -> Result<Vec<String>, String> {
    node_script(workspace, &OIDC_PROVIDER, &["provider.mjs"])
}

fn start_provider(words: &[String], logs: &Path) -> Result<Listening> {
    let start = |address: SocketAddr| {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(address.port().to_string());
        command
    };
    Listening::start(start, &logs.join("login-provider.log"))
}

fn scripts(workspace: &Workspace) -> PathBuf {
    client::scripts(workspace).join("logins")
}

/// Installs a package and puts our scripts below it, from where Node finds it; returns the words that run the last of them.
fn node_script(workspace: &Workspace, package: &Pinned, names: &[&str]) -> Result<Vec<String>, String> {
    let node = node::at_least(20, workspace)?;
    let folder = client::npm(workspace, package)?.join("logins");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let mut script = folder.clone();
    for name in names {
        script = folder.join(name);
        std::fs::copy(scripts(workspace).join(name), &script)
            .map_err(|error| format!("cannot copy {name}: {error}"))?;
    }
    Ok([node, script].iter().map(|path| path.to_string_lossy().into_owned()).collect())
}

impl Login {
    /// What it is checked for.
    fn checks(&self) -> &'static [&'static str] {
        if matches!(self.kit, Kit::Ours) { OUR_CHECKS } else { CHECKS }
    }

    /// What it cannot show with an issuer. Ours is told the time, and asks for scopes that it did not register with.
    fn lacks_with(&self, issuer: Issuer) -> Vec<&'static str> {
        if matches!(self.kit, Kit::Ours) { self.lacks.to_vec() } else { [self.lacks, issuer.lacks()].concat() }
    }

    /// Installs the client; returns the words that run its script.
    fn install(&self, workspace: &Workspace) -> Result<Vec<String>, String> {
        match self.kit {
            Kit::Python(package, script) => {
                let python = client::python(workspace, package, &[])?;
                let script = scripts(workspace).join(script);
                Ok([python, script].iter().map(|path| path.to_string_lossy().into_owned()).collect())
            }
            Kit::Npm(package, script) => node_script(workspace, package, &["person.mjs", "checks.mjs", script]),
            Kit::Ours => {
                let built = workspace.tested_program(OUR_CLIENT);
                built.map(|program| vec![program.to_string_lossy().into_owned()]).map_err(|error| error.to_string())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lacking_is_a_check() {
        assert!(OUR_CHECKS.starts_with(CHECKS));
        assert!(LOGINS.iter().flat_map(|login| login.lacks).all(|lack| CHECKS.contains(lack)));
        for issuer in Issuer::ALL {
            assert!(issuer.lacks().iter().all(|lack| CHECKS.contains(lack)), "{issuer:?}");
        }
    }

    #[test]
    fn users_of_another_provider_are_named_with_it() {
        assert_eq!(Issuer::Ours.subject("http://127.0.0.1:1"), "ann");
        assert_eq!(Issuer::OursWithUpstream.subject("http://127.0.0.1:1"), "http://127.0.0.1:1:ann");
        assert_eq!(Issuer::Theirs.words("http://127.0.0.1:1"), ["resource", "http://127.0.0.1:1"]);
    }
}
