//! `jackfield serve fetch`.

use clap::Args;
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
    served: TransportOptions,
}

impl Fetch {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let mut options = Options::default();
        options.user_agent = self.user_agent;
        options.ignore_robots_txt = self.ignore_robots_txt;
        options.proxy = self.proxy_url.map_or(Proxy::Environment, Proxy::Url);
        options.destinations.allow_private_addresses = self.allow_private_ips;
        options.destinations.allowed_hosts = self.allow_host;
        options.destinations.denied_hosts = self.deny_host;
        self.served.run(fetch::server(options), Permissions { server: "fetch", tools: &[] }).await
    }
}
