//! Connections to clients that are not there any more, or whose requests come in pieces.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use http::StatusCode;
use http::request::Parts;
use jackfield_peer::{Answering, Handler, Incoming, Shutdown, ShutdownTrigger};
use jackfield_protocol::envelope::MethodName;
use jackfield_protocol::meta::key;
use jackfield_protocol::{ErrorObject, Method, Revision};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::{Protocol, serve};
use crate::endpoint::Endpoint;
use crate::response::respond;
use crate::{Authentication, Authenticator, HttpConfig};

/// Says one thing, then nothing for ever; tells when it is dropped.
struct Silent(mpsc::Sender<()>);

impl Handler for Silent {
    fn handle(&self, incoming: Incoming) -> Answering {
        let held = self.0.clone();
        Answering::later(async move {
            let message = br#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
            let _ = incoming.outlet.notify(incoming.key, message.to_vec()).await;
            let _held = held;
            std::future::pending().await
        })
    }
}

fn request() -> String {
    let version = Revision::LATEST.as_str();
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"x","_meta":{{"{}":"{version}","{}":{{}}}}}}}}"#,
        key::PROTOCOL_VERSION,
        key::CLIENT_CAPABILITIES
    );
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nmcp-protocol-version: {version}\r\n\
         mcp-method: tools/call\r\nmcp-name: x\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// T-026: a client that vanished without a word, so that nothing is ever taken or closed at its end, is found within two keep-alive
/// comments and the time that a write may be stuck. Its handler is dropped then.
#[tokio::test(start_paused = true)]
async fn a_client_that_vanishes_without_a_word_is_found() {
    let (held, mut dropped) = mpsc::channel(1);
    let endpoint = Endpoint::new(Arc::new(Silent(held)), HttpConfig::default());
    let limits = endpoint.limits().clone();
    let protocol = Arc::new(Protocol::new(&endpoint.config, endpoint.calls()));
    let (_trigger, shutdown) = Shutdown::new();
    // What the network takes for a client that is not there.
    let (mut client, server) = tokio::io::duplex(8);
    let mut connection = JoinSet::new();
    connection.spawn(serve(server, ([127, 0, 0, 1], 1).into(), endpoint, protocol, shutdown));
    client.write_all(request().as_bytes()).await.unwrap();
    let mut text = Vec::new();
    while !String::from_utf8_lossy(&text).contains("notifications/message\",\"params\":{}}\n\n\r\n") {
        client.read_buf(&mut text).await.unwrap();
    }
    let vanished = Instant::now();
    connection.join_next().await.unwrap().unwrap();
    assert!(vanished.elapsed() <= 2 * limits.sse_keep_alive + limits.write_timeout + Duration::from_secs(1));
    assert!(vanished.elapsed() >= limits.write_timeout, "it had its time");
    drop(client);
    assert_eq!(dropped.recv().await, None, "the handler was dropped, and the server with it");
}

/// Brings one piece after the other. Each comes after so many times at which there was nothing, and wakes nobody.
struct Pieces {
    pieces: VecDeque<(usize, Vec<u8>)>,
    written: mpsc::Sender<Vec<u8>>,
    /// How often something was read.
    reads: Arc<AtomicUsize>,
}

