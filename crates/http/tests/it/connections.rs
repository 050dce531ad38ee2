//! One connection over its life: streams and answers take turns on it, and what a client sends out of turn does no harm.

use std::time::Duration;

use serde_json::json;
use tokio::net::TcpSocket;

use crate::client::{Ask, Client, Session};
use crate::fixture::Fixture;

/// HTTP-027: when a stream has ended, its connection serves the next request, whether that comes afterwards or was sent while the
/// stream was open.
#[tokio::test]
async fn a_connection_goes_on_after_a_stream() {
    let mut fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let mut client = Client::connect(fixture.address).await;
    let modern = Ask::tool("wait_after_notice", json!({}));
    let legacy = session.tool(1, "wait_after_notice", json!({}));
    for ask in [&modern, &legacy, &modern] {
        let head = client.open(ask).await;
        assert_eq!(head.header("transfer-encoding"), Some("chunked"));
        assert!(head.header("date").is_some() && head.header("connection").is_none(), "{head:?}");
        fixture.see("waiting 1").await;
        assert_eq!(client.message().await.unwrap()["params"]["progress"], 0);
        // More than is read ahead, in two pieces.
        let next = Ask::tool("echo", json!({ "text": "a".repeat(20_000) })).bytes();
        client.send(&next[..100]).await;
        fixture.let_go(1);
        assert_eq!(client.message().await.unwrap()["result"]["content"][0]["text"], "waited");
        assert_eq!(client.message().await, None);
        client.send(&next[100..]).await;
        assert_eq!(client.answer().await.text().len(), 20_000);
        fixture.see("released").await;
        fixture.see("dropped").await;
    }
}

/// A client that says so gets the end of the connection with the end of the stream.
#[tokio::test]
async fn a_connection_ends_with_a_stream_if_the_client_wants() {
    let fixture = Fixture::start().await;
    for option in ["close", "Keep-Alive, Close"] {
        let mut client = Client::connect(fixture.address).await;
        let head = client.open(&Ask::tool("count", json!({ "to": 2 })).with("connection", option)).await;
        assert_eq!((head.status, head.header("connection")), (200, Some("close")));
        while client.message().await.is_some() {}
        assert!(client.is_closed().await, "{option}");
    }
}

/// T-025: what comes as the body of a request that has none is never another request, also when the answer is a stream.
#[tokio::test(start_paused = true)]
async fn the_body_of_a_get_is_no_request() {
    let mut fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let hidden = String::from_utf8(Ask::tool("wait", json!({})).bytes()).unwrap();
    let mut client = Client::connect(fixture.address).await;
    let get = session.get().with("content-length", &hidden.len().to_string());
    client.send([get.bytes(), hidden.into_bytes()].concat()).await;
    assert_eq!(client.head().await.unwrap().status, 200);
    // The second stream ends the first, and whatever would come after it would be served now.
    let _second = session.stream(&session.get()).await;
    while client.event().await.is_some() {}
    assert!(client.try_answer().await.is_none());
    assert!(fixture.seen.try_recv().is_err(), "the hidden request ran");
}

/// A client of HTTP/1.0 knows no chunks: its stream ends with the connection.
#[tokio::test]
async fn an_old_client_gets_its_stream_without_chunks() {
    let fixture = Fixture::start().await;
    let ask = String::from_utf8(Ask::tool("count", json!({ "to": 3 })).bytes()).unwrap();
    let mut client = Client::connect(fixture.address).await;
    client.send(ask.replace("HTTP/1.1", "HTTP/1.0")).await;
    let head = client.head().await.unwrap();
    assert_eq!((head.status, head.header("transfer-encoding")), (200, None));
    let text = client.rest().await;
    assert_eq!(text.matches("data: ").count(), 4, "{text}");
}

/// The answer to a request that came before a stream leaves before it, however slowly the client reads.
#[tokio::test]
async fn earlier_answers_leave_before_a_stream() {
    let mut fixture = Fixture::start().await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut client = Client::over(socket.connect(fixture.address).await.unwrap());
    let text = "x".repeat(400_000);
    client.send(Ask::tool("echo", json!({ "text": text })).bytes()).await;
    client.send(Ask::tool("wait_after_notice", json!({})).bytes()).await;
    assert_eq!(client.answer().await.text().len(), text.len());
    fixture.see("waiting 1").await;
    assert_eq!(client.head().await.unwrap().status, 200);
    assert_eq!(client.message().await.unwrap()["params"]["progress"], 0);
    fixture.let_go(1);
    assert!(client.message().await.unwrap()["result"].is_object());
    assert_eq!(client.message().await, None);
}

