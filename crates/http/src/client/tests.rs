//! The ways to a server: through proxies, over TLS, by names of one's own.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Request};
use hyper_util::client::proxy::matcher::Matcher;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::{
    Agent, AgentConfig, Asked, Authorizer, Boxed, Error, NotAuthorized, Proxies, Reaction, Refusal, Resolve,
    SystemNames,
};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";

/// Reads the head of a message, in lower case.
async fn head(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut text = Vec::new();
    while !text.ends_with(b"\r\n\r\n") {
        text.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(text).unwrap().to_ascii_lowercase()
}

async fn answer(stream: &mut (impl AsyncWrite + Unpin), text: &str) {
    stream.write_all(text.as_bytes()).await.unwrap();
    stream.flush().await.unwrap();
}

/// Listens on loopback, and does something with the first connection.
async fn listen<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
    serve: impl FnOnce(TcpStream) -> F + Send + 'static,
) -> (SocketAddr, JoinSet<T>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut task = JoinSet::new();
    task.spawn(async move { serve(listener.accept().await.unwrap().0).await });
    (address, task)
}

async fn ask(agent: &Agent, url: &str) -> Result<Bytes, Error> {
    let request = Request::post(url).body(Bytes::from_static(b"{}")).unwrap();
    agent.send(request, None).await?.text(100).await
}

fn causes(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        text.push_str(&format!(": {next}"));
        cause = next.source();
    }
    text
}

/// A proxy for plain requests reads them whole, and is told who is asking.
#[tokio::test]
async fn a_plain_request_goes_through_the_proxy() {
    let (proxy, mut task) = listen(|mut stream| async move {
        let head = head(&mut stream).await;
        answer(&mut stream, OK).await;
        head
    })
    .await;
    let matcher = Matcher::builder().all(format!("http://user:secret@{proxy}")).build();
    let agent = Agent::through(Some(matcher), AgentConfig::default());
    assert_eq!(ask(&agent, "http://server.example/mcp").await.unwrap(), "{}");
    let head = task.join_next().await.unwrap().unwrap();
    assert!(head.starts_with("post http://server.example/mcp http/1.1\r\n"), "{head}");
    assert!(head.contains("proxy-authorization: basic dxnlcjpzzwnyzxq="), "{head}");
}

/// Has a token for the first attempt only.
#[derive(Debug)]
struct Once;

impl Authorizer for Once {
    fn headers<'a>(&'a self, asked: Asked<'a>) -> Boxed<'a, Result<HeaderMap, NotAuthorized>> {
        let mut headers = HeaderMap::new();
        if asked.attempt == 0 {
            headers.insert("authorization", "Bearer refused".parse().unwrap());
        }
        Box::pin(std::future::ready(Ok(headers)))
    }

    fn refused<'a>(&'a self, _: &'a Refusal) -> Boxed<'a, Result<Reaction, NotAuthorized>> {
        Box::pin(std::future::ready(Ok(Reaction::Retry)))
    }
}

/// A token that was refused is not sent again when there is none any more; the caller's own header is.
#[tokio::test]
async fn a_refused_token_is_not_sent_again() {
    for own in [None, Some("Bearer own")] {
        let (address, mut task) = listen(|mut stream| async move {
            let first = head(&mut stream).await;
            assert_eq!(stream.read_u16().await.unwrap(), u16::from_be_bytes(*b"{}"));
            answer(&mut stream, "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n").await;
            let second = head(&mut stream).await;
            answer(&mut stream, OK).await;
            (first, second)
        })
        .await;
        let mut request = Request::post(format!("http://{address}/mcp"));
        if let Some(own) = own {
            request = request.header("authorization", own);
        }
        let request = request.body(Bytes::from_static(b"{}")).unwrap();
        let answer = Agent::through(None, AgentConfig::default()).send(request, Some(&Once)).await.unwrap();
        assert_eq!(answer.status, 200);
        let (first, second) = task.join_next().await.unwrap().unwrap();
        assert!(first.contains("bearer refused"), "{first}");
        assert!(!second.contains("bearer refused") && second.contains("bearer own") == own.is_some(), "{second}");
    }
}

