//! TLS, with certificates of our own.

use std::net::SocketAddr;
use std::sync::Arc;

use jackfield_http::{HttpConfig, HttpServer};
use jackfield_peer::{Shutdown, ShutdownTrigger};
use rustls::pki_types::{PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::client::Ask;
use crate::fixture::Tools;
use crate::http2::Http2;

struct Secure {
    address: SocketAddr,
    roots: RootCertStore,
    _trigger: ShutdownTrigger,
    _task: JoinSet<()>,
}

impl Secure {
    async fn start(config: HttpConfig) -> Self {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let certificate = made.cert.der().clone();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let tls =
            ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certificate.clone()], key).unwrap();
        let (tools, _seen) = Tools::new();
        let bound = HttpServer::new(tools).tls(tls).config(config).bind("127.0.0.1:0").await.unwrap();
        let (trigger, shutdown) = Shutdown::new();
        let address = bound.local_addr();
        let mut task = JoinSet::new();
        task.spawn(async move { bound.serve(shutdown).await.unwrap() });
        let mut roots = RootCertStore::empty();
        roots.add(certificate).unwrap();
        Self { address, roots, _trigger: trigger, _task: task }
    }

    async fn connect(&self, protocols: &[&[u8]]) -> std::io::Result<TlsStream<TcpStream>> {
        let mut config = ClientConfig::builder().with_root_certificates(self.roots.clone()).with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        let stream = TcpStream::connect(self.address).await?;
        TlsConnector::from(Arc::new(config)).connect(ServerName::try_from("localhost").unwrap(), stream).await
    }
}

async fn exchange(mut stream: TlsStream<TcpStream>, ask: Ask) -> String {
    stream.write_all(&ask.with("connection", "close").bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8(answer).unwrap()
}

/// Calls travel over TLS, with HTTP/1.1 and with HTTP/2, as the client wishes.
#[tokio::test]
async fn calls_travel_over_tls() {
    let secure = Secure::start(HttpConfig::default()).await;
    let stream = secure.connect(&[b"http/1.1"]).await.unwrap();
    let answer = exchange(stream, Ask::tool("echo", json!({ "text": "sealed" }))).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("sealed"), "{answer}");

    let stream = secure.connect(&[b"h2", b"http/1.1"]).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"h2".as_slice()));
    let (status, answer) = Http2::over(stream).await.echo("localhost", "sealed").await;
    assert_eq!((status, &answer["result"]["content"][0]["text"]), (200, &json!("sealed")));
}

/// Without HTTP/2 in the configuration it is not offered.
#[tokio::test]
async fn http2_is_offered_only_if_configured() {
    let mut config = HttpConfig::default();
    config.http2 = false;
    let secure = Secure::start(config).await;
    let stream = secure.connect(&[b"h2", b"http/1.1"]).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"http/1.1".as_slice()));
    assert!(exchange(stream, Ask::new("GET", "/healthz")).await.starts_with("HTTP/1.1 200"));
}

/// T-026: who does not speak TLS, or says nothing, is let go; the others are served.
#[tokio::test(start_paused = true)]
async fn who_shakes_no_hands_is_let_go() {
    let secure = Secure::start(HttpConfig::default()).await;
    let mut plain = TcpStream::connect(secure.address).await.unwrap();
    plain.write_all(&Ask::new("GET", "/healthz").bytes()).await.unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer).await;
    assert!(!answer.starts_with(b"HTTP"), "{}", String::from_utf8_lossy(&answer));

    let began = Instant::now();
    let mut silent = TcpStream::connect(secure.address).await.unwrap();
    let _ = silent.read_to_end(&mut Vec::new()).await;
    assert!(began.elapsed().as_secs() <= 11);
    assert!(secure.connect(&[b"http/1.1"]).await.is_ok());
}
