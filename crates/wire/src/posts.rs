//! Requests over HTTP/1.1, for a while.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::pipes::{contains, excerpt};
use crate::{Response, Turn};

/// How long a server may take for one answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Sends each request over a connection of its own, again and again for so long, and checks that it is answered with a result.
///
/// All connections always have a request under way. They are looked at in turns, by one thread that waits for nothing but the next
/// answer, which costs less than to be told which of them has one.
///
/// # Errors
/// A server closed a connection, took too long, or answered something else than a result.
pub fn send_posts(address: SocketAddr, requests: &[Vec<u8>], time: Duration) -> Result<Turn> {
    let mut connections =
        requests.iter().map(|request| Connection::open(address, request)).collect::<Result<Vec<_>>>()?;
    let (start, mut answered) = (Instant::now(), 0);
    for connection in &mut connections {
        connection.send()?;
    }
    while start.elapsed() < time {
        for connection in &mut connections {
            connection.receive()?;
            connection.send()?;
        }
        answered += requests.len() as u64;
    }
    for connection in &mut connections {
        connection.receive()?;
    }
    Ok(Turn { requests: answered + requests.len() as u64, time: start.elapsed() })
}

struct Connection<'a> {
    stream: TcpStream,
    request: &'a [u8],
    buffer: Vec<u8>,
}

impl<'a> Connection<'a> {
    fn open(address: SocketAddr, request: &'a [u8]) -> Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self { stream, request, buffer: vec![0; 1 << 15] })
    }

    fn send(&mut self) -> Result<()> {
        self.stream.write_all(self.request)
    }

    fn receive(&mut self) -> Result<()> {
        let mut filled = 0;
        while Response::length(&self.buffer[..filled])?.is_none() {
            if filled == self.buffer.len() {
                self.buffer.resize(2 * filled, 0);
            }
            match self.stream.read(&mut self.buffer[filled..])? {
                0 => return Err(Error::new(ErrorKind::UnexpectedEof, "the connection was closed")),
                read => filled += read,
            }
        }
        let head = &self.buffer[..filled.min(900)];
        if head.starts_with(b"HTTP/1.1 200") && contains(head, b"\"result\"") {
            return Ok(());
        }
        Err(Error::other(format!("it answered {}", excerpt(head))))
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// Answers everything on two connections with this body.
    fn serve(body: &'static str) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        for listener in [listener.try_clone().unwrap(), listener] {
            thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
                let mut request = [0; 4];
                // In two parts, as some servers do.
                while stream.read_exact(&mut request).is_ok() && stream.write_all(&answer.as_bytes()[..9]).is_ok() {
                    let _ = stream.write_all(&answer.as_bytes()[9..]);
                }
            });
        }
        address
    }

    #[test]
    fn every_connection_is_used_and_every_answer_counted() {
        let turn = send_posts(serve(r#"{"result":1}"#), &[b"ping".to_vec(), b"pong".to_vec()], Duration::ZERO).unwrap();
        assert_eq!(turn.requests, 2);
        let time = Duration::from_millis(5);
        let turn = send_posts(serve(r#"{"result":1}"#), &[b"ping".to_vec(), b"pong".to_vec()], time).unwrap();
        assert!(turn.requests >= 4 && turn.requests.is_multiple_of(2) && turn.time >= time, "{turn:?}");
    }

    #[test]
    fn an_answer_without_a_result_is_refused() {
        let error = send_posts(serve(r#"{"error":1}"#), &[b"ping".to_vec()], Duration::ZERO).unwrap_err();
        assert!(error.to_string().contains(r#"{"error":1}"#), "{error}");
    }
}
