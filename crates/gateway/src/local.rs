//! Servers that run in the process of the gateway.

use std::sync::Mutex;

use jackfield_peer::ByteStream;
use jackfield_server::Server;
use tokio::task::JoinSet;

use crate::forwarded_call::lock;

/// How many bytes wait in each direction.
const CAPACITY: usize = 256 * 1024;

/// The servers that run in the process of the gateway. Each ends when its client closes the connection.
#[derive(Debug, Default)]
pub(crate) struct LocalServers(Mutex<JoinSet<()>>);

impl LocalServers {
    /// Runs a server, and returns the client's end of its connection.
    pub(crate) fn serve(&self, name: String, server: Server) -> ByteStream {
        let (ours, theirs) = ByteStream::pair(CAPACITY);
        let mut serving = lock(&self.0);
        while serving.try_join_next().is_some() {}
        serving.spawn(async move {
            if let Err(error) = server.serve_stream(theirs).await {
                tracing::warn!(server = name, "a server in this process has failed: {error:#}");
            }
        });
        ours
    }

    /// Waits until all of them have ended, so that what they have to write at their end is written.
    pub(crate) async fn ended(&self) {
        let mut serving = std::mem::take(&mut *lock(&self.0));
        while serving.join_next().await.is_some() {}
    }
}
