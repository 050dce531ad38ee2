//! `jackfield serve git`.

use std::path::PathBuf;

use clap::{ArgAction, Args};
use jackfield::Server;
use jackfield_servers::git::{self, Access, OpenOptions, Options, RepositoryError};

use super::transport::TransportOptions;
use crate::failure::{Class, Failure};
use crate::protected::Permissions;

/// Repositories of Git, without running a program.
#[derive(Debug, Args)]
#[command(after_help = r#"For the configuration of a client:
  {"mcpServers": {"git": {"command": "jackfield", "args": ["serve", "git", "--repository", "/path/to/repository"]}}}"#)]
pub(super) struct Git {
    /// A repository that may be used, and no other; can be given several times
    #[arg(short, long, value_name = "PATH")]
    repository: Vec<PathBuf>,
    /// Say more on standard error; twice for still more
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,
    /// Leave out the tools that change a repository
    #[arg(long)]
    read_only: bool,
    /// Let content filters that are configured (such as those of git-lfs) run their programs
    #[arg(long)]
    allow_filters: bool,
    #[command(flatten)]
    pub(super) served: TransportOptions,
}

impl Git {
    pub(super) fn server(&self) -> Result<Server, RepositoryError> {
        let access = Access::confined(self.repository.clone())?;
        if !access.is_confined() {
            eprintln!("Warning: without --repository, every repository of this user can be read and changed");
        }
        if self.verbose > 0 {
            eprintln!("{access}");
        }
        let mut options = Options::default();
        options.read_only = self.read_only;
        options.open = OpenOptions { access, allow_filters: self.allow_filters };
        Ok(git::server(options))
    }

    pub(super) async fn run(self) -> Result<(), Failure> {
        let server = match self.server() {
            Ok(server) => server,
            // As with the original: there is nothing to serve, and that is no failure.
            Err(error @ RepositoryError::Invalid(_)) => {
                eprintln!("{error}");
                return Ok(());
            }
            Err(error) => {
                eprintln!("{error}");
                return Err(Failure::new(Class::Failed, ""));
            }
        };
        self.served.run(server, Permissions { server: "git", tools: &[] }).await
    }
}
