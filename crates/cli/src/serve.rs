//! `jackfield serve`: reference servers, one process each.

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
    /// A demo server that shows every feature, for those who build clients
    Everything(Everything),
}

#[derive(Debug, Args)]
struct Everything {
    /// How clients connect
    #[arg(value_enum, default_value_t = Transport::Stdio)]
    transport: Transport,
    /// An environment variable that `get-env` may show, besides PATH, HOME, LANG and TZ; can be given several times
    #[arg(long, value_name = "NAME")]
    show_env: Vec<String>,
    /// Let `get-env` show the whole environment, secrets included
    #[arg(long, conflicts_with = "show_env")]
    show_all_env: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Transport {
    /// Standard input and output
    Stdio,
}

impl Serve {
    /// Runs the server until its client goes away.
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        match self.server {
            Server::Everything(options) => options.run().await,
        }
    }
}

impl Everything {
    async fn run(self) -> anyhow::Result<()> {
        let mut options = Options::default();
        options.environment = match (self.show_all_env, self.show_env) {
            (true, _) => ShowEnvironment::All,
            (false, names) if names.is_empty() => ShowEnvironment::Harmless,
            (false, names) => ShowEnvironment::Named(names),
        };
        options.gzip = GzipLimits::from_env().map_err(anyhow::Error::msg)?;
        let server = everything::server(options);
        match self.transport {
            Transport::Stdio => server.serve_stdio().await.map_err(|error| anyhow::anyhow!("{error:#}")),
        }
    }
}
