//! `jackfield serve sequentialthinking`.

use clap::Args;
use jackfield::Server;
use jackfield_servers::sequentialthinking::{self, Options};

use super::in_process::Environment;
use super::transport::TransportOptions;
use crate::failure::Failure;
use crate::protected::Permissions;

/// A chain of thought.
#[derive(Debug, Args)]
#[command(
    after_help = r#"Each thought is drawn on standard error, unless the variable DISABLE_THOUGHT_LOGGING is true.

For the configuration of a client:
  {"mcpServers": {"sequentialthinking": {"command": "jackfield", "args": ["serve", "sequentialthinking"]}}}"#
)]
pub(super) struct SequentialThinking {
    #[command(flatten)]
    pub(super) served: TransportOptions,
}

/// The variable that says whether thoughts are drawn.
pub(super) const QUIET: &str = "DISABLE_THOUGHT_LOGGING";

impl SequentialThinking {
    pub(super) fn server(&self, environment: Environment<'_>) -> Server {
        let mut options = Options::default();
        options.draw_thoughts = !environment(QUIET).is_some_and(|value| value.eq_ignore_ascii_case("true"));
        sequentialthinking::server(options)
    }

    pub(super) async fn run(self) -> Result<(), Failure> {
        let server = self.server(&|name| std::env::var_os(name));
        self.served.announce("Sequential Thinking MCP Server running on stdio");
        let permissions = Permissions { server: "sequentialthinking", tools: &[] };
        self.served.run(server, permissions).await
    }
}
