//! Serving: standard streams by default, or any byte stream.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix::Signals;
#[cfg(windows)]
use windows::Signals;

use std::sync::Arc;

use jackfield_peer::{ByteStream, Connection, Shutdown};

use crate::{Error, Result, Server};

impl Server {
    /// Serves as the command line of the program says: the standard streams, or with `--http ADDRESS` HTTP.
    ///
    /// It returns when the client closes the stream, or after `Ctrl-C` or SIGTERM, when requests under way are answered.
    ///
    /// # Errors
    /// The server can not be built or started, or the stream failed.
    ///
    /// # Cancellation
    /// Dropping the future drops all handlers under way; what lifespans opened is dropped without being closed.
    pub async fn run(self) -> Result {
        match http_address(std::env::args().skip(1))? {
            None => self.serve_stdio().await,
            Some(address) => Err(Error::new(format!("can not listen on {address}: HTTP is not part of this build"))),
        }
    }

    /// Serves the standard streams until the client closes them, or `Ctrl-C` or SIGTERM comes; a second one does not wait for
    /// requests under way.
    ///
    /// # Errors
    /// The server can not be built or started, or the stream failed.
    ///
    /// # Cancellation
    /// Dropping the future drops all handlers under way; what lifespans opened is dropped without being closed.
    pub async fn serve_stdio(self) -> Result {
        let mut signals = Signals::new()?;
        let (trigger, shutdown) = Shutdown::new();
        // The streams are taken before anything of the user runs, so that nothing it prints reaches the client.
        let serving = self.serve(jackfield_peer::stdio::open()?, Some(shutdown));
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
    /// The server can not be built or started, or the stream failed.
    ///
    /// # Cancellation
    /// Dropping the future drops all handlers under way; what lifespans opened is dropped without being closed.
    pub async fn serve_stream(self, stream: ByteStream) -> Result {
        self.serve(stream, None).await
    }

    async fn serve(self, stream: ByteStream, shutdown: Option<Shutdown>) -> Result {
        let built = self.build()?;
        let mut connection = Connection::new(Arc::new(built.clone())).with_limits(built.limits().clone());
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

/// Finds `--http ADDRESS` or `--http=ADDRESS`; all else belongs to the program.
fn http_address(arguments: impl Iterator<Item = String>) -> Result<Option<String>> {
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.strip_prefix("--http") {
            Some("") => {
                let missing = || Error::new("`--http` needs an address, such as `--http 127.0.0.1:8000`");
                return arguments.next().ok_or_else(missing).map(Some);
            }
            Some(rest) if rest.starts_with('=') => return Ok(Some(rest.trim_start_matches('=').to_owned())),
            _ => {}
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_is_read_from_the_command_line() {
        let find =
            |text: &str| http_address(text.split_whitespace().map(str::to_owned)).map_err(|error| error.to_string());
        assert_eq!(find("--verbose file"), Ok(None));
        assert_eq!(find("--http 127.0.0.1:80"), Ok(Some("127.0.0.1:80".to_owned())));
        assert_eq!(find("-v --http=[::1]:80"), Ok(Some("[::1]:80".to_owned())));
        assert!(find("--http").is_err());
        assert_eq!(find("--httpx"), Ok(None));
    }
}
