//! `jackfield serve`: reference servers, one process each.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};
use jackfield_servers::everything::{self, GzipLimits, Options, ShowEnvironment};

use crate::failure::Failure;
use crate::protected::Protected;
use crate::tape::Recording;

/// Which server to run.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    #[command(subcommand)]
    server: Server,
}

#[derive(Debug, Subcommand)]
enum Server {
    /// A demo server for those who build clients: all features
    Everything(Everything),
}

#[derive(Debug, Args)]
struct Everything {
    /// How clients connect; over HTTP at the port in the variable PORT, or 3001
    #[arg(value_enum, default_value_t = Transport::Stdio)]
    transport: Transport,
    /// Serve HTTP at this address, such as 127.0.0.1:8000: Streamable HTTP at /mcp, HTTP+SSE at /sse
    #[arg(long, value_name = "ADDRESS")]
    http: Option<String>,
    /// Where is kept what outlives a request: memory:, sqlite:PATH, or redis://HOST to be one server with other processes that share it
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Let in only users of this file, who log in with OAuth; `jackfield auth add-user` makes it. Logins are kept in --store, or end with the process
    #[arg(long, value_name = "FILE", requires = "http")]
    auth: Option<PathBuf>,
    /// Where clients reach the server if not at the address of --http, such as `https://mcp.example.com`: behind a proxy, or in front of several processes with one --store
    #[arg(long, value_name = "URL", requires = "auth")]
    public_url: Option<String>,
    /// How long their tokens are valid, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600, requires = "auth")]
    token_life: u64,
    /// Record every message in both directions on this tape, or go on with it; `jackfield tape` shows it
    #[arg(long, value_name = "FILE")]
    tape: Option<PathBuf>,
    /// An environment variable that `get-env` may show, besides PATH, HOME, LANG and TZ; can be given several times
    #[arg(long, value_name = "NAME")]
    show_env: Vec<String>,
    /// Let `get-env` show the whole environment, secrets included
    #[arg(long, conflicts_with = "show_env")]
    show_all_env: bool,
    /// Let `gzip-file-as-resource` fetch from private, loopback and link-local addresses too
    #[arg(long)]
    allow_private_ips: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Transport {
    /// Standard input and output
    Stdio,
    /// HTTP; the same as streamableHttp, since both are served together
    Sse,
    /// HTTP
    #[value(name = "streamableHttp")]
    StreamableHttp,
}

impl Serve {
    /// Runs the server until its client goes away, or a signal comes.
    pub(crate) async fn run(self) -> Result<(), Failure> {
        match self.server {
            Server::Everything(options) => {
                let recording = Recording::begin(options.tape.as_deref())?;
                let served = options.run(recording.as_ref()).await;
                Recording::end(recording, served.map_err(Failure::from))
            }
        }
    }
}

impl Everything {
    async fn run(self, recording: Option<&Recording>) -> anyhow::Result<()> {
        let address = self.address()?;
        let mut options = Options::default();
        options.environment = match (self.show_all_env, self.show_env) {
            (true, _) => ShowEnvironment::All,
            (false, names) if names.is_empty() => ShowEnvironment::Harmless,
            (false, names) => ShowEnvironment::Named(names),
        };
        options.gzip = GzipLimits::from_env().map_err(anyhow::Error::msg)?;
        if self.allow_private_ips {
            options.gzip.allow_private_addresses();
        }
        let mut server = everything::server(options);
        if let Some(recording) = recording {
            server = server.tape(recording.tape.clone());
        }
        let stores = self.store.as_deref().map(jackfield::store::open).transpose();
        let stores = stores.context("use memory:, sqlite:PATH or redis://HOST for --store")?;
        if let Some(stores) = &stores {
            server = server.store(stores.clone());
        }
        let (public_url, token_life) = (self.public_url, self.token_life);
        match (address, self.auth.map(|users| Protected { users, public_url, token_life, stores })) {
            (None, _) => server.serve_stdio().await,
            (Some(address), None) => server.serve_http(address).await,
            (Some(address), Some(protected)) => return protected.serve(server, &address).await,
        }
        .map_err(|error| anyhow::anyhow!("{error:#}"))
    }

    /// Returns where to listen; nowhere for the standard streams.
    fn address(&self) -> anyhow::Result<Option<String>> {
        if let Some(address) = &self.http {
            return Ok(Some(address.clone()));
        }
        if matches!(self.transport, Transport::Stdio) {
            return Ok(None);
        }
        let port = match std::env::var("PORT") {
            Ok(port) => port.parse().with_context(|| format!("the variable PORT must be a number, not {port:?}"))?,
            Err(_) => 3001_u16,
        };
        Ok(Some(format!("127.0.0.1:{port}")))
    }
}
