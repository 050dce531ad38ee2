//! Serving: standard streams by default, or any byte stream.

#[cfg(feature = "http")]
mod http;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix::Signals;
#[cfg(windows)]
use windows::Signals;

use std::path::Path;
use std::sync::Arc;

use jackfield_peer::tape::{Recorder, Tape};
use jackfield_peer::{ByteStream, Connection, Shutdown};
use jackfield_store::Stores;

use crate::{Error, Result, Server};

impl Server {
    /// Serves as the command line of the program says: the standard streams, or with `--http ADDRESS` HTTP. `--store URL` says where is
    /// kept what outlives a request (see [`Server::store`]): `memory:`, `sqlite:PATH` or `redis://HOST`. `--tape FILE` records every message
    /// (see [`Server::tape`]).
    ///
    /// It returns when the client closes the stream, or after `Ctrl-C` or SIGTERM, when requests under way are answered.
    ///
    /// # Errors
    /// The server cannot be built or started, or the stream failed.
    ///
    /// # Cancellation
    /// Dropping the future drops all handlers under way; what lifespans opened is dropped without being closed.
    pub async fn run(self) -> Result {
        let options = Options::read(std::env::args().skip(1))?;
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
        let server = self;
        match address {
            None => server.serve_stdio().await,
            #[cfg(feature = "http")]
            Some(address) => server.serve_http(address).await,
            #[cfg(not(feature = "http"))]
            Some(address) => Err(Error::new(format!(
                "cannot listen on {address}: HTTP is not part of this build; add the feature `http` of the crate `jackfield`"
            ))),
        }
    }

    /// Serves the standard streams until the client closes them, or `Ctrl-C` or SIGTERM comes; a second one does not wait for
    /// requests under way.
    ///
    /// # Errors
    /// The server cannot be built or started, or the stream failed.
    ///
    /// # Cancellation
    /// Dropping the future drops all handlers under way; what lifespans opened is dropped without being closed.
    pub async fn serve_stdio(self) -> Result {
        let mut signals = Signals::new()?;
        let (trigger, shutdown) = Shutdown::new();
        // The streams are taken before anything of the user runs, so that nothing it prints reaches the client.
        let serving = self.serve(jackfield_peer::stdio::open()?, "stdio", Some(shutdown));
        tokio::pin!(serving);
        tokio::select! {
            result = &mut serving => return result,
            () = signals.next() => trigger.trigger(),
        }
        tokio::select! {
            result = serving => result,
            () = signals.next() => Ok(()),
        }
    }

    /// Serves any byte stream with one message per line until the client closes it: a socket, a pipe, or memory.
    ///
    /// # Errors
    /// The server cannot be built or started, or the stream failed.
    ///
    /// # Cancellation
    /// Dropping the future drops all handlers under way; what lifespans opened is dropped without being closed.
    pub async fn serve_stream(self, stream: ByteStream) -> Result {
        self.serve(stream, "stream", None).await
    }

    async fn serve(self, stream: ByteStream, over: &'static str, shutdown: Option<Shutdown>) -> Result {
        let built = self.build()?;
        let mut connection = Connection::new(Arc::new(built.clone())).with_limits(built.limits().clone());
        if let Some(tape) = built.tape() {
            connection = connection.with_recorder(Recorder::new(tape, over));
        }
        if let Some(shutdown) = &shutdown {
            connection = connection.with_shutdown(shutdown.clone());
        }
        let started = tokio::select! {
            started = built.start() => started.map(|()| true)?,
            () = triggered(shutdown) => false,
        };
        let served = if started { connection.serve(stream).await } else { Ok(()) };
        built.stop().await;
        Ok(served?)
    }
}

async fn triggered(shutdown: Option<Shutdown>) {
    match shutdown {
        Some(shutdown) => shutdown.triggered().await,
        None => std::future::pending().await,
    }
}

/// What `run` reads from the command line; all else belongs to the program.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    http: Option<String>,
    store: Option<String>,
    tape: Option<String>,
}

impl Options {
    /// Finds `--http ADDRESS`, `--store URL` and `--tape FILE`, also with `=` between.
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (argument.as_str(), None),
            };
            let (slot, example) = match name {
                "--http" => (&mut options.http, "an address, such as `--http 127.0.0.1:8000`"),
                "--tape" => (&mut options.tape, "a file, such as `--tape run.tape`"),
                "--store" => (&mut options.store, "a URL, such as `--store redis://localhost`"),
                _ => continue,
            };
            let value = value.or_else(|| arguments.next());
            *slot = Some(value.ok_or_else(|| Error::new(format!("`{name}` needs {example}")))?);
        }
        Ok(options)
    }
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
    fn only_our_options_are_read_from_the_command_line() {
        let find = |text: &str| {
            let options =
                Options::read(text.split_whitespace().map(str::to_owned)).map_err(|error| error.to_string())?;
            Ok::<_, String>((options.http, options.store, options.tape))
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(find("--verbose file"), Ok((None, None, None)));
        assert_eq!(find("--http 127.0.0.1:80"), Ok((some("127.0.0.1:80"), None, None)));
        assert_eq!(find("-v --http=[::1]:80 --store memory:"), Ok((some("[::1]:80"), some("memory:"), None)));
        assert_eq!(find("--store=redis://a?b=c"), Ok((None, some("redis://a?b=c"), None)));
        assert_eq!(find("--tape run.tape"), Ok((None, None, some("run.tape"))));
        assert!(find("--http").is_err() && find("--store").is_err() && find("--tape").is_err());
        assert_eq!(find("--httpx --stored"), Ok((None, None, None)));
    }

    #[test]
    fn a_bad_store_says_what_to_try() {
        let error = open_store("mysql://user:secret@host").expect_err("it is bad").to_string();
        assert!(error.contains("redis://") && !error.contains("secret"), "{error}");
    }
}
