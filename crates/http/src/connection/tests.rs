//! Connections to clients that are not there any more.

use std::sync::Arc;
use std::time::Duration;

use jackfield_peer::{Answering, Handler, Incoming, Shutdown};
use jackfield_protocol::Revision;
use jackfield_protocol::meta::key;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::{Protocol, serve};
use crate::HttpConfig;
use crate::endpoint::Endpoint;

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
    let protocol = Arc::new(Protocol::new(&endpoint.config));
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
