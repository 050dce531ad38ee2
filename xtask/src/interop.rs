//! `cargo xtask interop`: real clients of others against our server, and our client against real servers of others.
//!
//! Each client is driven by a script of ours in `tests/interop`, which prints one line for each check. What a client may
//! leave out is written down here, so that a script that skips something by mistake is noticed.

mod client;
mod logins;
mod others;
mod report;
mod server;
mod table;

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;

use crate::workspace::Workspace;
use crate::{child, parallel};
use client::{CLIENTS, Client, Driver, Transport};
use server::{Listeners, Server};
use table::Outcome;

/// How long one client may take on one transport.
const LIMIT: Duration = Duration::from_secs(90);

/// Which clients, and against what.
#[derive(Debug, Default, Args)]
pub(crate) struct Options {
    /// Run only the clients whose name begins like this, such as `python` or `python 1.0.0`.
    #[arg(long)]
    only: Option<String>,
    /// Use only this transport.
    #[arg(long)]
    transport: Option<Transport>,
    /// Run only our client against the servers of others, whose names `--only` chooses too.
    #[arg(long)]
    client: bool,
    /// Run only the clients that log in, ours among them, and the tokens of another provider; `--only oidc-provider` chooses those.
    #[arg(long, conflicts_with_all = ["client", "transport"])]
    logins: bool,
    /// Test the scripts, not us: run them against the reference server.
    #[arg(long, conflicts_with = "server")]
    reference: bool,
    /// The command of the server, words separated by blanks; `--http ADDRESS` is appended for HTTP.
    #[arg(long, hide = true)]
    server: Option<String>,
}

/// A client to run on a transport.
struct Job<'a> {
    client: &'static Client,
    transport: Transport,
    driver: &'a Result<Driver, String>,
}

/// Runs the clients, prints a table, and fails when one of them fails. Returns a line for each client that could not run.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<Vec<String>> {
    let mut missing = Vec::new();
    let is_for_clients = CLIENTS.iter().any(|client| options.wants(client));
    if !options.client && !options.logins && is_for_clients {
        missing.extend(run_clients(workspace, options)?);
    }
    let is_for_logins = !options.client && options.transport.is_none_or(|only| only == Transport::Http);
    if is_for_logins && options.server.is_none() && !options.reference {
        missing.extend(logins::run(workspace, options.only.as_deref())?);
    }
    if options.logins {
        return Ok(missing);
    }
    if options.server.is_none() && !options.reference {
        missing.extend(others::run(workspace, options.only.as_deref(), options.transport)?);
    }
    Ok(missing)
}

/// Runs the clients of others.
fn run_clients(workspace: &Workspace, options: &Options) -> Result<Vec<String>> {
    let start = Instant::now();
    let logs = client::folder(workspace).join("log");
    std::fs::create_dir_all(&logs)?;
    let server = server(workspace, options)?;
    let wanted: Vec<&'static Client> = CLIENTS.iter().filter(|client| options.wants(client)).collect();
    if wanted.is_empty() {
        let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
        bail!("no client has that name; there are {}", names.join(", "));
    }
    let drivers = install(workspace, &wanted);
    let jobs: Vec<Job<'_>> =
        wanted.iter().zip(&drivers).flat_map(|(client, driver)| options.jobs(client, driver)).collect();

    let listeners = Listeners::start(&server, jobs.iter().map(|job| (job.transport, job.client.era)), &logs)?;
    let outcomes = parallel::map(&jobs, |job| {
        let began = Instant::now();
        let verdicts = match job.driver {
            Err(reason) => Err(reason.clone()),
            Ok(driver) => Ok(job.run(driver, &listeners.target(&server, job.transport, job.client.era)?, &logs)?),
        };
        let seconds = began.elapsed().as_secs_f64();
        Ok(Outcome { client: job.client, transport: job.transport, verdicts, seconds })
    });
    let outcomes = outcomes.into_iter().collect::<Result<Vec<Outcome>>>()?;
    let mut failures: Vec<String> = outcomes.iter().flat_map(Outcome::failures).collect();
    failures.extend(listeners.stop());

    println!("{}", table::table(&outcomes));
    for failure in &failures {
        println!("failed: {failure}");
    }
    println!("{} runs in {:.0} s; logs in {}", outcomes.len(), start.elapsed().as_secs_f64(), logs.display());
    if !failures.is_empty() {
        bail!("{} checks with real clients failed", failures.len());
    }
    let missing = wanted.iter().zip(&drivers).filter_map(|(client, driver)| Some((client, driver.as_ref().err()?)));
    Ok(missing
        .map(|(client, reason)| format!("{} is not installed ({reason}); skipped: its checks", client.name))
        .collect())
}

/// Installs the clients, different ones at the same time.
fn install(workspace: &Workspace, clients: &[&'static Client]) -> Vec<Result<Driver, String>> {
    let kits: Vec<&[&Client]> = clients.chunk_by(|a, b| a.is_of_the_kit_of(b)).collect();
    let installed = parallel::map(&kits, |kit| kit.iter().map(|client| client.install(workspace)).collect::<Vec<_>>());
    installed.into_iter().flatten().collect()
}

fn build(workspace: &Workspace) -> Result<std::path::PathBuf> {
    workspace.tested_program("jackfield")
}

fn server(workspace: &Workspace, options: &Options) -> Result<Server> {
    if options.reference {
        return Server::reference(workspace);
    }
    if let Some(words) = &options.server {
        return Ok(Server::Ours(words.split_whitespace().map(str::to_owned).collect()));
    }
    let jackfield = build(workspace)?.to_string_lossy().into_owned();
    Ok(Server::Ours(vec![jackfield, "serve".to_owned(), "everything".to_owned()]))
}

impl Options {
    fn wants(&self, client: &Client) -> bool {
        self.only.as_ref().is_none_or(|name| client.name.starts_with(name.as_str()))
            && client.transports.iter().any(|transport| self.uses(*transport))
    }

    fn uses(&self, transport: Transport) -> bool {
        self.transport.is_none_or(|only| only == transport)
    }

    fn jobs<'a>(&self, client: &'static Client, driver: &'a Result<Driver, String>) -> Vec<Job<'a>> {
        let transports = client.transports.iter().filter(|transport| self.uses(**transport));
        transports.map(|&transport| Job { client, transport, driver }).collect()
    }
}

impl Job<'_> {
    fn run(&self, driver: &Driver, target: &[String], logs: &std::path::Path) -> Result<Vec<report::Verdict>> {
        let name = format!("{}-{}.log", self.client.name.replace(' ', "-"), self.transport.name());
        let finished = child::run(&mut driver.command(self.transport, target), LIMIT, &logs.join(name))?;
        if finished.status.is_none() {
            println!("{} on {} was killed after {} s", self.client.name, self.transport.name(), LIMIT.as_secs());
        }
        Ok(report::judge(&report::parse(&finished.output), self.client.revision, self.client.lacks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pinned::{PYTHON_1_0, PYTHON_2, TYPESCRIPT_1};

    #[test]
    fn clients_are_chosen_by_name_and_transport() {
        let options = Options { only: Some("python".into()), transport: Some(Transport::Sse), ..Options::default() };
        let names: Vec<&str> =
            CLIENTS.iter().filter(|client| options.wants(client)).map(|client| client.name).collect();
        assert!(names.contains(&PYTHON_1_0.label) && names.contains(&PYTHON_2.legacy_label), "{names:?}");
        assert!(!names.contains(&PYTHON_2.label) && !names.contains(&TYPESCRIPT_1.label), "{names:?}");
    }
}
