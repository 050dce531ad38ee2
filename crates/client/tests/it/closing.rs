//! The end of a client, also where it does not come in order: nobody waits for ever.

use std::future::IntoFuture;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jackfield_client::{
    BoxFuture, ByteStream, Client, Connector, EndReason, Inbox, Link, NotSent, OpenConnection, Outgoing,
};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::script::{Pair, Server, name, paused};

/// Closing takes as long as the server; whoever does not want to wait so long ends the client all the same, for all of its clones.
#[test]
fn giving_up_to_close_ends_the_client() {
    paused(async {
        // The server neither answers nor closes its side.
        let (client, _server) = Pair::modern(Client::builder()).await;
        let mut calls = JoinSet::new();
        calls.spawn(client.call("t", ()).into_future());
        let other = client.clone();
        calls.spawn(async move {
            other.closed().await;
            other.call("t", ()).await
        });
        tokio::task::yield_now().await;
        let closing = tokio::time::timeout(Duration::from_millis(10), client.clone().close()).await;
        assert!(closing.is_err(), "the server was not waited for");
        while let Some(outcome) = calls.join_next().await {
            assert!(outcome.unwrap().unwrap_err().is_closed());
        }
        assert!(client.is_closed());
        assert_eq!(name(&client.call("t", ()).await), "closed");
    });
}

/// Opens one connection, and panics instead of opening another.
#[derive(Debug)]
struct Panics(Mutex<Option<ByteStream>>);

#[derive(Debug)]
struct Lines(mpsc::Sender<Vec<u8>>);

impl Link for Lines {
    fn send(&self, message: Outgoing<'_>) -> Result<(), NotSent> {
        self.0.try_send([message.text, b"\n"].concat()).map_err(|_| NotSent::Ended)
    }

    fn close(&self) {}
}

impl Connector for Panics {
    fn connect(&self, inbox: Inbox) -> BoxFuture<'_, io::Result<OpenConnection>> {
        let stream = self.0.lock().unwrap().take().expect("one connection is all there is");
        let (reader, mut writer) = stream.into_parts();
        let (lines, mut written) = mpsc::channel::<Vec<u8>>(64);
        let run = async move {
            let mut received = BufReader::new(reader).lines();
            loop {
                tokio::select! {
                    line = received.next_line() => match line {
                        Ok(Some(line)) => inbox.receive(line.into_bytes().into()),
                        _ => return EndReason::new("the server is gone"),
                    },
                    Some(line) = written.recv() => writer.write_all(&line).await.unwrap(),
                }
            }
        };
        Box::pin(async move { Ok(OpenConnection { link: Arc::new(Lines(lines)), run: Box::pin(run) }) })
    }

    fn can_reconnect(&self) -> bool {
        true
    }
}

/// A connector that panics ends the client, and not only the task that asked it.
#[test]
fn a_connector_that_panics_ends_the_client() {
    paused(async {
        let (ours, theirs) = ByteStream::pair(1 << 16);
        let mut server = Server::new(theirs);
        let connector = Panics(Mutex::new(Some(ours)));
        let (client, ()) = tokio::join!(Client::builder().through(connector), server.modern());
        let client = client.unwrap();
        let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), async {
            server.expect("tools/call").await;
            drop(server);
        });
        assert_eq!(name(&outcome), "lost");
        client.closed().await;
        assert_eq!(name(&client.call("t", ()).await), "closed");
    });
}
