//! Serving: standard streams by default, any byte stream, HTTP, or what the command line says.

mod cli;
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

use std::sync::Arc;

use jackfield_peer::tape::Recorder;
use jackfield_peer::{ByteStream, Connection, Shutdown};

use crate::{Result, RunningServer, Server};

impl Server {
    /// Serves the standard streams until the client closes them, or `Ctrl-C` or SIGTERM comes. Requests under way are then answered; a
    /// second signal does not wait for them.
    ///
    /// The command line is not read; see [`run_cli`](Self::run_cli) for a program whose options are those of the server.
    ///
    /// # Errors
    /// The server cannot be built or started, or the stream failed.
    ///
    /// # Cancellation
    /// Dropping the future drops all handlers under way; what lifespans opened is dropped without being closed.
    pub async fn run(self) -> Result {
        self.serve_stdio().await
    }

    /// Serves the standard streams, as [`run`](Self::run) does.
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

    /// Serves any byte stream with one message per line until the client closes it: a socket, a pipe, or memory. The server is started
    /// before and stopped afterwards; a [running server](RunningServer::serve_stream) serves many streams.
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
        let Some(running) = self.build()?.start_unless(triggered(shutdown.clone())).await? else { return Ok(()) };
        let served = running.serve_until(stream, over, shutdown).await;
        running.stop().await;
        served
    }
}

impl RunningServer {
    /// Serves a byte stream with one message per line until the client closes it: a socket, a pipe, or memory. The server goes on
    /// running.
    ///
    /// # Errors
    /// The stream failed.
    ///
    /// # Cancellation
    /// Dropping the future drops all handlers under way.
    pub async fn serve_stream(&self, stream: ByteStream) -> Result {
        self.serve_until(stream, "stream", None).await
    }

    async fn serve_until(&self, stream: ByteStream, over: &'static str, shutdown: Option<Shutdown>) -> Result {
        let mut connection = Connection::new(Arc::new(self.clone())).with_limits(self.setup().stream_limits.clone());
        if let Some(tape) = self.tape() {
            connection = connection.with_recorder(Recorder::new(tape, over));
        }
        if let Some(shutdown) = shutdown {
            connection = connection.with_shutdown(shutdown);
        }
        Ok(connection.serve(stream).await?)
    }
}

async fn triggered(shutdown: Option<Shutdown>) {
    match shutdown {
        Some(shutdown) => shutdown.triggered().await,
        None => std::future::pending().await,
    }
}
