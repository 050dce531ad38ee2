//! A site on this machine, and a fetcher for it.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use jackfield_http::client::{Boxed, Resolve};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use url::Url;

use crate::fetch::fetcher::{Fetcher, Page};
use crate::fetch::options::{Options, Proxy, Purpose};

/// What a site answers to a path: everything after the request's head.
type Answers = dyn Fn(&str) -> Vec<u8> + Send + Sync;

/// A site on this machine that remembers what it was asked for.
pub(super) struct Site {
    pub(super) address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
    _connections: JoinSet<()>,
}

impl Site {
    pub(super) async fn start(answers: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::start_at("127.0.0.1:0", answers).await
    }

    pub(super) async fn start_at(at: &str, answers: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(at).await.unwrap();
        let address = listener.local_addr().unwrap();
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let (noted, answers): (_, Arc<Answers>) = (heads.clone(), Arc::new(answers));
        let mut connections = JoinSet::new();
        connections.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                open.spawn(serve(stream, noted.clone(), answers.clone()));
            }
        });
        Self { address, heads, _connections: connections }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The heads of the requests so far.
    pub(super) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }

    /// The paths that were asked for.
    pub(super) fn hits(&self) -> Vec<String> {
        self.heads().iter().map(|head| head.split(' ').nth(1).unwrap_or_default().to_owned()).collect()
    }
}

async fn serve(mut stream: TcpStream, heads: Arc<Mutex<Vec<String>>>, answers: Arc<Answers>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    heads.lock().unwrap().push(head);
    let answer = answers(&path);
    if answer.is_empty() {
        // Says nothing, and never ends.
        std::future::pending::<()>().await;
    }
    let _ = stream.write_all(&answer).await;
}

/// A whole answer.
pub(super) fn answer(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

pub(super) fn text(body: &str) -> Vec<u8> {
    answer(200, "content-type: text/plain\r\n", body)
}

pub(super) fn html(body: &str) -> Vec<u8> {
    answer(200, "content-type: text/html\r\n", body)
}

pub(super) fn redirect(location: &str) -> Vec<u8> {
    answer(302, &format!("location: {location}\r\n"), "")
}

pub(super) fn not_found() -> Vec<u8> {
    answer(404, "", "")
}

/// Options under which only 127.0.0.1 counts as a public address.
pub(super) fn options() -> Options {
    let mut options = Options { proxy: Proxy::Direct, ..Options::default() };
    options.destinations.public_in_tests = vec![IpAddr::from([127, 0, 0, 1])];
    options
}

/// Says that every name has these addresses, the next ones at each question, and counts the questions.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    pub(super) answers: Arc<Vec<Vec<SocketAddr>>>,
    pub(super) asked: Arc<AtomicUsize>,
}

impl Names {
    pub(super) fn new(answers: &[&[SocketAddr]]) -> Self {
        let answers = answers.iter().map(|addresses| addresses.to_vec()).collect();
        Self { answers: Arc::new(answers), asked: Arc::default() }
    }
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, _: &'a str, _: u16) -> Boxed<'a, io::Result<Vec<SocketAddr>>> {
        let question = self.asked.fetch_add(1, Ordering::SeqCst);
        let addresses = self.answers.get(question).or(self.answers.last()).cloned();
        Box::pin(std::future::ready(addresses.ok_or_else(|| io::Error::other("no such name"))))
    }
}

pub(super) fn fetcher(options: Options) -> Fetcher {
    fetcher_with(options, Names::default())
}

pub(super) fn fetcher_with(options: Options, names: Names) -> Fetcher {
    Fetcher::with_names(options, names)
}

/// Fetches as the tool does.
pub(super) async fn fetch(options: Options, url: &str) -> Result<Page, String> {
    page(&fetcher(options), url).await
}

pub(super) async fn page(fetcher: &Fetcher, url: &str) -> Result<Page, String> {
    let parsed = Url::parse(url).unwrap();
    fetcher.page(parsed.as_str(), parsed.clone(), Purpose::Autonomous, false).await.map_err(|error| error.to_string())
}
