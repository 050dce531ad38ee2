//! A load balancer of the plainest kind.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How long a node may take to accept a connection; a frozen one accepts without end, but does nothing with it.
const PATIENCE: Duration = Duration::from_secs(1);

/// Hands each connection to the next node, whoever it comes from. It ends with the value.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    cuts: watch::Sender<()>,
    _task: JoinSet<()>,
}

impl Proxy {
    /// Begins to listen on a free port. A node that does not take a connection is passed over.
    ///
    /// # Errors
    /// There is no free port.
    pub async fn start(nodes: Vec<SocketAddr>) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let mut task = JoinSet::new();
        let (cuts, cut) = watch::channel(());
        task.spawn(accept(listener, nodes.into(), cut));
        Ok(Self { address, cuts, _task: task })
    }

    /// Cuts all connections that there are.
    pub fn cut(&self) {
        self.cuts.send_replace(());
    }

    /// Returns where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

async fn accept(listener: TcpListener, nodes: Arc<[SocketAddr]>, mut cut: watch::Receiver<()>) {
    let mut connections = JoinSet::new();
    let next = Arc::new(AtomicUsize::new(0));
    loop {
        tokio::select! {
            accepted = listener.accept() => if let Ok((client, _)) = accepted {
                cut.mark_unchanged();
                connections.spawn(carry(client, nodes.clone(), next.clone(), cut.clone()));
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn carry(mut client: TcpStream, nodes: Arc<[SocketAddr]>, next: Arc<AtomicUsize>, mut cut: watch::Receiver<()>) {
    for _ in 0..nodes.len() {
        let at = next.fetch_add(1, Ordering::Relaxed) % nodes.len();
        let Some(node) = nodes.get(at) else { return };
        let Ok(Ok(mut node)) = tokio::time::timeout(PATIENCE, TcpStream::connect(node)).await else { continue };
        let _ = (client.set_nodelay(true), node.set_nodelay(true));
        // Whoever ends first ends it for both.
        tokio::select! {
            _ = tokio::io::copy_bidirectional(&mut client, &mut node) => {}
            _ = cut.changed() => {}
        }
        return;
    }
}
