//! `jackfield serve`: reference servers, one process each.

use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};
use jackfield_servers::everything::{self, GzipLimits, Options, ShowEnvironment};

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
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        match self.server {
            Server::Everything(options) => options.run().await,
        }
    }
}

impl Everything {
    async fn run(self) -> anyhow::Result<()> {
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
        if let Some(url) = &self.store {
            let stores = jackfield::store::open(url).context("use memory:, sqlite:PATH or redis://HOST for --store")?;
            server = server.store(stores);
        }
        match address {
            None => server.serve_stdio().await,
            Some(address) => server.serve_http(address).await,
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
