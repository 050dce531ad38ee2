//! Opens connections to a server over HTTP.

use std::io;
use std::sync::Arc;

use http::Uri;
use jackfield_protocol::Revision;

use super::eras::KnownServer;
use super::link::HttpLink;
use super::shared::{Server, Shared};
use super::target::Http;
use crate::config::Options;
use crate::{BoxFuture, Connector, Error, Inbox, OpenConnection};

/// Knows a server by its URL.
#[derive(Debug)]
pub(crate) struct HttpConnector(Arc<Server>);

impl HttpConnector {
    pub(crate) fn new(http: Http, options: &Options) -> Result<Self, Error> {
        let uri: Uri = http.uri?;
        Ok(Self(Arc::new(Server {
            url: uri.to_string(),
            uri,
            headers: http.headers,
            authorizer: http.authorizer,
            agent: http.agent.unwrap_or_default(),
            eras: http.eras,
            allows_http_sse: http.allows_http_sse,
            limits: options.limits.clone(),
            timeouts: options.timeouts.clone(),
            restarts: options.restarts.clone(),
            untaken: Default::default(),
            over_http_sse: Default::default(),
        })))
    }
}

impl Connector for HttpConnector {
    fn connect(&self, inbox: Inbox) -> BoxFuture<'_, io::Result<OpenConnection>> {
        let (shared, run) = Shared::open(self.0.clone(), inbox);
        Box::pin(async move { Ok(OpenConnection { link: Arc::new(HttpLink(shared)), run: Box::pin(run) }) })
    }

    fn transport(&self) -> &'static str {
        "http"
    }

    fn can_reconnect(&self) -> bool {
        true
    }

    fn always_answers(&self) -> bool {
        true
    }

    fn recall(&self) -> Option<Revision> {
        self.0.known().map(|known| known.revision)
    }

    fn remember(&self, revision: Option<Revision>) {
        match revision {
            Some(revision) => {
                let over_http_sse = self.0.over_http_sse.load(std::sync::atomic::Ordering::Relaxed);
                self.0.eras.remember(&self.0.url, KnownServer { revision, over_http_sse });
            }
            None => self.0.eras.forget(&self.0.url),
        }
    }
}
