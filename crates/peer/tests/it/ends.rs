//! What stands at the two ends of a connection: services and handlers of any kind, and streams that fail.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use jackfield_peer::{
    Answering, AskError, ByteStream, Closed, Connection, Error, Extensions, Handler, Incoming, Outlet, Principal,
    Reply, RequestKey, Shutdown, TowerHandler,
};
use jackfield_protocol::{AnyResult, ErrorObject, InputRequired, Outcome, Revision};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, ReadBuf};
use tokio::sync::mpsc;
use tower_service::Service;

use crate::script::{Client, done, legacy, modern};

/// A handler that is a function.
struct By<F>(F, &'static [Revision]);

impl<F: Fn(Incoming) -> Answering + Send + Sync + 'static> Handler for By<F> {
    fn handle(&self, incoming: Incoming) -> Answering {
        (self.0)(incoming)
    }

    fn revisions(&self) -> &[Revision] {
        self.1
    }
}

fn by(answer: impl Fn(Incoming) -> Answering + Send + Sync + 'static) -> Connection {
    Connection::new(Arc::new(By(answer, &Revision::ALL)))
}

/// Sends lines to a connection and returns what it answers until it ends.
async fn answers(connection: Connection, lines: &[String]) -> Vec<Value> {
    let (ours, theirs) = ByteStream::pair(1 << 16);
    let (reader, mut writer) = ours.into_parts();
    writer.write_all(format!("{}\n", lines.join("\n")).as_bytes()).await.unwrap();
    writer.shutdown().await.unwrap();
    connection.serve(theirs).await.unwrap();
    let mut found = Vec::new();
    let mut lines = BufReader::new(reader).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        found.push(serde_json::from_str(&line).unwrap());
    }
    found
}

/// A service that is ready every second time it is asked, and never for more than one request.
#[derive(Clone)]
struct Slow {
    asked: bool,
    is_broken: Arc<AtomicBool>,
}

impl Service<Incoming> for Slow {
    type Response = Outcome<AnyResult>;
    type Error = ErrorObject;
    type Future = std::future::Ready<Reply>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ErrorObject>> {
        if self.is_broken.load(Ordering::SeqCst) {
            return Poll::Ready(Err(ErrorObject::new(9, "broken")));
        }
        if std::mem::replace(&mut self.asked, true) {
            return Poll::Ready(Ok(()));
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    fn call(&mut self, incoming: Incoming) -> Self::Future {
        assert!(std::mem::take(&mut self.asked), "called before it was ready");
        std::future::ready(done(json!({ "method": incoming.method.as_str() })))
    }
}

/// A service of `tower` answers requests when it says that it is ready, and its own error is the answer when it is not.
#[tokio::test]
async fn a_tower_service_answers() {
    let is_broken = Arc::new(AtomicBool::new(false));
    let handler = Arc::new(TowerHandler::new(Slow { asked: false, is_broken: is_broken.clone() }));
    let found = answers(Connection::new(handler.clone()), &[modern(1, ""), modern(2, "")]).await;
    assert_eq!(found.len(), 2);
    for answer in found {
        assert_eq!(answer["result"]["method"], "tools/call", "{answer}");
    }
    is_broken.store(true, Ordering::SeqCst);
    let found = answers(Connection::new(handler), &[modern(3, "")]).await;
    assert_eq!((&found[0]["error"]["code"], &found[0]["error"]["message"]), (&json!(9), &json!("broken")));
}

/// Who is at the other end is known to handlers in both eras, for requests and notifications.
#[tokio::test]
async fn handlers_know_the_principal() {
    let (seen, mut told) = mpsc::channel(8);
    let connection = by(move |incoming| {
        let subject = incoming.caller.principal.as_ref().map(|principal| principal.subject.clone());
        seen.try_send((incoming.method.as_str().to_owned(), subject)).unwrap();
        Answering::ready(done(json!({})))
    });
    let mut notice: Value = serde_json::from_str(&modern(1, "")).unwrap();
    notice["method"] = json!("notifications/example");
    notice.as_object_mut().unwrap().remove("id");
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": Revision::LATEST_WITH_HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let lines = [modern(1, ""), notice.to_string(), initialize.to_string(), legacy(2, "")];
    answers(connection.with_principal(Principal::new("https://issuer.example", "ann")), &lines).await;
    for method in ["tools/call", "notifications/example", "initialize", "tools/call"] {
        assert_eq!(told.recv().await, Some((method.to_owned(), Some("ann".to_owned()))));
    }
}

/// LIFE-034: a server of the modern era alone names its versions when it is asked for a handshake.
#[tokio::test]
async fn a_modern_server_says_so_to_a_legacy_client() {
    let handler = By(|_| Answering::ready(done(json!({}))), &[Revision::LATEST]);
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": Revision::LATEST_WITH_HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let found = answers(Connection::new(Arc::new(handler)), &[initialize.to_string(), modern(1, "")]).await;
    assert_eq!(found[0]["error"]["code"], -32601);
    assert!(found[0]["error"]["message"].as_str().unwrap().contains(Revision::LATEST.as_str()), "{}", found[0]);
    assert!(found[1]["result"].is_object(), "{}", found[1]);
}

/// What the revision of the caller has no words for is an error, and nothing of it is on the wire.
#[tokio::test]
async fn an_answer_that_can_not_be_written_is_an_error() {
    let connection = by(|incoming| {
        if incoming.method.as_str() == "initialize" {
            return Answering::ready(done(json!({})));
        }
        Answering::ready(Ok(Outcome::InputRequired(InputRequired::default())))
    });
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": Revision::LATEST_WITH_HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let found = answers(connection, &[initialize.to_string(), legacy(1, "")]).await;
    let answer = &found[1];
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(-32603)), "{answer}");
    assert!(answer.get("result").is_none());
}

