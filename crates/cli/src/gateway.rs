//! `jackfield gateway`: the servers of an `mcp.json` as one server.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use jackfield_client::{Command, Http};
use jackfield_gateway::Gateway as Servers;
use jackfield_host::{CommandTarget, Reach, UrlTarget};

use crate::failure::{Class, Failure};
use crate::login;
use crate::serve::in_process;
use crate::show::one_line;
use crate::tape::Recording;
use crate::target::{Consent, all_servers, duration};

/// The arguments of `jackfield gateway`.
#[derive(Debug, Args)]
#[command(
    after_help = "The tool `read` of the server `files` is offered as `files__read`, its resource `note://7` as `note://files/7`. A server \
that is not there is missing from the lists, and is tried again by itself; the others do not notice.\n\n\
Only what the files name is ever started; each start is logged with the whole command. You are asked once before an entry of the working \
directory is used; without a terminal it is left out. A server that is started gets the variables that its \
entry names, and a few harmless ones. Servers at URLs get the logins of `jackfield login`, never the token of a caller.\n\n\
An entry with the command `jackfield serve NAME` runs in the gateway's own process and environment. A process is started for it if the entry sets \
a directory, a variable that is no option of that server, or a transport, store or tape; with --spawn always.\n\n\
Examples:\n  jackfield gateway\n  jackfield gateway files github --http 127.0.0.1:8000\n  jackfield list tools -- jackfield gateway"
)]
pub(crate) struct Gateway {
    /// The servers, by their names in an mcp.json; all of them if none is given
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Serve HTTP at this address, such as 127.0.0.1:8000, instead of the standard streams: Streamable HTTP at /mcp, HTTP+SSE at /sse
    #[arg(long, value_name = "ADDRESS")]
    http: Option<String>,
    /// Look the names up in this file only
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Use the servers of the working directory's files without asking, this time; for scripts
    #[arg(long)]
    approve: bool,
    /// Record every message between callers and the gateway on this tape, or go on with it; `jackfield tape` shows it
    #[arg(long, value_name = "FILE")]
    tape: Option<PathBuf>,
    /// Start reference servers of this program as processes too, instead of running them in the gateway's own
    #[arg(long)]
    spawn: bool,
    /// How long to wait for an answer of a server, such as 30, 500ms or 2m; progress starts it anew. 5m if not given
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,
}

impl Gateway {
    /// Serves until its client goes away, or a signal comes.
    pub(crate) async fn run(self) -> Result<(), Failure> {
        let found = all_servers(&self.names, self.config.as_deref(), &Consent::new(self.approve)).await?;
        for why in &found.unusable {
            eprintln!("warning: {}", one_line(why));
        }
        let mut gateway = Servers::new("jackfield-gateway");
        if let Some(timeout) = self.timeout {
            gateway = gateway.request_timeout(timeout);
        }
        for (name, reach) in found.servers {
            gateway = match reach {
                Reach::Command(command) => match in_process(&command).filter(|_| !self.spawn) {
                    Some(make) => {
                        tracing::info!(target: "jackfield_gateway::in_process", server = name, command = ?command.words(), "a server runs in this process");
                        gateway.in_process(name, make)
                    }
                    None => {
                        let command = prepared(&name, &command);
                        gateway.spawn(name, command)
                    }
                },
                Reach::Url(url) => gateway.reach(name, move |builder| {
                    let server = server(&url);
                    async move { builder.connect(server).await }
                }),
            };
        }
        let mut server = gateway.server().map_err(|bad| Failure::usage(bad.to_string()))?;
        let recording = Recording::begin(self.tape.as_deref())?;
        if let Some(recording) = &recording {
            server = server.tape(recording.tape.clone());
        }
        let served = match &self.http {
            None => server.serve_stdio().await,
            Some(address) => server.serve_http(address.as_str()).await,
        };
        Recording::end(recording, served.map_err(|error| Failure::new(Class::Failed, format!("{error:#}"))))
    }
}

fn prepared(name: &str, target: &CommandTarget) -> Command {
    let server = name.to_owned();
    let command = Command::new(&target.program).args(&target.arguments).on_stderr(move |text| {
        let text = String::from_utf8_lossy(text);
        let text = one_line(text.trim_end());
        tracing::info!(target: "jackfield_gateway::stderr", server, %text);
    });
    let command = target.variables.iter().fold(command, |command, (name, value)| command.env(name, value));
    match &target.directory {
        Some(directory) => command.directory(directory),
        None => command,
    }
}

/// A server at a URL, with the login that is kept for it. Nobody can be asked to log in here.
fn server(target: &UrlTarget) -> Http {
    let server =
        target.headers.iter().fold(Http::new(&target.url), |http, header| http.header(header.name(), header.value()));
    let says_who = target.headers.iter().any(|header| header.name().eq_ignore_ascii_case("authorization"));
    // Without a place for logins there are none, and a URL that is none is reported when it is connected to.
    match login::oauth().and_then(|oauth| oauth.server(&target.url)) {
        Ok(login) if !says_who => server.authorizer(login),
        _ => server,
    }
}
