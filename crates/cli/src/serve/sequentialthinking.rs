//! `jackfield serve sequentialthinking`.

use clap::Args;
use jackfield_servers::sequentialthinking::{self, Options};

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
    served: TransportOptions,
}

impl SequentialThinking {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let mut options = Options::default();
        let quiet = std::env::var("DISABLE_THOUGHT_LOGGING").is_ok_and(|value| value.eq_ignore_ascii_case("true"));
        options.draw_thoughts = !quiet;
        self.served.announce("Sequential Thinking MCP Server running on stdio");
        let permissions = Permissions { server: "sequentialthinking", tools: &[] };
        self.served.run(sequentialthinking::server(options), permissions).await
    }
}
