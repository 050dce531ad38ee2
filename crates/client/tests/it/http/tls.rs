//! Servers over TLS, with certificates of our own.

use std::error::Error as _;
use std::sync::Arc;

use jackfield_client::{Client, EraCache, ErrorKind, Http};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use super::site::{Site, serve};

/// A server whose certificate an authority of its own has signed.
struct Secure {
    url: String,
    authority: String,
    site: Site,
    _serving: JoinSet<()>,
}

impl Secure {
    /// Serves with a certificate for `name`, at the URL of `host`.
    async fn start(name: &str, host: &str) -> Self {
        let (authority_key, key) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let root = authority.self_signed(&authority_key).unwrap();
        let issuer = Issuer::new(authority, authority_key);
        let leaf = CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![leaf.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
            .unwrap();

        let site = Site::default();
        site.modern();
        site.reply("tools/call", r#"200 json {"result":{"resultType":"complete","content":[]}}"#);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{host}:{}/mcp", listener.local_addr().unwrap().port());
        let (acceptor, served) = (TlsAcceptor::from(Arc::new(config)), site.clone());
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (acceptor, site) = (acceptor.clone(), served.clone());
                connections.spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        serve(site, stream).await;
                    }
                });
            }
        });
        Self { url, authority: root.pem(), site, _serving: serving }
    }

    fn http(&self) -> Http {
        Http::new(&self.url).eras(EraCache::default())
    }
}

/// Why no connection was opened, in the words of the last cause.
async fn refusal(http: Http) -> String {
    let error = Client::connect(http).await.expect_err("the certificate is bad");
    assert_eq!(error.kind(), ErrorKind::Connect, "{error:?}");
    let mut cause = error.source();
    let mut text = String::new();
    while let Some(next) = cause {
        text = next.to_string();
        cause = next.source();
    }
    text
}

/// A server is reached over TLS if its authority is trusted.
#[tokio::test]
async fn a_private_authority_can_be_trusted() {
    let secure = Secure::start("localhost", "localhost").await;
    let client = Client::connect(secure.http().trust(secure.authority.clone())).await.unwrap();
    client.call("t", ()).await.unwrap();
    client.close().await;
    assert_eq!(secure.site.seen("tools/call").len(), 1);
}

/// A certificate of an unknown authority or of another host is refused, and the error says so; nothing has been sent.
#[tokio::test]
async fn bad_certificates_are_refused() {
    let secure = Secure::start("localhost", "localhost").await;
    assert!(refusal(secure.http()).await.contains("UnknownIssuer"));
    let stranger = Secure::start("localhost", "localhost").await;
    assert!(refusal(secure.http().trust(stranger.authority.clone())).await.contains("invalid peer certificate"));
    let elsewhere = Secure::start("example.com", "localhost").await;
    let text = refusal(elsewhere.http().trust(elsewhere.authority.clone())).await;
    assert!(text.contains("certificate not valid for name"), "{text}");
    for authorities in ["no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        assert!(!refusal(secure.http().trust(authorities)).await.is_empty());
    }
    for server in [&secure, &stranger, &elsewhere] {
        assert_eq!(server.site.seen("server/discover").len(), 0);
    }
}
