//! The command line as a whole.

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use tokio::runtime::{Builder, Runtime};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::commands::{
    Add, Auth, Call, Complete, Completions, GetPrompt, Inspect, List, Login, Logout, Ping, Read, Remove, Subscribe,
    Tape,
};
use crate::failure::{Class, EXIT_CODES, Failure};
use crate::show::Screen;
use crate::{gateway, rdf, serve};

/// Run Model Context Protocol servers, and use them from the shell
#[derive(Debug, Parser)]
#[command(
    name = "jackfield",
    version,
    arg_required_else_help = true,
    max_term_width = 120,
    after_help = help_about_targets()
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show one page about a server: who it is, what it can do, what it has
    Inspect(Inspect),
    /// List what a server has: tools, resources, templates, prompts
    List(List),
    /// Call a tool
    Call(Call),
    /// Read a resource
    Read(Read),
    /// Get a prompt, filled in
    Prompt(GetPrompt),
    /// Ask for proposals for an argument of a prompt or resource template
    Complete(Complete),
    /// Ask whether a server lives, and how long it takes to answer
    Ping(Ping),
    /// Show what changes at a server until Ctrl-C, one line each
    Subscribe(Subscribe),
    /// Log in at a server, for all commands that use it
    Login(Login),
    /// Forget a login, and have it revoked
    Logout(Logout),
    /// Logins that are kept, what a server wants, and users of servers with a login
    Auth(Auth),
    /// Add a server to an mcp.json
    Add(Add),
    /// Remove a server from an mcp.json
    Remove(Remove),
    /// Serve the servers of an mcp.json as one
    Gateway(gateway::Gateway),
    /// Run a reference server
    Serve(serve::Serve),
    /// Show what was recorded with --tape
    Tape(Tape),
    /// Turn messages and servers into linked data
    Rdf(rdf::Rdf),
    /// Write a script that completes this command in a shell
    Completions(Completions),
}

fn help_about_targets() -> String {
    format!(
        "A server is named in one of three ways:\n  \
         by its URL      jackfield inspect https://example.com/mcp\n  \
         by its name     jackfield inspect github\n  \
         by its command  jackfield inspect -- my-server --its-option\n\n\
         A URL or a name comes first, a command comes last after two dashes:\n  \
         jackfield call github search query=bug\n  \
         jackfield call search query=bug -- my-server --its-option\n\n\
         Names are looked up in mcp.json, .mcp.json, .vscode/mcp.json and .cursor/mcp.json of the working directory, then in \
         jackfield/mcp.json of the user's configuration directory; --config names another file.\n\n\
         {EXIT_CODES}\n\n\
         JACKFIELD_LOG=debug shows what the command itself does; JACKFIELD_CREDENTIALS names the directory for logins; NO_COLOR=1 switches colour off."
    )
}

/// Reads the command line, does what it says, and tells how it went.
pub(crate) fn main() -> ExitCode {
    let mut arguments = Arguments::parse();
    log_to_standard_error(&arguments.command);
    // What holds for a whole process is set up before there are threads.
    if let Command::Serve(serve) = &mut arguments.command
        && let Err(failure) = serve.prepare()
    {
        return told(&failure);
    }
    let runtime = match runtime(&arguments.command) {
        Ok(runtime) => runtime,
        Err(error) => {
            return told(&Failure::new(Class::Failed, "the runtime cannot be started").why(error.to_string()));
        }
    };
    let outcome = runtime.block_on(arguments.command.run());
    // A thread that waits for a person to type must not keep the process.
    runtime.shutdown_background();
    outcome.unwrap_or_else(|failure| told(&failure))
}

fn told(failure: &Failure) -> ExitCode {
    eprint!("{}", failure.message());
    failure.code()
}

/// Standard output belongs to the protocol or to results; logs go to standard error. What a client has to say is in its results and
/// errors already, so its log is for those who ask.
fn log_to_standard_error(command: &Command) {
    let asked = std::env::var("JACKFIELD_LOG").ok().filter(|filter| !filter.is_empty());
    let filter = match command {
        // Who starts programs for others says which.
        Command::Gateway(_) => {
            Some(asked.unwrap_or_else(|| "warn,jackfield_gateway=info,jackfield_server=info".to_owned()))
        }
        // Whoever starts a server wants to know where it is to be found.
        Command::Serve(_) => Some(asked.unwrap_or_else(|| "warn,jackfield_server::serve=info".to_owned())),
        _ => asked,
    };
    if let Some(filter) = filter {
        tracing_subscriber::fmt()
            .with_writer(std::io::stderr)
            .with_env_filter(EnvFilter::builder().with_default_directive(LevelFilter::ERROR.into()).parse_lossy(filter))
            .init();
    }
}

/// A server uses all processors; a client has one thing to do, and starts faster without threads.
fn runtime(command: &Command) -> std::io::Result<Runtime> {
    match command {
        Command::Gateway(_) | Command::Serve(_) => Builder::new_multi_thread().enable_all().build(),
        _ => Builder::new_current_thread().enable_all().build(),
    }
}

impl Command {
    async fn run(self) -> Result<ExitCode, Failure> {
        let command = match self {
            Self::Serve(serve) => return serve.run().await.map(|()| ExitCode::SUCCESS),
            Self::Gateway(gateway) => return gateway.run().await.map(|()| ExitCode::SUCCESS),
            command => command,
        };
        let screen = &mut Screen::open();
        match command {
            Self::Add(command) => command.run(screen).await,
            Self::Remove(command) => command.run(screen),
            Self::Inspect(command) => command.run(screen).await,
            Self::List(command) => command.run(screen).await,
            Self::Call(command) => command.run(screen).await,
            Self::Read(command) => command.run(screen).await,
            Self::Prompt(command) => command.run(screen).await,
            Self::Complete(command) => command.run(screen).await,
            Self::Ping(command) => command.run(screen).await,
            Self::Subscribe(command) => command.run(screen).await,
            Self::Login(command) => command.run(screen).await,
            Self::Logout(command) => command.run(screen).await,
            Self::Auth(command) => command.run(screen).await,
            Self::Tape(command) => command.run(screen),
            Self::Rdf(command) => command.run(screen).await,
            Self::Completions(command) => command.run(Arguments::command(), screen),
            Self::Serve(_) | Self::Gateway(_) => unreachable!("it has been run already"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_of_all_commands_are_consistent() {
        Arguments::command().debug_assert();
    }
}
