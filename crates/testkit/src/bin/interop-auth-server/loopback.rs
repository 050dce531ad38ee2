//! Fetching from other programs on this machine.

use jackfield::http::client::Agent;
use jackfield::http::fetch::{Document, Fetch, FetchError, FetchFuture, FetchRequest, Reach};

/// Fetches from other programs on this machine. Nothing else is ever asked for in these runs, so nothing else is allowed.
#[derive(Debug, Default)]
pub(crate) struct Loopback(Agent);

impl Loopback {
    async fn ask(&self, ask: FetchRequest) -> Result<Document, FetchError> {
        Reach::Desktop.check_url(&ask.url)?;
        if ask.url.host_str() != Some("127.0.0.1") {
            return Err(FetchError::Refused("only loopback"));
        }
        let mut request = http::Request::new(ask.body);
        *request.method_mut() = ask.method;
        *request.uri_mut() = ask.url.as_str().parse().map_err(|_| FetchError::Refused("not a URL"))?;
        *request.headers_mut() = ask.headers;
        let failed = |error: jackfield::http::client::Error| FetchError::Connection(error.into());
        let answer = self.0.send(request, None).await.map_err(failed)?;
        let (status, headers) = (answer.status, answer.headers.clone());
        Ok(Document::new(status, headers, answer.text(ask.limit).await.map_err(failed)?))
    }
}

impl Fetch for Loopback {
    fn fetch(&self, ask: FetchRequest) -> FetchFuture<'_> {
        Box::pin(async move {
            let deadline = ask.deadline;
            tokio::time::timeout(deadline, self.ask(ask)).await.unwrap_or(Err(FetchError::TimedOut))
        })
    }
}