/// Plays a SOCKS 5 proxy that wants a password, and then the server behind it. Returns what it was asked for and the request.
async fn socks(mut stream: TcpStream) -> (Vec<u8>, String) {
    let mut greeting = [0; 3];
    stream.read_exact(&mut greeting).await.unwrap();
    assert_eq!(greeting, [5, 1, 2]);
    stream.write_all(&[5, 2]).await.unwrap();
    let mut login = [0; 13];
    stream.read_exact(&mut login).await.unwrap();
    assert_eq!(&login, b"\x01\x04user\x06secret");
    stream.write_all(&[1, 0]).await.unwrap();
    let mut asked = vec![0; 5];
    stream.read_exact(&mut asked).await.unwrap();
    let rest = if asked[3] == 3 { usize::from(asked[4]) + 2 } else { 5 };
    let start = asked.len();
    asked.resize(start + rest, 0);
    stream.read_exact(&mut asked[start..]).await.unwrap();
    stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.unwrap();
    let head = head(&mut stream).await;
    answer(&mut stream, OK).await;
    (asked, head)
}

/// A SOCKS proxy gets host and port, and then an ordinary request. Proxies that were given are used for this machine too.
#[tokio::test]
async fn a_socks_proxy_opens_the_connection() {
    for (url, asked) in [
        ("http://server.example/mcp", b"\x05\x01\x00\x03\x0eserver.example\x00\x50".as_slice()),
        ("http://127.0.0.1:8080/mcp", b"\x05\x01\x00\x01\x7f\x00\x00\x01\x1f\x90"),
    ] {
        let (proxy, mut task) = listen(socks).await;
        let proxies = Proxies::all(&format!("socks://user:secret@{proxy}")).unwrap();
        let agent = Agent::new(AgentConfig { proxies: Some(proxies), ..AgentConfig::default() });
        assert!(agent.is_proxied(&url.parse().unwrap()));
        assert_eq!(ask(&agent, url).await.unwrap(), "{}");
        let (target, head) = task.join_next().await.unwrap().unwrap();
        assert_eq!(target, asked, "{url}");
        assert!(head.starts_with("post /mcp http/1.1\r\n") && !head.contains("proxy-authorization"), "{head}");
    }
}

/// Only proxies that speak HTTP or SOCKS 5 are used; with another one nothing is sent anywhere.
#[tokio::test]
async fn other_proxies_are_refused() {
    let matcher = Matcher::builder().all("socks4://127.0.0.1:1").build();
    let agent = Agent::through(Some(matcher), AgentConfig::default());
    let error = ask(&agent, "http://server.example/mcp").await.unwrap_err();
    assert!(error.is_connect() && causes(&error).contains("only http and socks5 proxies"), "{}", causes(&error));
}

/// Says that every host is at these addresses.
#[derive(Debug)]
struct Everywhere(Vec<SocketAddr>);

impl Resolve for Everywhere {
    fn resolve<'a>(&'a self, _: &'a str, _: u16) -> Boxed<'a, io::Result<Vec<SocketAddr>>> {
        Box::pin(std::future::ready(Ok(self.0.clone())))
    }
}

fn named(addresses: Vec<SocketAddr>) -> Agent {
    Agent::new(AgentConfig { names: Some(Arc::new(Everywhere(addresses))), ..AgentConfig::default() })
}

/// The addresses of a host are tried in order, and an address needs no name.
#[tokio::test]
async fn the_next_address_is_tried() {
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let serve = |mut stream: TcpStream| async move {
        let head = head(&mut stream).await;
        answer(&mut stream, OK).await;
        head
    };
    let (open, mut task) = listen(serve).await;
    assert_eq!(ask(&named(vec![closed, open]), "http://server.example/mcp").await.unwrap(), "{}");
    assert!(task.join_next().await.unwrap().unwrap().contains("host: server.example\r\n"));
    let (open, _task) = listen(serve).await;
    assert_eq!(ask(&named(Vec::new()), &format!("http://{open}/")).await.unwrap(), "{}", "nobody is asked");
    let error = ask(&named(Vec::new()), "http://server.example/mcp").await.unwrap_err();
    assert!(error.is_connect() && causes(&error).contains("no address"), "{}", causes(&error));
    assert!(ask(&named(vec![closed]), "http://server.example/mcp").await.unwrap_err().is_connect());
}

