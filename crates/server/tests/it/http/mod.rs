//! The server over real HTTP.

// The client of the transport's own tests.
#[expect(dead_code, reason = "the transport's tests need more of it")]
#[path = "../../../../http/tests/it/client.rs"]
mod client;

mod after_call;
mod eras;
mod facts;
mod nodes;
mod old_transport;
mod own_stream;
#[cfg(unix)]
mod starting;
mod tasks;

use std::net::SocketAddr;
use std::sync::Arc;

use jackfield_http::{HttpConfig, HttpServer};
use jackfield_peer::{Shutdown, ShutdownTrigger};
use tokio::task::JoinSet;

use crate::talk::Serve;

/// A server that listens until it is dropped.
struct Listening {
    address: SocketAddr,
    _trigger: ShutdownTrigger,
    _task: JoinSet<()>,
}

impl Listening {
    async fn start(server: impl Serve) -> Self {
        Self::with(server, HttpConfig::default()).await
    }

    async fn with(server: impl Serve, config: HttpConfig) -> Self {
        let bound = HttpServer::new(Arc::new(server.running())).config(config).bind("127.0.0.1:0").await.unwrap();
        let (trigger, shutdown) = Shutdown::new();
        let address = bound.local_addr();
        let mut task = JoinSet::new();
        task.spawn(async move { bound.serve(shutdown).await.unwrap() });
        Self { address, _trigger: trigger, _task: task }
    }
}