/// T-026, T-030: the end of a client is seen while its stream is silent; the handler is dropped.
#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_a_silent_stream_is_missed_at_once() {
    let mut fixture = Fixture::start().await;
    let mut client = Client::connect(fixture.address).await;
    client.open(&Ask::tool("wait_after_notice", json!({}))).await;
    fixture.see("waiting 1").await;
    let left = tokio::time::Instant::now();
    drop(client);
    fixture.see("dropped").await;
    assert!(left.elapsed() < Duration::from_secs(15), "before anything was written to it");
}

/// HTTP-070: a client that closes its stream has cancelled the request, and gets nothing more about it, even if it still reads.
#[tokio::test]
async fn nothing_is_sent_after_a_client_has_closed_its_stream() {
    let mut fixture = Fixture::start().await;
    let mut client = Client::connect(fixture.address).await;
    client.open(&Ask::tool("wait_after_notice", json!({}))).await;
    fixture.see("waiting 1").await;
    assert_eq!(client.message().await.unwrap()["params"]["progress"], 0);
    client.finish().await;
    fixture.see("dropped").await;
    fixture.let_go(1);
    assert_eq!(client.rest().await, "");
}

/// HTTP-027: requests that were sent ahead are all answered in order, also when several of them are answered by streams and more was
/// sent than a connection reads at once.
#[tokio::test]
async fn nothing_is_lost_between_streams() {
    let fixture = Fixture::start().await;
    let mut client = Client::connect(fixture.address).await;
    let mut sent = Ask::tool("count", json!({ "to": 2, "padding": "a".repeat(300_000) })).bytes();
    for _ in 0..3 {
        sent.extend(Ask::tool("count", json!({ "to": 2 })).bytes());
        for _ in 0..200 {
            sent.extend(Ask::tool("echo", json!({ "text": "behind" })).bytes());
        }
    }
    // The whole of it is there before the first answer is read.
    client.send(&sent).await;
    let stream = async |client: &mut Client| {
        assert_eq!(client.head().await.unwrap().header("content-type"), Some("text/event-stream"));
        let mut messages = 0;
        while client.message().await.is_some() {
            messages += 1;
        }
        messages
    };
    assert_eq!(stream(&mut client).await, 3);
    for _ in 0..3 {
        assert_eq!(stream(&mut client).await, 3);
        for _ in 0..200 {
            assert_eq!(client.answer().await.text(), "behind");
        }
    }
}

/// What a client sends while its request is served is neither lost nor answered before its turn.
#[tokio::test]
async fn what_comes_while_a_request_is_served_waits() {
    let mut fixture = Fixture::start().await;
    let mut client = Client::connect(fixture.address).await;
    client.send(Ask::tool("wait", json!({})).bytes()).await;
    fixture.see("waiting 1").await;
    let next = Ask::tool("echo", json!({ "text": "a".repeat(20_000) })).bytes();
    client.send(&next[..100]).await;
    fixture.let_go(1);
    assert_eq!(client.answer().await.text(), "waited");
    client.send(&next[100..]).await;
    assert_eq!(client.answer().await.text().len(), 20_000);
}

/// A client that sends nothing more still gets the answer to what it sent, if nobody has to wait for that.
#[tokio::test]
async fn a_client_that_has_said_all_gets_its_answer() {
    let fixture = Fixture::start().await;
    let mut client = Client::connect(fixture.address).await;
    client.send(Ask::tool("echo", json!({ "text": "last words" })).bytes()).await;
    client.finish().await;
    assert_eq!(client.answer().await.text(), "last words");
    assert!(client.is_closed().await);
}

/// A client that asks before it sends a body is told to go on.
#[tokio::test]
async fn a_body_is_asked_for_if_the_client_waits_for_that() {
    let fixture = Fixture::start().await;
    let mut client = Client::connect(fixture.address).await;
    let request = Ask::tool("echo", json!({ "text": "patience" })).with("expect", "100-continue").bytes();
    let body = request.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap() + 4;
    client.send(&request[..body]).await;
    assert_eq!(client.head().await.unwrap().status, 100);
    client.send(&request[body..]).await;
    assert_eq!(client.answer().await.text(), "patience");
}

/// A body in several chunks is read whole, also when all of them are there at once.
#[tokio::test]
async fn a_body_may_come_in_chunks() {
    let fixture = Fixture::start().await;
    let mut client = Client::connect(fixture.address).await;
    let request = String::from_utf8(Ask::tool("echo", json!({ "text": "piece by piece" })).bytes()).unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let head: Vec<_> = head.split("\r\n").filter(|line| !line.starts_with("content-length")).collect();
    let mut sent = format!("{}\r\ntransfer-encoding: chunked\r\n\r\n", head.join("\r\n"));
    for piece in body.as_bytes().chunks(7) {
        sent.push_str(&format!("{:x}\r\n{}\r\n", piece.len(), String::from_utf8_lossy(piece)));
    }
    client.send(sent + "0\r\n\r\n").await;
    assert_eq!(client.answer().await.text(), "piece by piece");
}
