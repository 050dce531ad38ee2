//! Serving over HTTP.

use std::sync::Arc;

use jackfield_http::{HttpConfig, HttpServer, StreamableService};
use jackfield_peer::Shutdown;
use tokio::net::ToSocketAddrs;

use super::Signals;
use crate::{Result, RunningServer, Server};

impl Server {
    /// Serves HTTP until `Ctrl-C` or SIGTERM comes: Streamable HTTP of both eras at `/mcp`, HTTP+SSE at `/sse`. Requests under way are
    /// then finished; a second signal does not wait for them.
    ///
    /// The default configuration lets in only what comes from this machine; see [`Server::serve_http_with`].
    ///
    /// # Errors
    /// The server cannot be built or started, or the address cannot be listened on.
    ///
    /// # Cancellation
    /// Dropping the future drops all handlers under way; what lifespans opened is dropped without being closed.
    pub async fn serve_http(self, address: impl ToSocketAddrs) -> Result {
        self.serve_http_with(address, HttpConfig::default()).await
    }

    /// Serves HTTP as [`Server::serve_http`] does, with a configuration.
    ///
    /// # Errors
    /// The server cannot be built or started, or the address cannot be listened on.
    ///
    /// # Cancellation
    /// Dropping the future drops all handlers under way; what lifespans opened is dropped without being closed.
    pub async fn serve_http_with(self, address: impl ToSocketAddrs, config: HttpConfig) -> Result {
        let mut signals = Signals::new()?;
        let (trigger, shutdown) = Shutdown::new();
        // Load balancers take an open port for a server that is ready, so it is started first.
        let Some(running) = self.build()?.start_unless(signals.next()).await? else { return Ok(()) };
        let config = running.completed(config);
        let bound = match HttpServer::new(Arc::new(running.clone())).config(config).bind(address).await {
            Ok(bound) => bound,
            Err(error) => {
                running.stop().await;
                return Err(error.into());
            }
        };
        tracing::info!(address = %bound.local_addr(), "listening");
        let serving = bound.serve(shutdown);
        tokio::pin!(serving);
        let mut served = tokio::select! {
            served = &mut serving => Some(served),
            () = signals.next() => None,
        };
        if served.is_none() {
            trigger.trigger();
            served = tokio::select! {
                served = &mut serving => Some(served),
                () = signals.next() => None,
            };
        }
        running.stop().await;
        Ok(served.unwrap_or(Ok(()))?)
    }
}

impl RunningServer {
    /// Makes a `tower` service of HTTP requests, to be mounted in an application of your own.
    #[must_use]
    pub fn http_service(&self, config: HttpConfig) -> StreamableService {
        StreamableService::new(Arc::new(self.clone()), self.completed(config))
    }

    /// Keeps sessions where the server keeps everything else, and records on its tape, unless the configuration says otherwise.
    fn completed(&self, mut config: HttpConfig) -> HttpConfig {
        config.stores = config.stores.or_else(|| self.stores().cloned());
        config.tape = config.tape.or_else(|| self.tape().cloned());
        config
    }
}
