//! Serving one connection.

use std::convert::Infallible;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use jackfield_peer::Shutdown;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::activity::Activity;
use crate::aside::Aside;
use crate::endpoint::{Endpoint, Sender};
use crate::io::WatchedIo;
use crate::{HttpConfig, HttpLimits};

/// What hyper allows by itself.
const DEFAULT_HEADER_FIELDS: usize = 100;

/// Speaks HTTP/1 or HTTP/2, as the client wishes.
pub(crate) fn protocol(config: &HttpConfig) -> auto::Builder<TokioExecutor> {
    let limits = &config.limits;
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        // The watchdog measures heads and idle times, without a timer for each request.
        .header_read_timeout(None)
        .max_buf_size(limits.header_bytes.max(8192))
        // Head and body are copied into one buffer and leave in one write, which costs less than a list of two.
        .writev(false)
        .keep_alive(true);
    // The default needs no allocation per request.
    if limits.header_fields != DEFAULT_HEADER_FIELDS {
        builder.http1().max_headers(limits.header_fields);
    }
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX))
        .max_concurrent_streams(u32::try_from(limits.requests_in_flight).unwrap_or(u32::MAX))
        .max_pending_accept_reset_streams(20)
        .max_local_error_reset_streams(1024)
        .keep_alive_interval(limits.sse_keep_alive)
        .keep_alive_timeout(limits.sse_keep_alive);
    if config.http2 { builder } else { builder.http1_only() }
}

/// Serves one connection until the client closes it, stays idle for too long, or the server ends.
pub(crate) async fn serve<S>(
    stream: S,
    address: SocketAddr,
    endpoint: Arc<Endpoint>,
    protocol: Arc<auto::Builder<TokioExecutor>>,
    shutdown: Shutdown,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let activity = Activity::new();
    let limits = endpoint.limits().clone();
    let io = WatchedIo::new(TokioIo::new(stream), activity.clone(), limits.write_timeout);
    let watched = activity.clone();
    let sender = Arc::new(Sender::new(address.ip()));
    let service = service_fn(move |request: http::Request<hyper::body::Incoming>| {
        let busy = watched.begin(request.version() == http::Version::HTTP_2);
        let (endpoint, sender) = (endpoint.clone(), sender.clone());
        async move {
            let mut response = endpoint.serve(request, false, Some(&sender)).await;
            response.body_mut().keep_busy(busy);
            Ok::<_, Infallible>(response)
        }
    });
    let connection = protocol.serve_connection(io, service);
    tokio::pin!(connection);
    let aside = Aside::new(async {
        tokio::select! {
            () = watch(&activity, &limits) => Told::Close,
            () = shutdown.triggered() => Told::Finish,
        }
    });
    tokio::pin!(aside);
    let told = tokio::select! {
        biased;
        ended = connection.as_mut() => return note(ended),
        told = &mut aside => told,
    };
    if let Told::Finish = told {
        connection.as_mut().graceful_shutdown();
        tokio::select! {
            ended = connection.as_mut() => return note(ended),
            () = watch(&activity, &limits) => {}
        }
    }
    tracing::debug!("a connection was idle or slow for too long");
}

/// What a connection is told from outside.
enum Told {
    Close,
    Finish,
}

fn note<E: fmt::Display>(ended: Result<(), E>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Waits until the connection has been idle, or in the middle of a head, for too long.
async fn watch(activity: &Activity, limits: &HttpLimits) {
    while let Some(left) = activity.time_left(limits) {
        tokio::time::sleep(left).await;
    }
}
