//! `jackfield serve`: reference servers, one process each.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};
use jackfield::Server as Mcp;
use jackfield::auth::Protect as _;
use jackfield::auth::fetch::HttpFetch;
use jackfield::auth::resource::ScopeRules;
use jackfield::auth::server::{AuthorizationServer, Registration, Resource, Users};
use jackfield::http::HttpConfig;
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
    /// Let in only users of this file, who log in with OAuth; `jackfield auth add-user` makes it. Logins end with the process, also with --store
    #[arg(long, value_name = "FILE", requires = "http")]
    auth: Option<PathBuf>,
    /// How long their tokens are valid, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600, requires = "auth")]
    token_life: u64,
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
        let (users, token_life) = (self.auth.clone(), self.token_life);
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
        match (address, users) {
            (None, _) => server.serve_stdio().await,
            (Some(address), None) => server.serve_http(address).await,
            (Some(address), Some(users)) => return protected(server, &address, &users, token_life).await,
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

/// What tokens of the demo server are for: all of it, but for the environment, which takes a permission of its own.
const USE: &str = "everything:use";
const ENVIRONMENT: &str = "everything:environment";

/// Serves only users of a file, with an authorization server in the same process.
async fn protected(server: Mcp, address: &str, users: &Path, token_life: u64) -> anyhow::Result<()> {
    let users = Users::open(users).with_context(|| format!("the users of {} can not be read", users.display()))?;
    if users.names().is_empty() {
        anyhow::bail!("there are no users; add one with `jackfield auth add-user`");
    }
    // The names of the two servers contain the port, so it has to be known before they are made.
    let address = tokio::net::TcpListener::bind(address).await.and_then(|listener| listener.local_addr());
    let address = address.context("the address can not be listened on")?;
    let (issuer, resource) = (format!("http://{address}"), format!("http://{address}/mcp"));
    let meaning = Resource::new(&resource)
        .scope(USE, "Use the demo server")
        .scope(ENVIRONMENT, "See environment variables of the demo server")
        .default_scopes(USE);
    let authorization = AuthorizationServer::builder(&issuer)
        .resource(meaning)
        .users(users)
        .registration(Registration::default())
        .client_documents(std::sync::Arc::new(HttpFetch::public()))
        .lifetimes(|life| life.access = token_life)
        .build()?;
    let door = authorization.protect(&resource)?.build()?;
    let config = HttpConfig::default().with_gate(door).with_beside(authorization);
    let server = server.protect(ScopeRules::new().tool("get-env", ENVIRONMENT));
    server.serve_http_with(address, config).await.map_err(|error| anyhow::anyhow!("{error:#}"))
}
