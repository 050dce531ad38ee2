//! Listening for connections.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jackfield_peer::deadline::after;
use jackfield_peer::{Handler, Shutdown};
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, timeout_at};

use crate::connection::{self, Protocol};
use crate::endpoint::Endpoint;
use crate::legacy::SWEEP;
use crate::{HttpConfig, StreamableService};

/// Serves a handler over HTTP.
///
/// ```no_run
/// # async fn example(handler: std::sync::Arc<dyn jackfield_peer::Handler>) -> Result<(), jackfield_http::Error> {
/// use jackfield_http::HttpServer;
///
/// let (trigger, shutdown) = jackfield_peer::Shutdown::new();
/// let server = HttpServer::new(handler).bind("127.0.0.1:8000").await?;
/// println!("listening on {}", server.local_addr());
/// server.serve(shutdown).await
/// # }
/// ```
pub struct HttpServer {
    handler: Arc<dyn Handler>,
    config: HttpConfig,
    #[cfg(feature = "tls")]
    tls: Option<rustls::ServerConfig>,
}

/// A server that has its address, and waits to be started.
pub struct BoundServer {
    listener: TcpListener,
    address: SocketAddr,
    service: StreamableService,
    #[cfg(feature = "tls")]
    tls: Option<tokio_rustls::TlsAcceptor>,
}

/// The server cannot listen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address is not free, or not ours.
    #[error("listening failed")]
    Listen(#[source] io::Error),
    /// The address can be reached from other machines, and nothing says that this is meant.
    #[error("{0} can be reached from other machines; if that is meant, set `allow_remote`")]
    Remote(SocketAddr),
    /// Other machines could reach the server, and nothing asks who they are.
    #[error("{0} would serve strangers; set an authenticator, or `allow_unauthenticated` if that is meant")]
    Unauthenticated(SocketAddr),
}

impl HttpServer {
    /// Makes a server that is answered by `handler`.
    pub fn new(handler: Arc<dyn Handler>) -> Self {
        Self {
            handler,
            config: HttpConfig::default(),
            #[cfg(feature = "tls")]
            tls: None,
        }
    }

    /// Sets it up.
    #[must_use]
    pub fn config(mut self, config: HttpConfig) -> Self {
        self.config = config;
        self
    }

    /// Serves over TLS. HTTP/2 is offered if the configuration allows it.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn tls(mut self, tls: rustls::ServerConfig) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Takes the address.
    ///
    /// # Errors
    /// The address is taken, or is not this machine's own and the configuration does not allow others.
    pub async fn bind(self, address: impl ToSocketAddrs) -> Result<BoundServer, Error> {
        let addresses: Vec<_> = tokio::net::lookup_host(address).await.map_err(Error::Listen)?.collect();
        if let Some(remote) = addresses.iter().find(|address| !address.ip().to_canonical().is_loopback()) {
            if !self.config.allow_remote {
                return Err(Error::Remote(*remote));
            }
            if self.config.authenticator.is_none() {
                if !self.config.allow_unauthenticated {
                    return Err(Error::Unauthenticated(*remote));
                }
                tracing::warn!(address = %remote, "serving other machines without asking who they are");
            }
        }
        let listener = TcpListener::bind(&*addresses).await.map_err(Error::Listen)?;
        let address = listener.local_addr().map_err(Error::Listen)?;
        #[cfg(feature = "tls")]
        let http2 = self.config.http2;
        Ok(BoundServer {
            listener,
            address,
            service: StreamableService::new(self.handler, self.config),
            #[cfg(feature = "tls")]
            tls: self.tls.map(|mut tls| {
                tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()].split_off(usize::from(!http2));
                Arc::new(tls).into()
            }),
        })
    }
}

impl BoundServer {
    /// Returns the address that the server listens on.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Returns the service that answers, for a look at its state.
    #[must_use]
    pub fn service(&self) -> StreamableService {
        self.service.clone()
    }

