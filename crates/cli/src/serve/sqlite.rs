//! `jackfield serve sqlite`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use jackfield::Server;
use jackfield_servers::sqlite::{self, Options};

use super::paths::expand_home;
use super::transport::TransportOptions;
use crate::failure::{Class, Failure};
use crate::protected::Permissions;
use crate::target::duration;

/// A database in a file.
#[derive(Debug, Args)]
#[command(
    after_help = r#"Queries run on a connection that cannot write; other files are never attached, and no extension is loaded.

For the configuration of a client:
  {"mcpServers": {"sqlite": {"command": "jackfield", "args": ["serve", "sqlite", "--db-path", "/data/my.db"]}}}"#
)]
pub(super) struct Sqlite {
    /// The file of the database; it is made if there is none
    #[arg(long, value_name = "PATH", default_value = "./sqlite_mcp_server.db")]
    db_path: PathBuf,
    /// Offer no tools that write, and open the database for reading only
    #[arg(long)]
    read_only: bool,
    /// How long a statement may run, such as 30, 500ms or 2m
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60")]
    query_timeout: Duration,
    /// How many rows an answer has at most
    #[arg(long, value_name = "COUNT", default_value_t = 100_000)]
    max_rows: usize,
    #[command(flatten)]
    pub(super) served: TransportOptions,
}

impl Sqlite {
    pub(super) fn server(&self) -> Result<Server, Failure> {
        let mut options = Options::new(expand_home(self.db_path.clone()));
        options.read_only = self.read_only;
        options.limits.time = self.query_timeout;
        options.limits.rows = self.max_rows;
        sqlite::server(options).map_err(|error| {
            Failure::new(Class::Failed, error.to_string()).hint("see whether --db-path names a file that can be opened")
        })
    }

    pub(super) async fn run(self) -> Result<(), Failure> {
        let server = self.server()?;
        self.served.run(server, Permissions { server: "sqlite", tools: &[] }).await
    }
}
