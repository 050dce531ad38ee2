//! Serving one connection.

use std::convert::Infallible;
use std::fmt;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use http::{Method, Request, Response, Version};
use http_body::Body as _;
use hyper::body::Incoming;
use hyper::rt::{Read, Write};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use jackfield_peer::Shutdown;
use tokio::io::{AsyncRead, AsyncWrite};

use super::activity::Activity;
use super::filtered_waker::WakerFilter;
use super::hyper_io::{HyperIo, Look};
use super::io::WatchedIo;
use super::protocol::Protocol;
use super::request_body::RequestBody;
use super::side_future::SideFuture;
use super::streaming;
use crate::endpoint::{Endpoint, apart};
use crate::request::ClientMemo;
use crate::{Body, HttpLimits};

/// Serves one connection until the client closes it, stays idle for too long, or the server ends.
///
/// hyper reads requests and writes answers. While a stream is open, which may be hours, its buffers would wait for nothing, so
/// that the connection is taken from it for that time.
pub(crate) async fn serve<S>(
    stream: S,
    address: SocketAddr,
    endpoint: Arc<Endpoint>,
    protocol: Arc<Protocol>,
    shutdown: Shutdown,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let activity = Activity::new();
    let mut io = WatchedIo::new(TokioIo::new(stream), activity.clone(), endpoint.limits().write_timeout);
    let client = Arc::new(ClientMemo::new(address.ip()));
    let mut connection = ClientConnection {
        interruptions: Interruptions::new(&activity, &endpoint, shutdown),
        activity,
        endpoint,
        client,
    };
    let is_http2 = tokio::select! {
        biased;
        found = protocol.is_http2(&mut io) => found,
        _ = poll_fn(|cx| connection.interruptions.poll(cx)) => return connection.interruptions.late(),
    };
    match is_http2 {
        Ok(true) => Box::pin(connection.http2(io, &protocol)).await,
        Ok(false) => connection.http1(io, &protocol).await,
        Err(error) => note(Err(error)),
    }
}

/// What all requests of a connection share.
struct ClientConnection {
    interruptions: Interruptions,
    activity: Arc<Activity>,
    endpoint: Arc<Endpoint>,
    client: Arc<ClientMemo>,
}

impl ClientConnection {
    async fn http2<T>(mut self, io: WatchedIo<T>, protocol: &Protocol)
    where
        T: Read + Write + Unpin + Send + 'static,
    {
        let (activity, endpoint, client) = (self.activity.clone(), self.endpoint.clone(), self.client.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            let (busy, endpoint, client) = (activity.begin(true), endpoint.clone(), client.clone());
            let (parts, body) = apart(request);
            async move {
                let mut response = endpoint.serve(parts, body, false, Some(&client)).await;
                response.body_mut().keep_busy(busy);
                Ok::<_, Infallible>(response)
            }
        });
        let connection = protocol.http2.serve_connection(io, service);
        tokio::pin!(connection);
        let ended = poll_fn(|cx| {
            loop {
                if let Poll::Ready(ended) = connection.as_mut().poll(cx) {
                    return Poll::Ready(Some(ended));
                }
                match self.interruptions.poll(cx) {
                    Poll::Ready(Interruption::Finish) => connection.as_mut().graceful_shutdown(),
                    Poll::Ready(Interruption::Close) => return Poll::Ready(None),
                    Poll::Pending => return Poll::Pending,
                }
            }
        });
        match ended.await {
            Some(ended) => note(ended),
            None => self.interruptions.late(),
        }
    }

    async fn http1<T>(mut self, mut io: WatchedIo<T>, protocol: &Protocol)
    where
        T: Read + Write + Unpin + Send + 'static,
    {
        // Each of the two is put into a box of its own and is gone while the other runs.
        while let Some((taken, response)) = Box::pin(self.answer(io, protocol)).await {
            io = taken;
            match Box::pin(self.stream(&mut io, response)).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => return note(Err(error)),
            }
        }
    }

    /// Answers requests until the connection ends, or until an answer is a stream.
    async fn answer<T>(&mut self, io: WatchedIo<T>, protocol: &Protocol) -> Option<(WatchedIo<T>, Response<Body>)>
    where
        T: Read + Write + Unpin + Send + 'static,
    {
        let streams = StreamSlot::default();
        let (activity, endpoint, client, slot) = (&self.activity, &self.endpoint, &self.client, &streams);
        let service = service_fn(move |request: Request<Incoming>| {
            let busy = activity.begin(false);
            // What a client sends as the body of a request that has none would be taken for the next request.
            let bounded = request.method() == Method::POST || request.body().is_end_stream();
            let chunks = bounded && request.version() == Version::HTTP_11;
            let (parts, body) = apart(request);
            let body = RequestBody::new(body, activity);
            async move {
                let mut response = endpoint.serve(parts, body, false, Some(client)).await;
                response.body_mut().keep_busy(busy);
                if chunks && response.body().is_stream() {
                    return slot.put(response).await;
                }
                Ok::<_, Infallible>(response)
            }
        });
        let io = HyperIo::new(io);
        let mut connection = protocol.http1.serve_connection(io.share(), service);
        if self.interruptions.ends {
            Pin::new(&mut connection).graceful_shutdown();
        }
        let mut filter = WakerFilter::default();
        let ended = poll_fn(|cx| {
            let cx = &mut filter.context(cx);
            loop {
                if let Poll::Ready(ended) = Pin::new(&mut connection).poll(cx) {
                    return Poll::Ready(Ended::Over(ended));
                }
                // Answers to earlier requests of a client that does not wait for them go first.
                if !self.activity.is_unwritten()
                    && let Some(response) = streams.take()
                {
                    return Poll::Ready(Ended::Streams(response));
                }
                match self.interruptions.poll(cx) {
                    Poll::Ready(Interruption::Finish) => Pin::new(&mut connection).graceful_shutdown(),
                    Poll::Ready(Interruption::Close) => return Poll::Ready(Ended::Late),
                    // What is still to come of a request hyper reads itself, and sees where it ends.
                    Poll::Pending if !self.activity.owes_answer() => return Poll::Pending,
                    Poll::Pending => match std::task::ready!(io.look(cx)) {
                        Look::Gone(error) => return Poll::Ready(Ended::Gone(error)),
                        Look::Sends => {}
                    },
                }
            }
        })
        .await;
        match ended {
            Ended::Over(ended) => note(ended),
            Ended::Gone(error) => note(Err(error)),
            Ended::Late => self.interruptions.late(),
            Ended::Streams(response) => {
                let read = connection.into_parts().read_buf;
                let mut io = io.take_back()?;
                io.put_back(&read);
                return Some((io, *response));
            }
        }
        None
    }

    /// Writes a stream. Returns whether the connection can be used after it.
    async fn stream<T>(&mut self, io: &mut WatchedIo<T>, response: Response<Body>) -> std::io::Result<bool>
    where
        T: Read + Write + Unpin,
    {
        let closes = response.body().closes() || self.interruptions.ends;
        let writing = streaming::write(io, response, closes);
        tokio::pin!(writing);
        poll_fn(|cx| {
            loop {
                if let Poll::Ready(written) = writing.as_mut().poll(cx) {
                    return Poll::Ready(written);
                }
                match self.interruptions.poll(cx) {
                    // Whoever sends the events knows as well, and comes to an end.
                    Poll::Ready(Interruption::Finish) => {}
                    Poll::Ready(Interruption::Close) => return Poll::Ready(Err(std::io::ErrorKind::TimedOut.into())),
                    Poll::Pending => return Poll::Pending,
                }
            }
        })
        .await?;
        Ok(!closes)
    }
}

