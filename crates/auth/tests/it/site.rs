//! A web site on loopback that answers by rule and remembers what it was asked.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// A request as the site saw it.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    pub(crate) path: String,
    /// The whole head, in lower case.
    pub(crate) head: String,
    /// The value of the header `Authorization`.
    pub(crate) authorization: Option<String>,
    /// The value of the header `DPoP`.
    pub(crate) proof: Option<String>,
    pub(crate) body: String,
}

/// A web site on loopback. Each connection serves one request.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    hits: Arc<Mutex<Vec<Hit>>>,
    _tasks: JoinSet<()>,
}

impl Site {
    /// Opens a site; `answer` makes a whole response from the path.
    pub(crate) async fn open(answer: impl Fn(&Hit) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let hits: Arc<Mutex<Vec<Hit>>> = Arc::default();
        let (seen, answer) = (hits.clone(), Arc::new(answer));
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (seen, answer) = (seen.clone(), answer.clone());
                connections.spawn(async move { serve(stream, &seen, &*answer).await });
            }
        });
        Self { address, hits, _tasks: tasks }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn hits(&self) -> Vec<Hit> {
        self.hits.lock().unwrap().clone()
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        self.hits().into_iter().map(|hit| hit.path).collect()
    }
}

async fn serve(mut stream: TcpStream, seen: &Mutex<Vec<Hit>>, answer: &(dyn Fn(&Hit) -> String + Send + Sync)) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let path = head.split(' ').nth(1).unwrap().to_owned();
    let header = |name: &str| {
        let mut lines = head.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim().to_owned())
    };
    let mut body = vec![0; header("content-length").map_or(0, |length| length.parse().unwrap())];
    if stream.read_exact(&mut body).await.is_err() {
        return;
    }
    let (authorization, proof) = (header("authorization"), header("dpop"));
    let body = String::from_utf8(body).unwrap();
    let hit = Hit { path, head: head.to_ascii_lowercase(), authorization, proof, body };
    let text = answer(&hit);
    seen.lock().unwrap().push(hit);
    let _ = stream.write_all(text.as_bytes()).await;
}

/// A response that ends the connection.
pub(crate) fn response(status: u16, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}", body.len())
}
