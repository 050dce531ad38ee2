//! Opening connections: directly or through a proxy, with TLS or without.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::{HeaderValue, Uri};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use jackfield_peer::ByteStream;
use tower_service::Service;

use super::authorizer::Boxed;
use super::conn::Conn;
use super::origin::port;
use super::resolve::{self, Resolve};
#[cfg(feature = "client-tls")]
use super::tls::Tls;

/// Opens byte streams to servers in another way than over TCP: a Unix socket, a tunnel, or memory. It sees every address
/// before anything is sent there, so it can also refuse some.
pub trait Dial: Send + Sync + fmt::Debug + 'static {
    /// Opens a stream to the host of `uri`, ready for HTTP/1.1; TLS is its own business.
    fn dial<'a>(&'a self, uri: &'a Uri) -> Boxed<'a, io::Result<ByteStream>>;
}

/// Opens connections.
#[derive(Clone)]
pub(super) struct Dialer {
    pub(super) tcp: HttpConnector,
    pub(super) proxies: Option<Arc<Matcher>>,
    #[cfg(feature = "client-tls")]
    pub(super) tls: Tls,
    pub(super) dial: Option<Arc<dyn Dial>>,
    pub(super) names: Option<Arc<dyn Resolve>>,
    pub(super) timeout: Duration,
}

impl Dialer {
    async fn open(self, uri: Uri) -> io::Result<Conn> {
        if let Some(dial) = &self.dial {
            let (reader, writer) = dial.dial(&uri).await?.into_parts();
            return Ok(Conn::new(tokio::io::join(reader, writer)));
        }
        let is_https = uri.scheme_str() == Some("https");
        match self.proxy(&uri) {
            None if is_https => self.open_tls(self.direct(&uri).await?, &uri).await,
            None => Ok(Conn::new(self.direct(&uri).await?)),
            Some(proxy) if proxy.uri().scheme_str() != Some("http") => {
                Err(io::Error::new(io::ErrorKind::Unsupported, "only http proxies are supported"))
            }
            Some(proxy) if is_https => {
                let mut tunnel = Tunnel::new(proxy.uri().clone(), self.tcp.clone());
                if let Some(auth) = proxy.basic_auth() {
                    tunnel = tunnel.with_auth(auth.clone());
                }
                let stream = tunnel.call(uri.clone()).await.map_err(io::Error::other)?;
                self.open_tls(stream.into_inner(), &uri).await
            }
            Some(proxy) => Ok(Conn::new(self.tcp(proxy.uri().clone()).await?).through_proxy()),
        }
    }

    /// Connects to the host itself, at an address that it is allowed to have.
    async fn direct(&self, uri: &Uri) -> io::Result<tokio::net::TcpStream> {
        let Some(names) = &self.names else { return self.tcp(uri.clone()).await };
        let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
        let addresses = names.resolve(host, port(uri).unwrap_or(443)).await?;
        resolve::connect(&addresses, self.timeout).await
    }

    async fn tcp(&self, uri: Uri) -> io::Result<tokio::net::TcpStream> {
        // The error's own text says less than its causes, which stay reachable.
        self.tcp.clone().call(uri).await.map(hyper_util::rt::TokioIo::into_inner).map_err(io_error)
    }

    #[cfg(feature = "client-tls")]
    async fn open_tls(&self, stream: tokio::net::TcpStream, uri: &Uri) -> io::Result<Conn> {
        self.tls.open(stream, uri.host().unwrap_or_default()).await
    }

    #[cfg(not(feature = "client-tls"))]
    #[expect(clippy::unused_async, reason = "with TLS it waits")]
    async fn open_tls(&self, _: tokio::net::TcpStream, _: &Uri) -> io::Result<Conn> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "https needs the feature `client-tls`"))
    }

    /// Returns the proxy for an address. This machine is never reached through one.
    fn proxy(&self, uri: &Uri) -> Option<Intercept> {
        let proxies = self.proxies.as_ref().filter(|_| self.dial.is_none())?;
        if is_loopback(uri.host()?) { None } else { proxies.intercept(uri) }
    }

    /// Returns what a proxy that reads requests must know about who is asking.
    pub(super) fn proxy_authorization(&self, uri: &Uri) -> Option<HeaderValue> {
        if uri.scheme_str() == Some("https") {
            return None;
        }
        let mut value = self.proxy(uri)?.basic_auth()?.clone();
        value.set_sensitive(true);
        Some(value)
    }
}

fn io_error(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    let mut kind = io::ErrorKind::Other;
    while let Some(next) = cause {
        if let Some(io) = next.downcast_ref::<io::Error>() {
            kind = io.kind();
        }
        cause = next.source();
    }
    io::Error::new(kind, error)
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let is_name = host.eq_ignore_ascii_case("localhost") || host.to_ascii_lowercase().ends_with(".localhost");
    is_name || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl Service<Uri> for Dialer {
    type Response = Conn;
    type Error = io::Error;
    type Future = Boxed<'static, io::Result<Conn>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let dialer = self.clone();
        Box::pin(async move {
            let limit = dialer.timeout;
            tokio::time::timeout(limit, dialer.open(uri)).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
        })
    }
}

impl fmt::Debug for Dialer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dialer").field("dial", &self.dial).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialer(matcher: Matcher) -> Dialer {
        Dialer {
            tcp: HttpConnector::new(),
            proxies: Some(Arc::new(matcher)),
            #[cfg(feature = "client-tls")]
            tls: Tls::Platform,
            dial: None,
            names: None,
            timeout: Duration::from_secs(1),
        }
    }

    #[test]
    fn this_machine_is_never_reached_through_a_proxy() {
        let dialer = dialer(Matcher::builder().all("http://user:secret@proxy:3128").build());
        for host in ["localhost", "LOCALHOST", "a.localhost", "127.0.0.1", "127.9.9.9", "[::1]"] {
            assert!(dialer.proxy(&format!("http://{host}:1/").parse().unwrap()).is_none(), "{host}");
        }
        let elsewhere: Uri = "http://example.com/".parse().unwrap();
        assert!(dialer.proxy(&elsewhere).is_some());
        let value = dialer.proxy_authorization(&elsewhere).unwrap();
        assert_eq!(format!("{value:?}"), "Sensitive");
        assert!(dialer.proxy_authorization(&"https://example.com/".parse().unwrap()).is_none());
    }
}
