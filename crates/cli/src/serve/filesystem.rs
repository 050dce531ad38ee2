//! `jackfield serve filesystem`.

use clap::{Args, ValueEnum};
use jackfield::Server;
use jackfield_servers::filesystem::{self, Directories, NoneAccessible, Options, RootsPolicy};

use super::transport::TransportOptions;
use crate::failure::{Class, Failure};
use crate::protected::Permissions;

/// Files within given directories.
#[derive(Debug, Args)]
#[command(after_help = r#"For the configuration of a client:
  {"mcpServers": {"filesystem": {"command": "jackfield", "args": ["serve", "filesystem", "/home/me/project"]}}}"#)]
pub(super) struct Filesystem {
    /// A directory that may be used, with everything below it; DIR:ro may only be read. Without one the roots of the client are used
    #[arg(value_name = "DIR")]
    directories: Vec<String>,
    /// Offer no tool that writes
    #[arg(long)]
    read_only: bool,
    /// What the roots of the client mean. With `within` and `ignore` the kernel keeps the process in the directories, where it can
    #[arg(long, value_enum, value_name = "POLICY", default_value_t = Roots::Replace)]
    roots: Roots,
    /// Refuse to write files that have more than one hard link: the other name may lie outside the directories
    #[arg(long = "no-hardlinks")]
    no_hard_links: bool,
    /// Offer tools that the original does not have: searching in files, ranges of lines, append, copy, delete to a trash, short trees
    #[arg(long)]
    extra_tools: bool,
    #[command(flatten)]
    pub(super) served: TransportOptions,
    #[arg(skip)]
    server: Option<Server>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Roots {
    /// They replace the directories
    Replace,
    /// They narrow the directories
    Within,
    /// They do not count
    Ignore,
}

impl Filesystem {
    /// Opens the directories and makes the server.
    pub(super) fn server(&self) -> Result<(Server, Directories), NoneAccessible> {
        // Those who start the original look for these lines.
        let directories = Directories::open(&self.directories, |warning| eprintln!("{warning}"))?;
        let mut options = Options::default();
        options.directories = directories.clone();
        options.read_only = self.read_only;
        options.refuse_hard_links = self.no_hard_links;
        options.extra_tools = self.extra_tools;
        options.roots = match self.roots {
            Roots::Replace => RootsPolicy::Replace,
            Roots::Within => RootsPolicy::Within,
            Roots::Ignore => RootsPolicy::Ignore,
        };
        Ok((filesystem::server(options), directories))
    }

    /// Opens the directories and puts up the wall around them, while there is only one thread.
    pub(super) fn prepare(&mut self) -> Result<(), Failure> {
        let (server, directories) = self.server().map_err(|error| {
            eprintln!("{error}");
            Failure::new(Class::Failed, "")
        })?;
        self.server = Some(server);
        // Roots that replace directories can be anywhere.
        if self.roots != Roots::Replace && !directories.is_empty() {
            self.restrict(&directories)?;
        }
        Ok(())
    }

    #[cfg(target_os = "linux")]
    fn restrict(&self, directories: &Directories) -> Result<(), Failure> {
        let needed = self.served.paths()?;
        let allowed = directories.paths().map(|(path, read_only)| (path, read_only || self.read_only));
        let needed = needed.iter().map(|(path, read_only)| (path.as_path(), *read_only));
        match filesystem::restrict_process(allowed.chain(needed)) {
            filesystem::Wall::Enforced => tracing::info!("the kernel keeps this process in its directories"),
            _ => tracing::info!("the kernel has no Landlock; the server itself stays in its directories"),
        }
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    fn restrict(&self, _: &Directories) -> Result<(), Failure> {
        Ok(())
    }

    pub(super) async fn run(self) -> Result<(), Failure> {
        let Some(server) = self.server else {
            return Err(Failure::new(Class::Failed, "the filesystem server was not prepared"));
        };
        self.served.announce("Secure MCP Filesystem Server running on stdio");
        if self.directories.is_empty() {
            eprintln!("Started without allowed directories - waiting for client to provide roots via MCP protocol");
        }
        self.served.run(server, Permissions { server: "filesystem", tools: &[] }).await
    }
}