/// A notification whose handler waits for something does not keep the requests behind it waiting.
#[tokio::test]
async fn a_slow_notification_holds_nobody_up() {
    let (release, gate) = tokio::sync::watch::channel(false);
    let (seen, mut told) = mpsc::channel(1);
    let connection = by(move |incoming| {
        if incoming.id.is_some() {
            release.send_replace(true);
            return Answering::ready(done(json!({})));
        }
        let (mut gate, seen) = (gate.clone(), seen.clone());
        Answering::later(async move {
            gate.wait_for(|open| *open).await.unwrap();
            seen.send(()).await.unwrap();
            done(json!({}))
        })
    });
    let mut notice: Value = serde_json::from_str(&modern(1, "")).unwrap();
    notice["method"] = json!("notifications/example");
    notice.as_object_mut().unwrap().remove("id");
    let found = answers(connection, &[notice.to_string(), modern(2, "")]).await;
    assert_eq!(found.len(), 1, "a notification is not answered");
    assert_eq!(told.recv().await, Some(()));
}

/// A handler cannot ask more than the limit at once; the questions that wait are not harmed.
#[tokio::test]
async fn questions_above_the_limit_are_not_asked() {
    let mut client = Client::with_calls(|calls| calls.questions_waiting = 1);
    client.initialize("2025-11-25").await;
    client.send(legacy(1, "ask")).await;
    let question = client.receive().await;
    let refused = client.request(2, "ask").await;
    assert_eq!(refused["id"], 2);
    assert!(refused["error"]["message"].as_str().unwrap().contains("too many questions"), "{refused}");
    client.send(json!({"jsonrpc": "2.0", "id": question["id"], "result": {"n": 1}}).to_string()).await;
    assert_eq!(client.receive().await["result"]["answer"]["n"], 1);
}

/// A stream that fails in one of its directions.
struct Failing {
    read: Option<io::ErrorKind>,
    /// Nothing can be written if there is none.
    write: Option<io::ErrorKind>,
}

impl AsyncRead for Failing {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.read.take() {
            Some(kind) => Poll::Ready(Err(kind.into())),
            None => {
                buffer.put_slice(format!("{}\n", modern(1, "")).as_bytes());
                Poll::Ready(Ok(()))
            }
        }
    }
}

impl AsyncWrite for Failing {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(self.write.map_or(Ok(0), |kind| Err(kind.into())))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// T-173: a peer that goes away is no failure; a stream that breaks is, and says in which direction.
#[tokio::test]
async fn a_stream_that_breaks_ends_the_connection() {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, Other};
    let serve = async |read: Option<io::ErrorKind>, write: Option<io::ErrorKind>| {
        let stream = ByteStream::new(Failing { read, write }, Failing { read, write });
        by(|_| Answering::ready(done(json!({})))).serve(stream).await
    };
    assert!(matches!(serve(Some(Other), None).await, Err(Error::Read(_))));
    assert!(serve(Some(ConnectionReset), None).await.is_ok());
    assert!(matches!(serve(None, Some(Other)).await, Err(Error::Write(_))));
    assert!(serve(None, Some(BrokenPipe)).await.is_ok());
    assert!(serve(None, None).await.is_ok(), "it takes nothing more");
}