/// How the work of hyper on a connection ended.
enum Ended {
    Over(hyper::Result<()>),
    /// The client did not wait for its answer.
    Gone(std::io::Error),
    Late,
    Streams(Box<Response<Body>>),
}

/// Where a stream waits to be taken from hyper.
#[derive(Debug, Default)]
struct StreamSlot {
    response: Mutex<Option<Box<Response<Body>>>>,
    /// Whether one waits: it is looked for after each request, and seldom there.
    filled: AtomicBool,
}

impl StreamSlot {
    /// Hands a response over, and never comes back: hyper is dropped with whoever waits here.
    async fn put<T>(&self, response: Response<Body>) -> T {
        *self.response.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(response));
        self.filled.store(true, Ordering::Release);
        std::future::pending().await
    }

    fn take(&self) -> Option<Box<Response<Body>>> {
        if !self.filled.load(Ordering::Acquire) {
            return None;
        }
        self.filled.store(false, Ordering::Relaxed);
        self.response.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// What ends a connection besides its client.
enum Interruption {
    /// It took too long.
    Close,
    /// The server ends; what is under way may come to its end.
    Finish,
}

/// Tells a connection first that the server ends, then that it took too long.
struct Interruptions {
    next: SideFuture<Interruption>,
    activity: Arc<Activity>,
    endpoint: Arc<Endpoint>,
    ends: bool,
}

impl Interruptions {
    fn new(activity: &Arc<Activity>, endpoint: &Arc<Endpoint>, shutdown: Shutdown) -> Self {
        let (watched, limits) = (activity.clone(), endpoint.clone());
        let next = SideFuture::new(async move {
            tokio::select! {
                () = watch(&watched, limits.limits()) => Interruption::Close,
                () = shutdown.triggered() => Interruption::Finish,
            }
        });
        Self { next, activity: activity.clone(), endpoint: endpoint.clone(), ends: false }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Interruption> {
        let interruption = std::task::ready!(Pin::new(&mut self.next).poll(cx));
        if let Interruption::Finish = interruption {
            self.ends = true;
            let (watched, limits) = (self.activity.clone(), self.endpoint.clone());
            self.next = SideFuture::new(async move {
                watch(&watched, limits.limits()).await;
                Interruption::Close
            });
        }
        Poll::Ready(interruption)
    }

    fn late(&self) {
        tracing::debug!("a connection was idle or slow for too long");
    }
}

fn note<E: fmt::Display>(ended: Result<(), E>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Waits until the connection has been idle, or in the middle of a head, for too long.
async fn watch(activity: &Activity, limits: &HttpLimits) {
    while let Some(left) = activity.time_left(limits, activity.now()) {
        tokio::time::sleep(left).await;
    }
}
