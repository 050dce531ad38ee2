//! Ports whose number must be known before the server starts.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

/// A loopback port that is reserved for one server as long as the value lives, also while that server is not running.
///
/// A port that was found by binding to port 0 and then released may be allocated to another process before the server binds it, and
/// clients then connect to that process. A reserved port stays bound, by a socket that does not listen. Linux then never allocates it as
/// an ephemeral port, refuses connections to it, and lets a server bind it that sets `SO_REUSEADDR`, as tokio, std, Redis and Python do.
#[derive(Debug)]
pub struct ReservedPort {
    address: SocketAddr,
    #[cfg(target_os = "linux")]
    _bound: rustix::fd::OwnedFd,
}

impl ReservedPort {
    /// Reserves a free port.
    ///
    /// # Errors
    /// There is none.
    #[cfg(target_os = "linux")]
    pub fn new() -> io::Result<Self> {
        use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, getsockname, socket_with, sockopt};
        // A child that inherited the socket would keep the port reserved.
        let bound = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        sockopt::set_socket_reuseaddr(&bound, true)?;
        bind(&bound, &SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        let address = SocketAddr::try_from(getsockname(&bound)?)?;
        Ok(Self { address, _bound: bound })
    }

    /// Finds a free port. It is not reserved: other systems do not let two sockets bind it.
    ///
    /// # Errors
    /// There is none.
    #[cfg(not(target_os = "linux"))]
    pub fn new() -> io::Result<Self> {
        let address = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        Ok(Self { address })
    }

    /// Returns the address to listen on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    /// Mistake: the port was released before its server was started, so that the server of another test could answer in its place.
    #[test]
    fn a_reserved_port_is_for_one_server() {
        let port = ReservedPort::new().unwrap();
        for _ in 0..2 {
            assert_eq!(TcpStream::connect(port.address()).unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
            let server = TcpListener::bind(port.address()).unwrap();
            TcpStream::connect(port.address()).unwrap();
            assert_eq!(TcpListener::bind(port.address()).unwrap_err().kind(), io::ErrorKind::AddrInUse);
            drop(server);
        }
    }

    /// It is never allocated as an ephemeral port, neither to listen on nor to connect from.
    #[test]
    fn a_reserved_port_is_never_allocated() {
        let reserved: Vec<_> = (0..400).map(|_| ReservedPort::new().unwrap()).collect();
        let is_reserved = |address: SocketAddr| reserved.iter().any(|port| port.address() == address);
        for _ in 0..400 {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            assert!(!is_reserved(listener.local_addr().unwrap()));
            let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            assert!(!is_reserved(client.local_addr().unwrap()));
        }
    }
}