/// A writer that takes everything, and never gets it to the other side.
struct NeverFlushed;

impl AsyncWrite for NeverFlushed {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Pending
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Pending
    }
}

/// T-029, T-173: a stream that cannot be flushed holds up neither further requests nor the end of the connection.
#[tokio::test(start_paused = true)]
async fn a_stream_that_is_never_flushed_can_be_ended() {
    let (seen, mut told) = mpsc::channel(8);
    let (trigger, shutdown) = Shutdown::new();
    let connection = by(move |_| {
        seen.try_send(()).unwrap();
        Answering::ready(done(json!({})))
    });
    let (ours, theirs) = ByteStream::pair(1 << 16);
    let (reader, _) = theirs.into_parts();
    let (_, mut writer) = ours.into_parts();
    let serving = connection.with_shutdown(shutdown).serve(ByteStream::new(reader, NeverFlushed));
    let asking = async {
        for id in 1..=2 {
            writer.write_all(format!("{}\n", modern(id, "")).as_bytes()).await.unwrap();
            told.recv().await.unwrap();
        }
        trigger.trigger();
    };
    let both = async { tokio::join!(serving, asking).0 };
    tokio::time::timeout(std::time::Duration::from_secs(60), both).await.expect("it ends").unwrap();
}

/// An outlet as small as it can be.
#[derive(Debug)]
struct Least(mpsc::Sender<(Option<RequestKey>, Vec<u8>)>);

impl Outlet for Least {
    fn notify(
        &self,
        _: Option<RequestKey>,
        _: Vec<u8>,
    ) -> Pin<Box<dyn Future<Output = Result<(), Closed>> + Send + '_>> {
        Box::pin(std::future::ready(Err(Closed)))
    }

    fn try_notify(&self, about: Option<RequestKey>, message: Vec<u8>) -> bool {
        self.0.try_send((about, message)).is_ok()
    }

    fn ask<'a>(
        &'a self,
        _: &'static str,
        _: Vec<u8>,
    ) -> Pin<Box<dyn Future<Output = Result<bytes::Bytes, AskError>> + Send + 'a>> {
        Box::pin(async move { Err(self.notify(None, Vec::new()).await.unwrap_err().into()) })
    }

    fn shutdown(&self) -> Shutdown {
        Shutdown::new().1
    }
}

/// A transport of one's own needs four methods. With one node and one stream, the others mean what `try_notify` does.
#[tokio::test]
async fn a_transport_of_ones_own_needs_little() {
    let (sender, mut sent) = mpsc::channel(1);
    let outlet = Least(sender);
    assert!(outlet.try_notify_after(RequestKey(1), b"a".to_vec()));
    assert!(!outlet.try_notify_once("key", b"b".to_vec()), "the queue is full");
    assert_eq!(sent.recv().await, Some((None, b"a".to_vec())));
    assert!(outlet.try_notify_once("key", b"c".to_vec()));
    assert_eq!(sent.recv().await, Some((None, b"c".to_vec())));
    assert!(!outlet.release(std::time::Duration::ZERO) && outlet.session_name().is_none());
    assert_eq!(outlet.ask("roots/list", Vec::new()).await, Err(AskError::Closed));
}

/// There is one value of each type, the last.
#[test]
fn a_value_takes_the_place_of_its_like() {
    let mut extensions = Extensions::default();
    extensions.insert("first");
    extensions.insert(1_u8);
    extensions.insert("second");
    extensions.insert(2_u8);
    assert_eq!((extensions.get_ref::<&str>(), extensions.get::<u8>().as_deref()), (Some(&"second"), Some(&2)));
    assert_eq!(extensions.get_ref::<u16>(), None);
    assert_eq!(format!("{extensions:?}"), "Extensions(2)");
}

/// What is shown to a person before they agree is the whole line.
#[test]
fn a_command_shows_its_whole_line() {
    let command = jackfield_peer::child::Command::new("server").args(["--root", "/a b"]);
    assert_eq!(command.line().collect::<Vec<_>>(), ["server", "--root", "/a b"]);
}
