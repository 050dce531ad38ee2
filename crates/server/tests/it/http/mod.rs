//! The server over real HTTP.

// The client of the transport's own tests.
#[expect(dead_code, reason = "the transport's tests need more of it")]
#[path = "../../../../http/tests/it/client.rs"]
mod client;

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
use jackfield_server::Server;
use tokio::task::JoinSet;

/// A server that listens until it is dropped.
struct Listening {
    address: SocketAddr,
    _trigger: ShutdownTrigger,
    _task: JoinSet<()>,
}

impl Listening {
    async fn start(server: &Server) -> Self {
        Self::with(server, HttpConfig::default()).await
    }

    async fn with(server: &Server, config: HttpConfig) -> Self {
        let built = server.build().unwrap();
        let bound = HttpServer::new(Arc::new(built)).config(config).bind("127.0.0.1:0").await.unwrap();
        let (trigger, shutdown) = Shutdown::new();
        let address = bound.local_addr();
        let mut task = JoinSet::new();
        task.spawn(async move { bound.serve(shutdown).await.unwrap() });
        Self { address, _trigger: trigger, _task: task }
    }
}
