//! TLS, trusting what the operating system trusts.

use std::io;
use std::sync::{Arc, OnceLock};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;

use super::conn::{Conn, Duplex};

/// How to open TLS. The authorities are read when they are needed first, and once for the whole process.
#[derive(Clone, Debug)]
pub(super) enum Tls {
    /// Trust what the operating system trusts.
    Platform,
    /// Trust these authorities too.
    Extended(Arc<Extended>),
    /// As the user says.
    Given(Arc<ClientConfig>),
}

/// Authorities to trust besides those of the operating system.
#[derive(Debug)]
pub(super) struct Extended {
    pem: Vec<u8>,
    config: OnceLock<Arc<ClientConfig>>,
}

impl Tls {
    pub(super) fn new(given: Option<ClientConfig>, authorities: Option<Vec<u8>>) -> Self {
        match (given, authorities) {
            (Some(config), _) => Self::given(config),
            (None, Some(pem)) => Self::Extended(Arc::new(Extended { pem, config: OnceLock::new() })),
            (None, None) => Self::Platform,
        }
    }

    fn given(mut config: ClientConfig) -> Self {
        if config.alpn_protocols.is_empty() {
            config.alpn_protocols = alpn();
        }
        Self::Given(Arc::new(config))
    }

    async fn config(&self) -> io::Result<Arc<ClientConfig>> {
        static PLATFORM: OnceLock<Arc<ClientConfig>> = OnceLock::new();
        let (kept, pem) = match self {
            Self::Given(config) => return Ok(config.clone()),
            Self::Platform => (&PLATFORM, Vec::new()),
            Self::Extended(extended) => (&extended.config, extended.pem.clone()),
        };
        if let Some(config) = kept.get() {
            return Ok(config.clone());
        }
        let config = tokio::task::spawn_blocking(move || trusting(&pem)).await.map_err(io::Error::other)??;
        Ok(kept.get_or_init(|| Arc::new(config)).clone())
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

/// Trusts what the operating system trusts, and the certificates in `pem`.
fn trusting(pem: &[u8]) -> io::Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        roots.add(certificate.map_err(unusable)?).map_err(unusable)?;
    }
    if roots.is_empty() && !pem.is_empty() {
        return Err(unusable("there is no certificate among the authorities to trust"));
    }
    let found = rustls_native_certs::load_native_certs();
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

fn unusable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, cause)
}
