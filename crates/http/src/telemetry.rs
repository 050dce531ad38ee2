//! What monitoring sees of HTTP, named by the OpenTelemetry conventions for the protocol.

use http::HeaderMap;
use jackfield_peer::Origin;

use crate::SessionId;

/// Where a request over HTTP comes from.
pub(crate) struct HttpOrigin<'a> {
    pub(crate) session: Option<SessionId>,
    /// None for a request that was kept, and is served again.
    pub(crate) headers: Option<&'a HeaderMap>,
}

impl Origin for HttpOrigin<'_> {
    fn transport(&self) -> &'static str {
        "tcp"
    }

    fn protocol(&self) -> Option<&'static str> {
        Some("http")
    }

    fn session(&self) -> Option<String> {
        self.session.map(SessionId::mark)
    }

    fn header(&self, name: &str) -> Option<String> {
        self.headers?.get(name)?.to_str().ok().map(str::to_owned)
    }
}

/// Notes how many sessions there are.
pub(crate) fn sessions(count: usize) {
    #[cfg(feature = "metrics")]
    metrics::gauge!("mcp.server.sessions").set(u32::try_from(count).map_or(f64::MAX, f64::from));
    #[cfg(not(feature = "metrics"))]
    let _ = count;
}

/// Counts an open stream until it is dropped.
#[derive(Debug)]
pub(crate) struct OpenStream;

impl OpenStream {
    pub(crate) fn begin() -> Self {
        #[cfg(feature = "metrics")]
        metrics::gauge!("mcp.server.streams").increment(1.0);
        Self
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        #[cfg(feature = "metrics")]
        metrics::gauge!("mcp.server.streams").decrement(1.0);
    }
}
