//! HTTP/2: spoken with clients that ask for it, and with care.

use std::net::SocketAddr;

use bytes::Bytes;
use h2::client::SendRequest;
use http::Request;
use jackfield_http::HttpConfig;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::client::Ask;
use crate::fixture::Fixture;

/// A client of HTTP/2; its connection lives as long as it does.
pub(crate) struct Http2 {
    send: SendRequest<Bytes>,
    _connection: JoinSet<()>,
}

impl Http2 {
    pub(crate) async fn over(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) -> Self {
        let (send, connection) = h2::client::handshake(stream).await.unwrap();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { drop(connection.await) });
        Self { send, _connection: tasks }
    }

    pub(crate) async fn echo(&self, host: &str, text: &str) -> (u16, Value) {
        let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} });
        let params = json!({ "name": "echo", "arguments": { "text": text }, "_meta": meta });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
        let request = Request::post(format!("https://{host}/mcp"))
            .header("content-type", "application/json")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/call")
            .header("mcp-name", "echo")
            .body(())
            .unwrap();
        let mut send = self.send.clone().ready().await.unwrap();
        let (response, mut stream) = send.send_request(request, false).unwrap();
        stream.send_data(body.into(), true).unwrap();
        let response = response.await.unwrap();
        let status = response.status().as_u16();
        let (mut body, mut text) = (response.into_body(), Vec::new());
        while let Some(data) = body.data().await {
            text.extend_from_slice(&data.unwrap());
        }
        (status, serde_json::from_slice(&text).unwrap_or_default())
    }
}

/// T-020 for HTTP/2, where the host is in the target; and many requests at once on one connection.
#[tokio::test]
async fn requests_share_a_connection() {
    let fixture = Fixture::start().await;
    let client = Http2::over(TcpStream::connect(fixture.address).await.unwrap()).await;
    let (one, two) = tokio::join!(client.echo("localhost", "one"), client.echo("localhost", "two"));
    assert_eq!((one.0, &one.1["result"]["content"][0]["text"]), (200, &json!("one")));
    assert_eq!(two.1["result"]["content"][0]["text"], "two");
    assert_eq!(client.echo("evil.example.com", "x").await.0, 403);
}

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const GO_AWAY: u8 = 7;
const CONTINUATION: u8 = 9;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// POST / of localhost, as HPACK writes it.
const BLOCK: &[u8] = b"\x83\x86\x84\x41\x09localhost";

/// Sends frames after the preface, and returns the kinds of the frames that come back before the connection is closed.
async fn attack(address: SocketAddr, frames: Vec<u8>) -> Vec<u8> {
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut reader, mut writer) = stream.into_split();
    let writing = async move {
        let hello = [PREFACE, &frame(SETTINGS, 0, 0, &[])].concat();
        // The server may close the connection in the middle of it.
        let _ = writer.write_all(&hello).await;
        let _ = writer.write_all(&frames).await;
        writer
    };
    let reading = async {
        let mut answer = Vec::new();
        let _ = reader.read_to_end(&mut answer).await;
        answer
    };
    let (_writer, answer) = tokio::join!(writing, reading);
    let (mut kinds, mut rest) = (Vec::new(), answer.as_slice());
    while let [a, b, c, kind, _, _, _, _, _, tail @ ..] = rest {
        let length = usize::try_from(u32::from_be_bytes([0, *a, *b, *c])).unwrap();
        kinds.push(*kind);
        rest = tail.get(length..).unwrap_or_default();
    }
    kinds
}

/// T-034: streams that are reset as soon as they are opened, headers without an end: the connection is closed, and others are
/// served.
#[tokio::test]
async fn floods_end_the_connection_that_sends_them() {
    let fixture = Fixture::start().await;
    let resets = (0..2000u32).flat_map(|number| {
        let stream = number * 2 + 1;
        [frame(HEADERS, 0x4, stream, BLOCK), frame(RESET, 0, stream, &8u32.to_be_bytes())].concat()
    });
    let endless = frame(HEADERS, 0, 1, BLOCK).into_iter().chain(
        // A literal field of a name and a value, again and again.
        std::iter::repeat_n(frame(CONTINUATION, 0, 1, &b"\x00\x01a\x7f\x00xxxxxxxxxxxxxxxx".repeat(100)), 5000)
            .flatten(),
    );
    for flood in [resets.collect(), endless.collect()] {
        let kinds = attack(fixture.address, flood).await;
        assert!(kinds.contains(&GO_AWAY), "{kinds:?}");
        assert_eq!(fixture.ask(&Ask::tool("echo", json!({}))).await.status, 200);
    }
}

/// T-034: settings without end are taken one by one; a client that reads nothing is let go, and others are served.
#[tokio::test(start_paused = true)]
async fn a_flood_of_settings_harms_nobody() {
    let fixture = Fixture::start().await;
    let mut client = TcpStream::connect(fixture.address).await.unwrap();
    client.write_all(PREFACE).await.unwrap();
    let settings = frame(SETTINGS, 0, 0, &[]).repeat(1000);
    for _ in 0..100 {
        // The server may have had enough.
        if client.write_all(&settings).await.is_err() {
            break;
        }
    }
    let mut answer = Vec::new();
    let _ = client.read_to_end(&mut answer).await;
    assert_eq!(fixture.ask(&Ask::tool("echo", json!({}))).await.status, 200);
}

/// T-034: HTTP/2 can be switched off.
#[tokio::test]
async fn http2_can_be_switched_off() {
    let mut config = HttpConfig::default();
    config.http2 = false;
    let fixture = Fixture::with(config).await;
    let mut stream = TcpStream::connect(fixture.address).await.unwrap();
    stream.write_all(&[PREFACE, &frame(SETTINGS, 0, 0, &[])].concat()).await.unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 4"), "{}", String::from_utf8_lossy(&answer));
}
