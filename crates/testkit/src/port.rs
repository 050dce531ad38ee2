//! Ports whose number has to be known before the server runs.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

/// A port of the loopback address that is kept for one server while the value lives, also while that server is not running.
///
/// A port that was found by binding to port 0 and then released may be given to any other program before the server binds it, and
/// whoever connects then talks to a stranger. Here the port stays bound, by a socket that does not listen: Linux gives it to nobody who
/// asks for any port, refuses connections to it, and lets a server that sets `SO_REUSEADDR` (as tokio, std, Redis and Python do) bind it.
#[derive(Debug)]
pub struct ReservedPort {
    address: SocketAddr,
    #[cfg(target_os = "linux")]
    _bound: rustix::fd::OwnedFd,
}

impl ReservedPort {
    /// Reserves a port that nobody uses.
    ///
    /// # Errors
    /// There is none.
    #[cfg(target_os = "linux")]
    pub fn new() -> io::Result<Self> {
        use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, getsockname, socket_with, sockopt};
        // Not inherited by children, which would keep it for longer.
        let bound = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        sockopt::set_socket_reuseaddr(&bound, true)?;
        bind(&bound, &SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        let address = SocketAddr::try_from(getsockname(&bound)?)?;
        Ok(Self { address, _bound: bound })
    }

    /// Finds a port that nobody uses. Other systems do not let two sockets share it, so that it is only likely to stay free.
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

    /// Mistake: the number of a port was kept and the port released, so that another test's server could be the one that answered.
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

    /// It is never handed out to somebody who asks for any port, neither to listen nor to connect from.
    #[test]
    fn a_reserved_port_is_given_to_nobody_else() {
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
