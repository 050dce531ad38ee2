//! Which addresses a host has.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::net::{TcpStream, lookup_host};

use super::authorizer::Boxed;

/// Says which addresses a host has. Connections are opened to these and no others, so what is left out cannot be reached,
/// even if the name means something else a moment later.
pub trait Resolve: Send + Sync + fmt::Debug + 'static {
    /// Returns the addresses of a host in the order to try. The host is a name or an address, without brackets.
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Boxed<'a, io::Result<Vec<SocketAddr>>>;
}

/// What the operating system says.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemNames;

impl Resolve for SystemNames {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Boxed<'a, io::Result<Vec<SocketAddr>>> {
        Box::pin(async move {
            if let Ok(address) = host.parse::<IpAddr>() {
                return Ok(vec![SocketAddr::new(address, port)]);
            }
            Ok(lookup_host((host, port)).await?.collect())
        })
    }
}

/// Opens a connection to the first address that answers. None may use up the time of those after it.
pub(super) async fn connect(addresses: &[SocketAddr], limit: Duration) -> io::Result<TcpStream> {
    let share = limit / u32::try_from(addresses.len()).unwrap_or(u32::MAX).max(1);
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in addresses {
        match tokio::time::timeout(share, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Ok(Err(error)) => last = error,
            Err(_) => last = io::ErrorKind::TimedOut.into(),
        }
    }
    Err(last)
}
