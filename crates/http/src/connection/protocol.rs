//! The two versions of HTTP that are spoken, and which of them a client speaks.

use std::io;

use hyper::rt::{Read, Write};
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use jackfield_peer::CallLimits;

use super::io::WatchedIo;
use crate::HttpConfig;

/// What hyper allows by itself.
const DEFAULT_HEADER_FIELDS: usize = 100;

/// What every connection of HTTP/2 begins with, and none of HTTP/1 does.
const PREFACE: [u8; 24] = *b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// How HTTP/1 and HTTP/2 are spoken.
#[derive(Debug)]
pub(crate) struct Protocol {
    pub(super) http1: http1::Builder,
    pub(super) http2: http2::Builder<TokioExecutor>,
    speaks_http2: bool,
}

impl Protocol {
    pub(crate) fn new(config: &HttpConfig, calls: &CallLimits) -> Self {
        let limits = &config.limits;
        let mut http1 = http1::Builder::new();
        http1
            .timer(TokioTimer::new())
            // The watchdog measures heads and idle times, without a timer for each request.
            .header_read_timeout(None)
            .max_buf_size(limits.header_bytes.max(8192))
            // Head and body are copied into one buffer and leave in one write, which costs less than a list of two.
            .writev(false)
            // Whether a client has gone is looked for where a request takes its time; see `HyperIo`.
            .half_close(true)
            .keep_alive(true);
        // The default needs no allocation per request.
        if limits.header_fields != DEFAULT_HEADER_FIELDS {
            http1.max_headers(limits.header_fields);
        }
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2
            .timer(TokioTimer::new())
            .max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX))
            .max_concurrent_streams(u32::try_from(calls.requests_in_flight).unwrap_or(u32::MAX))
            .max_pending_accept_reset_streams(20)
            .max_local_error_reset_streams(1024)
            .keep_alive_interval(limits.sse_keep_alive)
            .keep_alive_timeout(limits.sse_keep_alive);
        Self { http1, http2, speaks_http2: config.http2 }
    }

    /// Finds out whether a client speaks HTTP/2. What was read for that will be read again.
    pub(super) async fn is_http2<T>(&self, io: &mut WatchedIo<T>) -> io::Result<bool>
    where
        T: Read + Write + Unpin,
    {
        if !self.speaks_http2 {
            return Ok(false);
        }
        let (mut begun, mut count) = ([0; PREFACE.len()], 0usize);
        loop {
            let rest = begun.get_mut(count..).unwrap_or_default();
            let read = io.read(rest).await?;
            count = count.saturating_add(read);
            let same = begun.iter().zip(&PREFACE).take(count).all(|(byte, expected)| byte == expected);
            if read == 0 || !same || count == PREFACE.len() {
                io.put_back(begun.get(..count).unwrap_or_default());
                return Ok(same && count == PREFACE.len());
            }
        }
    }
}