impl AsyncRead for Pieces {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let Some((nothing, piece)) = self.pieces.front_mut() else { return Poll::Pending };
        if *nothing > 0 {
            *nothing = nothing.saturating_sub(1);
            return Poll::Pending;
        }
        let rest = piece.split_off(piece.len().min(buffer.remaining()));
        buffer.put_slice(piece);
        *piece = rest;
        if piece.is_empty() {
            self.pieces.pop_front();
        }
        self.reads.fetch_add(1, Ordering::Relaxed);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Pieces {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let _ = self.written.try_send(bytes.to_vec());
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Answers calls at once, and everything else in the next moment but one.
struct Prompt;

impl Handler for Prompt {
    fn handle(&self, incoming: Incoming) -> Answering {
        let reply = Err(ErrorObject::internal("prompt"));
        if incoming.method == MethodName::Known(Method::CallTool) {
            return Answering::ready(reply);
        }
        Answering::later(async move {
            // It is asked once before it belongs to the connection, and once more at once.
            for _ in 0..2 {
                tokio::task::yield_now().await;
            }
            reply
        })
    }
}

/// A connection to a client whose requests come in pieces.
struct Served {
    answers: mpsc::Receiver<Vec<u8>>,
    reads: Arc<AtomicUsize>,
    _connection: JoinSet<()>,
    _trigger: ShutdownTrigger,
}

impl Served {
    fn new<const N: usize>(config: HttpConfig, pieces: [(usize, &str); N]) -> Self {
        let endpoint = Endpoint::new(Arc::new(Prompt), config);
        let protocol = Arc::new(Protocol::new(&endpoint.config, endpoint.calls()));
        let (trigger, shutdown) = Shutdown::new();
        let (written, answers) = mpsc::channel(16);
        let (reads, pieces) =
            (Arc::<AtomicUsize>::default(), pieces.map(|(nothing, piece)| (nothing, piece.as_bytes().to_vec())));
        let stream = Pieces { pieces: pieces.into(), written, reads: reads.clone() };
        let mut connection = JoinSet::new();
        connection.spawn(serve(stream, ([127, 0, 0, 1], 1).into(), endpoint, protocol, shutdown));
        Self { answers, reads, _connection: connection, _trigger: trigger }
    }

    /// Returns the next answer, or nothing if the connection ends instead.
    async fn answer(&mut self) -> String {
        let started = Instant::now();
        let text = self.answers.recv().await.unwrap_or_default();
        assert_eq!(started.elapsed(), Duration::ZERO, "nobody had to wait");
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// Serves what comes in pieces, and returns the answer.
async fn answer_to<const N: usize>(pieces: [(usize, &str); N]) -> String {
    Served::new(HttpConfig::default(), pieces).answer().await
}

/// What a client sends while it waits for an answer is found by the look whether it is still there, and reaches hyper afterwards.
#[tokio::test(start_paused = true)]
async fn what_a_look_has_read_is_not_lost() {
    let request = request();
    let slow = request.replace("tools/call", "tools/list").replace("mcp-name: x\r\n", "");
    let mut served = Served::new(HttpConfig::default(), [(0, &slow), (0, &request)]);
    for _ in 0..2 {
        let answer = served.answer().await;
        assert!(answer.contains("200 OK") && answer.contains("prompt"), "{answer}");
    }
}

/// Whoever brings a body goes on with its next piece when one was taken, without being woken by anything else.
#[tokio::test(start_paused = true)]
async fn a_body_in_several_pieces_is_read_to_its_end() {
    let request = request();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let head = head.replace(&format!("content-length: {}", body.len()), "transfer-encoding: chunked");
    let (first, second) = body.split_at(10);
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    let request = format!("{head}\r\n\r\n{}{}0\r\n\r\n", chunk(first), chunk(second));
    let answer = answer_to([(0, &request)]).await;
    assert!(answer.contains("prompt"), "{answer}");
}

/// A large body is read in large pieces: while one is awaited, nobody looks whether the client is still there.
#[tokio::test(start_paused = true)]
async fn a_large_body_takes_few_reads() {
    let request = request();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let body = body.replace(r#""name":"x""#, &format!(r#""name":"x","arguments":{{"a":"{}"}}"#, "a".repeat(1 << 20)));
    let head = head.rsplit_once(' ').unwrap().0;
    let mut served = Served::new(HttpConfig::default(), [(0, &format!("{head} {}\r\n\r\n", body.len())), (1, &body)]);
    let answer = served.answer().await;
    assert!(answer.contains("prompt"), "{answer}");
    let reads = served.reads.load(Ordering::Relaxed);
    assert!(reads < 300, "{reads} reads");
}

/// Thinks for some moments, and refuses what has the header `stranger`.
#[derive(Debug)]
struct Hesitant;

impl Authenticator for Hesitant {
    fn authenticate<'a>(&'a self, request: &'a mut Parts) -> Authentication<'a> {
        Box::pin(async move {
            for _ in 0..4 {
                tokio::task::yield_now().await;
            }
            match request.headers.contains_key("stranger") {
                true => Err(respond::refusal(StatusCode::UNAUTHORIZED, "strangers do not get in")),
                false => Ok(()),
            }
        })
    }
}

/// A request may be refused while its body is on the way. hyper drops the rest of it, if there is little, and the connection goes on;
/// closed with bytes unread, it would be reset, and the refusal be lost.
#[tokio::test(start_paused = true)]
async fn a_refusal_before_the_body_came_leaves_the_connection_usable() {
    let request = request();
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\nstranger: 1\r\ncontent-length: 300\r\n\r\n";
    let pieces = [(0, head), (1, &*"x".repeat(300)), (0, &*request)];
    let mut served = Served::new(HttpConfig::default().with_authenticator(Hesitant), pieces);
    let refusal = served.answer().await;
    assert!(refusal.contains("401") && !refusal.contains("close"), "{refusal}");
    let answer = served.answer().await;
    assert!(answer.contains("prompt"), "{answer}");
}
