//! A stream as it leaves on HTTP/1: its head, and each piece of its body as a chunk.

use std::future::poll_fn;
use std::io::{self, Write as _};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::SystemTime;

use bytes::Bytes;
use http::header::{CONNECTION, DATE, TRANSFER_ENCODING};
use http::{HeaderName, Response};
use http_body::Body as _;
use hyper::rt::{Read, Write};

use super::io::WatchedIo;
use crate::Body;

/// What is collected before it is written.
const ENOUGH: usize = 16 * 1024;

/// Writes a response that may stay open for long, with no memory but for what waits to be written. Fails when the client
/// has gone, and `response` is dropped.
pub(super) async fn write<T>(io: &mut WatchedIo<T>, response: Response<Body>, closes: bool) -> io::Result<()>
where
    T: Read + Write + Unpin,
{
    let (parts, body) = response.into_parts();
    let mut waiting = Vec::with_capacity(512);
    // Writing to memory does not fail.
    let _ = write!(waiting, "HTTP/1.1 {}\r\n", parts.status);
    let mut field = |name: &HeaderName, value: &[u8]| {
        waiting.extend_from_slice(name.as_str().as_bytes());
        waiting.extend_from_slice(b": ");
        waiting.extend_from_slice(value);
        waiting.extend_from_slice(b"\r\n");
    };
    for (name, value) in &parts.headers {
        field(name, value.as_bytes());
    }
    field(&TRANSFER_ENCODING, b"chunked");
    field(&DATE, httpdate::fmt_http_date(SystemTime::now()).as_bytes());
    if closes {
        field(&CONNECTION, b"close");
    }
    waiting.extend_from_slice(b"\r\n");
    drop(parts);
    let mut writing = Writing { io, body, waiting, written: 0, ended: false };
    poll_fn(|cx| writing.poll(cx)).await
}

/// A stream under way.
struct Writing<'a, T> {
    io: &'a mut WatchedIo<T>,
    body: Body,
    waiting: Vec<u8>,
    written: usize,
    ended: bool,
}

impl<T: Read + Write + Unpin> Writing<'_, T> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            let quiet = !self.ended && self.gather(cx).is_pending();
            ready!(self.poll_write(cx))?;
            if self.ended {
                return Poll::Ready(Ok(()));
            }
            if quiet {
                return self.io.poll_gone(cx).map(Err);
            }
        }
    }

    /// Takes what the body has; pending when that is all for now.
    fn gather(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while self.waiting.len() < ENOUGH {
            match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        self.add(&data);
                    }
                }
                Some(Err(never)) => match never {},
                None => {
                    self.waiting.extend_from_slice(b"0\r\n\r\n");
                    self.ended = true;
                    return Poll::Ready(());
                }
            }
        }
        Poll::Ready(())
    }

    fn add(&mut self, data: &Bytes) {
        // A chunk of no length would be the end.
        if data.is_empty() {
            return;
        }
        self.waiting.reserve(data.len().saturating_add(20));
        // Writing to memory does not fail.
        let _ = write!(self.waiting, "{:x}\r\n", data.len());
        self.waiting.extend_from_slice(data);
        self.waiting.extend_from_slice(b"\r\n");
    }

    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.waiting.is_empty() {
            return Poll::Ready(Ok(()));
        }
        while let Some(rest) = self.waiting.get(self.written..).filter(|rest| !rest.is_empty()) {
            match ready!(Pin::new(&mut *self.io).poll_write(cx, rest))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => self.written = self.written.saturating_add(count),
            }
        }
        ready!(Pin::new(&mut *self.io).poll_flush(cx))?;
        self.waiting = Vec::new();
        self.written = 0;
        Poll::Ready(Ok(()))
    }
}
