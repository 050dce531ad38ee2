//! `jackfield serve everything`.

use anyhow::Context;
use clap::{Args, ValueEnum};
use jackfield::Server;
use jackfield_servers::everything::{self, GzipLimits, Options, ShowEnvironment};

use super::transport::TransportOptions;
use crate::failure::Failure;
use crate::protected::Permissions;

/// Every feature of the protocol.
#[derive(Debug, Args)]
#[command(after_help = r#"For the configuration of a client:
  {"mcpServers": {"everything": {"command": "jackfield", "args": ["serve", "everything"]}}}"#)]
pub(super) struct Everything {
    /// How clients connect; over HTTP at the port in the variable PORT, or 3001
    #[arg(value_enum, default_value_t = Transport::Stdio)]
    transport: Transport,
    /// An environment variable that `get-env` may show, besides PATH, HOME, LANG and TZ; can be given several times
    #[arg(long, value_name = "NAME")]
    show_env: Vec<String>,
    /// Let `get-env` show the whole environment, secrets included
    #[arg(long, conflicts_with = "show_env")]
    show_all_env: bool,
    /// Let `gzip-file-as-resource` fetch from private, loopback and link-local addresses too
    #[arg(long)]
    allow_private_ips: bool,
    #[command(flatten)]
    served: TransportOptions,
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

const PERMISSIONS: Permissions = Permissions {
    server: "everything",
    tools: &[("get-env", "environment", "See environment variables of the everything server")],
};

impl Everything {
    pub(super) fn server(&self) -> anyhow::Result<Server> {
        let mut options = Options::default();
        options.environment = match (self.show_all_env, self.show_env.as_slice()) {
            (true, _) => ShowEnvironment::All,
            (false, []) => ShowEnvironment::Harmless,
            (false, names) => ShowEnvironment::Named(names.to_vec()),
        };
        options.gzip = GzipLimits::from_env().map_err(anyhow::Error::msg)?;
        if self.allow_private_ips {
            options.gzip.allow_private_addresses();
        }
        Ok(everything::server(options))
    }

    /// Whether it uses the standard streams only, and shows nothing that depends on whose process it is.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self.transport, Transport::Stdio)
            && self.served.is_plain()
            && !self.show_all_env
            && self.show_env.is_empty()
    }

    pub(super) async fn run(mut self) -> Result<(), Failure> {
        self.served.http = self.address()?;
        let server = self.server()?;
        self.served.run(server, PERMISSIONS).await
    }

    /// Returns where to listen; nowhere for the standard streams.
    fn address(&self) -> anyhow::Result<Option<String>> {
        if let Some(address) = &self.served.http {
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
