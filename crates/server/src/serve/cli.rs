//! A program whose command line is that of its server.

use std::path::Path;

use jackfield_peer::tape::Tape;
use jackfield_protocol::Implementation;
use jackfield_store::Stores;

use crate::{Error, Result, Server};

impl Server {
    /// Serves as the command line of the program says: the standard streams, or HTTP with `--http ADDRESS`. `--store URL` says where state
    /// that outlives a request is stored (see [`Server::store`]): `memory:`, `sqlite:PATH` or `redis://HOST`. `--tape FILE` records every
    /// message (see [`Server::tape`]). `--help` and `--version` are answered; anything else is refused.
    ///
    /// A program with options of its own reads them itself, and calls [`run`](Self::run) or [`serve_http`](Self::serve_http).
    ///
    /// It returns when the client closes the stream, or after `Ctrl-C` or SIGTERM, when requests under way are answered.
    ///
    /// # Errors
    /// The command line has an option that is not known, the server cannot be built or started, or the stream failed.
    ///
    /// # Cancellation
    /// Dropping the future drops all handlers under way; what lifespans opened is dropped without being closed.
    pub async fn run_cli(self) -> Result {
        let mut arguments = std::env::args();
        let program = arguments.next().unwrap_or_default();
        match Command::read(arguments)? {
            Command::Serve(options) => self.serve_with(options).await,
            Command::Help => print(&help(&program, self.build()?.info())),
            Command::Version => print(&version(self.build()?.info())),
        }
    }

    async fn serve_with(self, options: Options) -> Result {
        let mut server = self;
        if let Some(url) = &options.store {
            server = server.store(open_store(url)?);
        }
        let Some(path) = &options.tape else { return server.serve_at(options.http).await };
        let tape =
            Tape::append(Path::new(path)).map_err(|error| Error::new(format!("cannot record on {path}: {error}")))?;
        let served = server.tape(tape.clone()).serve_at(options.http).await;
        let recorded = tape.close().map_err(|error| Error::new(format!("the tape {path} is not complete: {error}")));
        served.and(recorded)
    }

    async fn serve_at(self, address: Option<String>) -> Result {
        match address {
            None => self.serve_stdio().await,
            #[cfg(feature = "http")]
            Some(address) => self.serve_http(address).await,
            #[cfg(not(feature = "http"))]
            Some(address) => Err(Error::new(format!(
                "cannot listen on {address}: HTTP is not part of this build; add the feature `http` of the crate `jackfield`"
            ))),
        }
    }
}

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
enum Command {
    Serve(Options),
    Help,
    Version,
}

/// How to serve.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    http: Option<String>,
    store: Option<String>,
    tape: Option<String>,
}

impl Command {
    /// Reads `--http ADDRESS`, `--store URL` and `--tape FILE`, also with `=` between.
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Options::default();
        while let Some(argument) = arguments.next() {
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (argument.as_str(), None),
            };
            let (slot, example) = match name {
                "--http" => (&mut options.http, "an address, such as `--http 127.0.0.1:8000`"),
                "--tape" => (&mut options.tape, "a file, such as `--tape run.tape`"),
                "--store" => (&mut options.store, "a URL, such as `--store redis://localhost`"),
                "--help" | "-h" => return Ok(Self::Help),
                "--version" | "-V" => return Ok(Self::Version),
                _ => {
                    let known = "`--http ADDRESS`, `--store URL`, `--tape FILE`, `--help` and `--version`";
                    return Err(Error::new(format!("`{name}` is not an option of this server; there are {known}")));
                }
            };
            let value = value.or_else(|| arguments.next());
            let value = value.ok_or_else(|| Error::new(format!("`{name}` needs {example}")))?;
            if slot.replace(value).is_some() {
                return Err(Error::new(format!("`{name}` is given twice")));
            }
        }
        Ok(Self::Serve(options))
    }
}

fn help(program: &str, info: &Implementation) -> String {
    let program =
        Path::new(program).file_name().map_or_else(|| info.name.clone().into(), |name| name.to_string_lossy());
    let description = info.description.as_ref().map_or_else(|| "\n".to_owned(), |text| format!("{text}\n\n"));
    let http = if cfg!(feature = "http") { "" } else { " (not part of this build)" };
    format!(
        "{}{description}Usage: {program} [OPTIONS]

An MCP server. Without options it serves the standard streams: an MCP client starts it.

Options:
      --http ADDRESS  Serve HTTP at this address, such as 127.0.0.1:8000{http}
      --store URL     Store sessions and tasks here: memory:, sqlite:PATH or redis://HOST
      --tape FILE     Record every message in this file
  -h, --help          Print this help
  -V, --version       Print the version
",
        version(info)
    )
}

fn version(info: &Implementation) -> String {
    format!("{} {}\n", info.name, info.version)
}

fn print(text: &str) -> Result {
    use std::io::Write as _;
    #[expect(
        clippy::disallowed_methods,
        reason = "`--help` and `--version` are read by a person, and nothing is served after them"
    )]
    let stdout = std::io::stdout();
    Ok(stdout.lock().write_all(text.as_bytes())?)
}

/// Opens stores by their address.
fn open_store(url: &str) -> Result<Stores> {
    jackfield_store::open(url).map_err(|error| {
        Error::new(format!(
            "the store cannot be opened: {error}; use `memory:`, `sqlite:PATH` or `redis://HOST` (the features `sqlite` and `redis` \
             of the crate `jackfield`)"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_options_are_accepted() {
        let read =
            |text: &str| Command::read(text.split_whitespace().map(str::to_owned)).map_err(|error| error.to_string());
        let serve = |http: &str, store: &str, tape: &str| {
            let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
            Ok(Command::Serve(Options { http: some(http), store: some(store), tape: some(tape) }))
        };
        assert_eq!(read(""), serve("", "", ""));
        assert_eq!(read("--http 127.0.0.1:80"), serve("127.0.0.1:80", "", ""));
        assert_eq!(read("--http=[::1]:80 --store memory:"), serve("[::1]:80", "memory:", ""));
        assert_eq!(read("--store=redis://a?b=c"), serve("", "redis://a?b=c", ""));
        assert_eq!(read("--tape run.tape"), serve("", "", "run.tape"));
        for help in ["--help", "-h", "--http x --help"] {
            assert_eq!(read(help), Ok(Command::Help), "{help}");
        }
        assert_eq!(read("--version"), Ok(Command::Version));
        for (bad, says) in [
            ("--http", "needs an address"),
            ("--store", "needs a URL"),
            ("--tape", "needs a file"),
            ("--httpx", "`--httpx` is not an option"),
            ("--verbose file", "`--verbose` is not an option"),
            ("data.db", "`data.db` is not an option"),
            ("--http a --http b", "twice"),
        ] {
            let error = read(bad).expect_err(bad);
            assert!(error.contains(says), "{bad}: {error}");
        }
    }

    #[test]
    fn the_help_says_what_the_server_is_and_which_options_it_has() {
        let mut info = Implementation::new("demo", "1.2.3");
        info.description = Some("Adds numbers.".to_owned());
        let help = help("/usr/bin/adder", &info);
        for part in ["demo 1.2.3\nAdds numbers.", "Usage: adder", "--http ADDRESS", "--store URL", "--tape FILE"] {
            assert!(help.contains(part), "{part}: {help}");
        }
        assert_eq!(version(&info), "demo 1.2.3\n");
    }

    #[test]
    fn a_bad_store_says_what_to_try() {
        let error = open_store("mysql://user:secret@host").expect_err("it is bad").to_string();
        assert!(error.contains("redis://") && !error.contains("secret"), "{error}");
    }
}
