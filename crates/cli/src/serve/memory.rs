//! `jackfield serve memory`.

use std::path::PathBuf;

use clap::Args;
use jackfield::Server;
use jackfield_servers::memory::{self, Options};

use super::in_process::Environment;
use super::paths::{data_directory, expand_home};
use super::transport::TransportOptions;
use crate::failure::{Class, Failure};
use crate::protected::Permissions;

/// A knowledge graph in a file.
#[derive(Debug, Args)]
#[command(
    after_help = r#"The variable MEMORY_FILE_PATH names the file; a relative path begins at the working directory, ~ is the home directory.
Without it the file is jackfield/memory.jsonl in the user's data directory. Other programs may use the file at the same time.

For the configuration of a client:
  {"mcpServers": {"memory": {"command": "jackfield", "args": ["serve", "memory"], "env": {"MEMORY_FILE_PATH": "/data/memory.jsonl"}}}}"#
)]
pub(super) struct Memory {
    /// Offer tools for looking at a large graph part by part, too
    #[arg(long)]
    extra_tools: bool,
    #[command(flatten)]
    pub(super) served: TransportOptions,
}

impl Memory {
    pub(super) fn server(&self, environment: Environment<'_>) -> Result<Server, Failure> {
        let mut options = Options::new(path(environment)?);
        options.extra_tools = self.extra_tools;
        memory::server(options).map_err(|error| {
            Failure::new(Class::Failed, error.to_string()).hint("name another file with the variable MEMORY_FILE_PATH")
        })
    }

    pub(super) async fn run(self) -> Result<(), Failure> {
        let server = self.server(&|name| std::env::var_os(name))?;
        self.served.announce("Knowledge Graph MCP Server running on stdio");
        self.served.run(server, Permissions { server: "memory", tools: &[] }).await
    }
}

/// The variable that names the file.
pub(super) const FILE: &str = "MEMORY_FILE_PATH";

fn path(environment: Environment<'_>) -> Result<PathBuf, Failure> {
    if let Some(path) = environment(FILE).filter(|path| !path.is_empty()) {
        return Ok(expand_home(PathBuf::from(path)));
    }
    let directory = data_directory().ok_or_else(|| {
        Failure::usage("there is no home directory for the memory file")
            .hint("name a file with the variable MEMORY_FILE_PATH")
    })?;
    let path = directory.join("jackfield").join("memory.jsonl");
    eprintln!("Memory file: {}", path.display());
    Ok(path)
}
