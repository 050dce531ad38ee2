//! Opening connections: directly or through a proxy, with TLS or without.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::{HeaderValue, Uri};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use jackfield_peer::ByteStream;
use tokio::net::TcpStream;
use tower_service::Service;
use url::{Host, Url};

use super::authorizer::Boxed;
use super::conn::Conn;
use super::origin::port;
use super::resolve::{self, Resolve, SystemNames};
#[cfg(feature = "client-tls")]
use super::tls::Tls;
use crate::fetch::{OutOfReach, Reach};

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
    pub(super) reach: Option<Reach>,
    pub(super) proxies: Option<Arc<Matcher>>,
    /// Whether this machine is reached through a proxy too.
    pub(super) proxies_loopback: bool,
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
            Some(proxy) if matches!(proxy.uri().scheme_str(), Some("socks5" | "socks5h")) => {
                let stream = self.through_socks(&proxy, &uri).await?;
                if is_https { self.open_tls(stream, &uri).await } else { Ok(Conn::new(stream)) }
            }
            Some(proxy) if proxy.uri().scheme_str() != Some("http") => {
                Err(io::Error::new(io::ErrorKind::Unsupported, "only http and socks5 proxies are supported"))
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

    /// Connects through a proxy that speaks SOCKS 5. It resolves the name.
    async fn through_socks(&self, proxy: &Intercept, uri: &Uri) -> io::Result<TcpStream> {
        let mut socks = SocksV5::new(proxy.uri().clone(), self.tcp.clone());
        if let Some((user, password)) = proxy.raw_auth() {
            socks = socks.with_auth(user.to_owned(), password.to_owned());
        }
        let stream = socks.call(with_port(uri)).await.map_err(io::Error::other)?;
        Ok(stream.into_inner())
    }

    /// Connects to the host itself: at an address within reach, if that is asked for.
    async fn direct(&self, uri: &Uri) -> io::Result<TcpStream> {
        if self.reach.is_none() && self.names.is_none() {
            return self.tcp(uri.clone()).await;
        }
        let url = Url::parse(&uri.to_string()).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        if let Some(reach) = self.reach {
            reach.check_url(&url).map_err(refused)?;
        }
        let port = url.port_or_known_default().unwrap_or_default();
        let mut addresses = match url.host() {
            Some(Host::Ipv4(address)) => vec![(address, port).into()],
            Some(Host::Ipv6(address)) => vec![(address, port).into()],
            Some(Host::Domain(name)) => self.resolve(name, port).await?,
            None => Vec::new(),
        };
        if let Some(reach) = self.reach {
            addresses = checked(reach, addresses)?;
        }
        resolve::connect(&addresses, self.timeout).await
    }

    async fn resolve(&self, name: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        match &self.names {
            Some(names) => names.resolve(name, port).await,
            None => SystemNames.resolve(name, port).await,
        }
    }

    async fn tcp(&self, uri: Uri) -> io::Result<TcpStream> {
        // The error's own text says less than its causes, which stay reachable.
        self.tcp.clone().call(uri).await.map(hyper_util::rt::TokioIo::into_inner).map_err(io_error)
    }

    #[cfg(feature = "client-tls")]
    async fn open_tls(&self, stream: TcpStream, uri: &Uri) -> io::Result<Conn> {
        self.tls.open(stream, uri.host().unwrap_or_default()).await
    }

    #[cfg(not(feature = "client-tls"))]
    #[expect(clippy::unused_async, reason = "with TLS it waits")]
    async fn open_tls(&self, _: TcpStream, _: &Uri) -> io::Result<Conn> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "https needs the feature `client-tls`"))
    }

    /// Returns the proxy for an address. This machine is not reached through one, unless the proxies were given for that.
    pub(super) fn proxy(&self, uri: &Uri) -> Option<Intercept> {
        let proxies = self.proxies.as_ref().filter(|_| self.dial.is_none())?;
        if !self.proxies_loopback && is_loopback(uri.host()?) { None } else { proxies.intercept(uri) }
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

/// Names the port that the scheme stands for: a SOCKS proxy hears only of a host and a port.
fn with_port(uri: &Uri) -> Uri {
    let (None, Some(host), Some(port)) = (uri.port(), uri.host(), port(uri)) else { return uri.clone() };
    let mut parts = uri.clone().into_parts();
    parts.authority = format!("{host}:{port}").parse().ok();
    Uri::from_parts(parts).unwrap_or_else(|_| uri.clone())
}

/// Leaves out what is not within reach. A name that leads nowhere else is refused.
fn checked(reach: Reach, addresses: Vec<SocketAddr>) -> io::Result<Vec<SocketAddr>> {
    let mut problem = None;
    let mut within = addresses;
    within.retain(|address| reach.check_address(address.ip()).map_err(|error| problem = Some(error)).is_ok());
    match problem {
        Some(problem) if within.is_empty() => Err(refused(problem)),
        _ => Ok(within),
    }
}

fn refused(why: OutOfReach) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why)
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
            reach: None,
            proxies: Some(Arc::new(matcher)),
            proxies_loopback: false,
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

    /// T-062 in part: a name that leads inside is refused after it was resolved, and what is dialled is what was checked.
    #[test]
    fn only_checked_addresses_are_dialled() {
        let of = |text: &str| text.split(' ').map(|address| address.parse().unwrap()).collect::<Vec<SocketAddr>>();
        assert_eq!(checked(Reach::Public, of("10.0.0.1:443 1.1.1.1:443")).unwrap(), of("1.1.1.1:443"));
        let error = checked(Reach::Web, of("127.0.0.1:80 [::1]:80 169.254.169.254:80")).unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string().as_str()),
            (io::ErrorKind::PermissionDenied, "the address is not public")
        );
        assert_eq!(checked(Reach::Desktop, of("127.0.0.1:80 169.254.169.254:80")).unwrap(), of("127.0.0.1:80"));
    }
}
