//! TLS, trusting what the operating system trusts.

use std::io;
use std::sync::{Arc, OnceLock};

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;

use super::conn::{Conn, Duplex};

/// How to open TLS. The authorities are read when they are needed first, and once for the whole process.
#[derive(Clone, Debug)]
pub(super) enum Tls {
    /// Trust what the operating system trusts.
    Platform,
    /// As the user says.
    Given(Arc<ClientConfig>),
}

impl Tls {
    pub(super) fn given(mut config: ClientConfig) -> Self {
        if config.alpn_protocols.is_empty() {
            config.alpn_protocols = alpn();
        }
        Self::Given(Arc::new(config))
    }

    async fn config(&self) -> io::Result<Arc<ClientConfig>> {
        static PLATFORM: OnceLock<Arc<ClientConfig>> = OnceLock::new();
        match (self, PLATFORM.get()) {
            (Self::Given(config), _) | (Self::Platform, Some(config)) => Ok(config.clone()),
            (Self::Platform, None) => {
                let config = tokio::task::spawn_blocking(platform).await.map_err(io::Error::other)??;
                Ok(PLATFORM.get_or_init(|| Arc::new(config)).clone())
            }
        }
    }

    /// Opens TLS to `host` over a stream.
    pub(super) async fn open(&self, stream: impl Duplex + 'static, host: &str) -> io::Result<Conn> {
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let name = ServerName::try_from(host).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let stream = TlsConnector::from(self.config().await?).connect(name, stream).await?;
        let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        Ok(Conn::new(stream).over_http2(is_http2))
    }
}

fn alpn() -> Vec<Vec<u8>> {
    vec![b"h2".to_vec(), b"http/1.1".to_vec()]
}

fn platform() -> io::Result<ClientConfig> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        let cause = found.errors.into_iter().next().map(io::Error::other);
        return Err(cause.unwrap_or_else(|| io::Error::other("the operating system trusts no certificate authority")));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = alpn();
    Ok(config)
}
