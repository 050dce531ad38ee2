//! `jackfield serve fetch`.

use clap::Args;
use jackfield::Server;
use jackfield_servers::fetch::{self, Options, Proxy};

use super::transport::TransportOptions;
use crate::failure::Failure;
use crate::protected::Permissions;

/// Web pages as Markdown.
#[derive(Debug, Args)]
#[command(after_help = r#"For the configuration of a client:
  {"mcpServers": {"fetch": {"command": "jackfield", "args": ["serve", "fetch"]}}}"#)]
pub(super) struct Fetch {
    /// What requests say about who is asking
    #[arg(long, value_name = "TEXT")]
    user_agent: Option<String>,
    /// Fetch what a site's robots.txt does not want fetched by programs
    #[arg(long)]
    ignore_robots_txt: bool,
    /// Send every request through this proxy: http://, socks5:// or socks5h://; by default HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY count
    #[arg(long, value_name = "URL")]
    proxy_url: Option<String>,
    /// Fetch from private, loopback and link-local addresses too
    #[arg(long)]
    allow_private_ips: bool,
    /// Fetch only from this host and those below it; can be given several times
    #[arg(long, value_name = "HOST")]
    allow_host: Vec<String>,
    /// Never fetch from this host and those below it; can be given several times
    #[arg(long, value_name = "HOST")]
    deny_host: Vec<String>,
    #[command(flatten)]
    pub(super) served: TransportOptions,
}

impl Fetch {
    pub(super) fn server(&self) -> Server {
        let mut options = Options::default();
        options.user_agent.clone_from(&self.user_agent);
        options.ignore_robots_txt = self.ignore_robots_txt;
        options.proxy = self.proxy_url.clone().map_or(Proxy::Environment, Proxy::Url);
        options.destinations.allow_private_addresses = self.allow_private_ips;
        options.destinations.allowed_hosts.clone_from(&self.allow_host);
        options.destinations.denied_hosts.clone_from(&self.deny_host);
        fetch::server(options)
    }

    pub(super) async fn run(self) -> Result<(), Failure> {
        let server = self.server();
        self.served.run(server, Permissions { server: "fetch", tools: &[] }).await
    }
}
