//! Why a page cannot be had, in the words that clients know.

use std::time::Duration;

use jackfield_http::client::BadProxy;
use url::Url;

use super::decompress::BadBody;
use super::destination::Refusal;
use super::html::TooLarge;

/// Why a page cannot be had. Its text is what the model reads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Failure {
    #[error("Failed to fetch {url} - status code {status}")]
    Status { url: String, status: u16 },
    #[error("Refused to fetch {url}: {refusal}")]
    Refused { url: Url, refusal: Refusal },
    #[error("Failed to fetch {url}: {problem}")]
    Failed { url: String, problem: Problem },
    #[error(
        "Failed to set up the HTTP client, check the proxy configuration (--proxy-url or the HTTP_PROXY, HTTPS_PROXY and ALL_PROXY \
         environment variables): {0}"
    )]
    Proxy(BadProxy),
    #[error("Failed to fetch robots.txt {0} due to a connection issue")]
    NoRobots(Url),
    #[error(
        "When fetching robots.txt ({url}), received status {status} so assuming that autonomous fetching is not allowed, the user can \
         try manually fetching by using the fetch prompt"
    )]
    RobotsForbidden { url: Url, status: u16 },
    #[error(
        "The sites robots.txt ({robots_url}), specifies that autonomous fetching of this page is not allowed, \
         <useragent>{user_agent}</useragent>\n<url>{url}</url><robots>\n{robots}\n</robots>\n\
         The assistant must let the user know that it failed to view the page. The assistant may provide further guidance based on \
         the above information.\n\
         The assistant can tell the user that they can try manually fetching the page by using the fetch prompt within their UI."
    )]
    Disallowed { robots_url: Url, user_agent: String, url: String, robots: String },
}

impl Failure {
    /// Names a refused URL without the user name and password that may be in it.
    pub(super) fn refused(url: &Url, refusal: Refusal) -> Self {
        let mut url = url.clone();
        // Where these cannot be set there are none.
        let _ = (url.set_username(""), url.set_password(None));
        Self::Refused { url, refusal }
    }
}

/// What went wrong on the way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Problem {
    /// The text of the original.
    #[error("TooManyRedirects('Exceeded maximum allowed redirects.')")]
    TooManyRedirects,
    #[error("the site redirects to an address that is not a URL")]
    BadRedirect,
    /// The text of the original.
    #[error("UnsupportedProtocol(\"Request URL is missing an 'http://' or 'https://' protocol.\")")]
    BadUrl,
    #[error("no answer within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// The text of the original.
    #[error("ConnectError('All connection attempts failed')")]
    NobodyListens,
    /// The last cause that the operating system or the connection gave.
    #[error("{0}")]
    Connection(String),
    #[error("the body is longer than {0} bytes")]
    TooLong(usize),
    #[error(transparent)]
    Body(#[from] BadBody),
    #[error(transparent)]
    Page(#[from] TooLarge),
    #[error("the content type {0} is not text; only pages and other text can be fetched")]
    NotText(String),
}