    /// Serves until `shutdown` is triggered. Then nothing new is taken, calls under way have the time of
    /// [`crate::HttpLimits::drain`] to finish, and what still runs is dropped.
    ///
    /// # Errors
    /// None at present: a failing connection concerns only its client.
    ///
    /// # Cancellation
    /// Dropping the future closes all connections at once.
    pub async fn serve(self, shutdown: Shutdown) -> Result<(), Error> {
        let endpoint = self.service.endpoint().clone();
        endpoint.start_node();
        let protocol = Arc::new(Protocol::new(&endpoint.config, endpoint.calls()));
        let mut connections = JoinSet::new();
        let addresses = Arc::new(Addresses::default());
        let mut sweep = tokio::time::interval(SWEEP);
        sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, address)) => {
                        if connections.len() < endpoint.limits().connections
                            && let Some(permit) = addresses.take(address.ip(), endpoint.limits().connections_per_address)
                        {
                            self.connect(&mut connections, stream, address, permit, &endpoint, &protocol, &shutdown);
                        }
                    }
                    Err(error) => {
                        // Out of descriptors, or a client that went at once: others may still be served.
                        tracing::warn!(%error, "a connection could not be accepted");
                        tokio::time::sleep(Duration::from_millis(50)).await;
                    }
                },
                Some(_) = connections.join_next() => {}
                _ = sweep.tick() => endpoint.host.sweep(),
                () = shutdown.triggered() => break,
            }
        }
        drop(self.listener);
        let deadline = after(endpoint.limits().drain);
        endpoint.begin_shutdown();
        let drained = async { while connections.join_next().await.is_some() {} };
        if timeout_at(deadline, drained).await.is_err() {
            tracing::warn!("calls were still running when the time to finish was over");
        }
        endpoint.finish_shutdown(deadline.saturating_duration_since(Instant::now())).await;
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one accept loop, named once")]
    fn connect(
        &self,
        connections: &mut JoinSet<()>,
        stream: TcpStream,
        address: SocketAddr,
        permit: ConnectionPermit,
        endpoint: &Arc<Endpoint>,
        protocol: &Arc<Protocol>,
        shutdown: &Shutdown,
    ) {
        set_options(&stream, endpoint.limits().write_timeout);
        let (endpoint, protocol, shutdown) = (endpoint.clone(), protocol.clone(), shutdown.clone());
        #[cfg(feature = "tls")]
        if let Some(acceptor) = self.tls.clone() {
            connections.spawn(async move {
                let _permit = permit;
                // A handshake is part of the head of the first request.
                match tokio::time::timeout(endpoint.limits().header_timeout, acceptor.accept(stream)).await {
                    Ok(Ok(stream)) => connection::serve(stream, address, endpoint, protocol, shutdown).await,
                    Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
                    Err(_) => tracing::debug!("a TLS handshake took too long"),
                }
            });
            return;
        }
        connections.spawn(async move {
            let _permit = permit;
            connection::serve(stream, address, endpoint, protocol, shutdown).await;
        });
    }
}

/// Answers go out at once, and a client that vanished is found.
fn set_options(stream: &TcpStream, dead_after: Duration) {
    let mut done = stream.set_nodelay(true);
    #[cfg(target_os = "linux")]
    {
        let milliseconds = u32::try_from(dead_after.as_millis()).unwrap_or(u32::MAX);
        done = done.and(rustix::net::sockopt::set_tcp_user_timeout(stream, milliseconds).map_err(Into::into));
    }
    #[cfg(not(target_os = "linux"))]
    let _ = dead_after;
    if let Err(error) = done {
        tracing::debug!(%error, "a socket option could not be set");
    }
}

/// How many connections come from each address.
#[derive(Debug, Default)]
struct Addresses(Mutex<HashMap<IpAddr, usize>>);

/// A connection of an address, until it is dropped.
#[derive(Debug)]
struct ConnectionPermit {
    addresses: Arc<Addresses>,
    address: IpAddr,
}

impl Addresses {
    fn take(self: &Arc<Self>, address: IpAddr, limit: usize) -> Option<ConnectionPermit> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(address).or_default();
        if *count >= limit {
            return None;
        }
        *count = count.saturating_add(1);
        Some(ConnectionPermit { addresses: self.clone(), address })
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut counts = self.addresses.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.address) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpServer").field("config", &self.config).finish_non_exhaustive()
    }
}

impl fmt::Debug for BoundServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundServer").field("address", &self.address).finish_non_exhaustive()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// T-026 in part: what is written to a client that vanished without a word is not waited for without end. Streams write at
    /// least a comment every 15 seconds, so that such a client is found within two of them and this time.
    #[tokio::test]
    async fn half_open_connections_are_found() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (accepted, _) = listener.accept().await.unwrap();
        set_options(&accepted, crate::HttpLimits::default().write_timeout);
        assert_eq!(rustix::net::sockopt::tcp_user_timeout(&accepted).unwrap(), 30_000);
        assert!(accepted.nodelay().unwrap());
    }
}