#[tokio::test]
async fn the_system_knows_itself() {
    let of = async |host: &str| SystemNames.resolve(host, 80).await.unwrap();
    assert_eq!(of("192.0.2.1").await, ["192.0.2.1:80".parse().unwrap()]);
    assert_eq!(of("::1").await, ["[::1]:80".parse().unwrap()]);
    assert!(of("localhost").await.iter().all(|address| address.ip().is_loopback() && address.port() == 80));
}

/// Whatever is not a plain web address is refused before anything is opened.
#[tokio::test]
async fn only_web_addresses_are_asked() {
    for url in ["ftp://server.example/", "http://user@server.example/", "/mcp"] {
        let error = ask(&named(Vec::new()), url).await.unwrap_err();
        assert!(error.is_connect() && causes(&error).contains("not a plain http or https URL"), "{url}");
    }
}

#[cfg(feature = "client-tls")]
mod tls {
    use rustls::pki_types::PrivateKeyDer;
    use rustls::{ClientConfig, RootCertStore, ServerConfig};
    use tokio_rustls::TlsAcceptor;

    use super::*;

    const HOST: &str = "server.example";

    /// A server for a name, and a client that trusts nobody else.
    fn pair() -> (TlsAcceptor, ClientConfig) {
        let made = rcgen::generate_simple_self_signed(vec![HOST.to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let server = ServerConfig::builder().with_no_client_auth();
        let server = server.with_single_cert(vec![made.cert.der().clone()], key).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(made.cert.der().clone()).unwrap();
        let client = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        (TlsAcceptor::from(Arc::new(server)), client)
    }

    fn through(proxy: SocketAddr, tls: ClientConfig) -> Agent {
        let matcher = Matcher::builder().all(format!("http://user:secret@{proxy}")).build();
        Agent::through(Some(matcher), AgentConfig { tls: Some(tls), ..AgentConfig::default() })
    }

    /// A proxy opens a tunnel, and sees nothing of what goes through; the server does not learn who asked the proxy.
    #[tokio::test]
    async fn an_https_request_goes_through_a_tunnel() {
        let (acceptor, trusting) = pair();
        let (proxy, mut task) = listen(|mut stream| async move {
            let connect = head(&mut stream).await;
            answer(&mut stream, "HTTP/1.1 200 OK\r\n\r\n").await;
            let mut stream = acceptor.accept(stream).await.unwrap();
            let request = head(&mut stream).await;
            answer(&mut stream, OK).await;
            (connect, request)
        })
        .await;
        assert_eq!(ask(&through(proxy, trusting), "https://server.example/mcp").await.unwrap(), "{}");
        let (connect, request) = task.join_next().await.unwrap().unwrap();
        assert!(connect.starts_with("connect server.example:443 http/1.1\r\n"), "{connect}");
        assert!(connect.contains("proxy-authorization: basic dxnlcjpzzwnyzxq="), "{connect}");
        assert!(request.starts_with("post /mcp http/1.1\r\n") && !request.contains("proxy-authorization"), "{request}");
    }

    /// A proxy that opens no tunnel is an error, and nothing is sent through it.
    #[tokio::test]
    async fn a_refused_tunnel_is_an_error() {
        let (_, trusting) = pair();
        let (proxy, mut task) = listen(|mut stream| async move {
            head(&mut stream).await;
            answer(&mut stream, "HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n").await;
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest).await;
            rest
        })
        .await;
        assert!(ask(&through(proxy, trusting), "https://server.example/mcp").await.unwrap_err().is_connect());
        assert!(task.join_next().await.unwrap().unwrap().is_empty());
    }

    /// Who shows a certificate of another name, or of nobody we trust, is not talked to.
    #[tokio::test]
    async fn a_wrong_certificate_is_an_error() {
        for (host, trusted) in [("server.example", false), ("other.example", true)] {
            let (acceptor, trusting) = pair();
            let tls = if trusted { trusting } else { pair().1 };
            let (address, mut task) = listen(|stream| async move { acceptor.accept(stream).await.is_ok() }).await;
            let config = AgentConfig {
                tls: Some(tls),
                names: Some(Arc::new(Everywhere(vec![address]))),
                ..AgentConfig::default()
            };
            let error = ask(&Agent::new(config), &format!("https://{host}/mcp")).await.unwrap_err();
            assert!(error.is_connect() && causes(&error).contains("certificate"), "{}", causes(&error));
            assert!(!task.join_next().await.unwrap().unwrap());
        }
    }
}
