//! Fetches pages: asks robots.txt, follows redirects, and turns what comes into text for a model.

use std::sync::Arc;

use jackfield_http::client::{BadProxy, Resolve, SystemNames};
use tokio::sync::Semaphore;
use url::Url;

use super::charset;
use super::downloader::{Download, Downloader, Stopped, in_background};
use super::failure::{Failure, Problem};
use super::html;
use super::limits::Limits;
use super::options::{Options, Purpose};
use super::robots::Rules;

/// How much of a robots.txt is read. RFC 9309 asks for 500 KiB at least.
const ROBOTS_BYTES: usize = 512 * 1024;
/// How far into a body a page of another content type may say that it is HTML.
const SNIFFED_CHARACTERS: usize = 100;

/// Fetches pages.
#[derive(Clone)]
pub(super) struct Fetcher {
    shared: Arc<Shared>,
}

struct Shared {
    options: Options,
    /// Each page may need memory in proportion to the limits.
    pages: Semaphore,
    /// A proxy that cannot be used fails the calls, as in the original; they never go around it.
    downloader: Result<Downloader, BadProxy>,
}

/// A page for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// What is to be known about the content before it.
    pub(super) prefix: String,
    pub(super) content: String,
}

impl Fetcher {
    pub(super) fn new(options: Options) -> Self {
        Self::with_names(options, SystemNames)
    }

    /// Resolves names by other means than the operating system.
    pub(super) fn with_names(options: Options, names: impl Resolve) -> Self {
        let downloader = Downloader::new(&options, names);
        let pages = Semaphore::new(options.limits.pages.clamp(1, Semaphore::MAX_PERMITS));
        Self { shared: Arc::new(Shared { options, pages, downloader }) }
    }

    /// How many more pages may be fetched at this moment.
    #[cfg(test)]
    pub(super) fn free_pages(&self) -> usize {
        self.shared.pages.available_permits()
    }

    /// Fetches a page. `name` is what the URL is called in failures.
    ///
    /// # Cancellation
    /// Dropping the future closes the connection.
    pub(super) async fn page(&self, name: &str, url: Url, purpose: Purpose, raw: bool) -> Result<Page, Failure> {
        let time = self.shared.options.limits.time;
        match tokio::time::timeout(time, self.fetch(name, url, purpose, raw)).await {
            Ok(fetched) => fetched,
            Err(_) => Err(Failure::Failed { url: name.to_owned(), problem: Problem::TimedOut(time) }),
        }
    }

    async fn fetch(&self, name: &str, url: Url, purpose: Purpose, raw: bool) -> Result<Page, Failure> {
        let failed = |problem| Failure::Failed { url: name.to_owned(), problem };
        let _page = self.shared.pages.acquire().await;
        let downloader = self.shared.downloader.as_ref().map_err(|problem| Failure::Proxy(problem.clone()))?;
        let download = self.follow(downloader, name, url, purpose).await?;
        if download.status.as_u16() >= 400 {
            return Err(Failure::Status { url: name.to_owned(), status: download.status.as_u16() });
        }
        let limits = self.shared.options.limits;
        in_background(move || page(download, raw, limits)).await.and_then(|page| page).map_err(failed)
    }

    /// Follows redirects. Each address is checked, and each is asked whether programs may fetch it.
    async fn follow(
        &self,
        downloader: &Downloader,
        name: &str,
        mut url: Url,
        purpose: Purpose,
    ) -> Result<Download, Failure> {
        let user_agent = self.shared.options.user_agent(purpose);
        let asks_robots = purpose == Purpose::Autonomous && !self.shared.options.ignore_robots_txt;
        for _ in 0..=self.shared.options.limits.redirects {
            if asks_robots {
                self.ask_robots(downloader, &url, user_agent).await?;
            }
            let answer = downloader.send(&url, user_agent).await.map_err(|stopped| stopped.at(name, &url))?;
            let at_once = |problem: Problem| Stopped::from(problem).at(name, &url);
            match Downloader::redirect(&url, &answer).map_err(at_once)? {
                Some(next) => url = next,
                None => return downloader.read(answer).await.map_err(at_once),
            }
        }
        Err(Failure::Failed { url: name.to_owned(), problem: Problem::TooManyRedirects })
    }

    /// Fails if a site does not want a page fetched by programs.
    async fn ask_robots(&self, downloader: &Downloader, url: &Url, user_agent: &str) -> Result<(), Failure> {
        // What is refused has no robots.txt.
        let refused = |refusal| Failure::refused(url, refusal);
        self.shared.options.destinations.check_form(url).map_err(refused)?;
        let robots_url = robots_url(url);
        let Download { status, content_type, body } = self.robots(downloader, &robots_url, user_agent).await?;
        match status.as_u16() {
            status @ (401 | 403) => return Err(Failure::RobotsForbidden { url: robots_url, status }),
            400..500 => return Ok(()),
            _ => {}
        }
        let robots = charset::text(body, &content_type);
        if Rules::parse(&robots).allow(url, user_agent) {
            return Ok(());
        }
        let (user_agent, url) = (user_agent.to_owned(), url.to_string());
        Err(Failure::Disallowed { robots_url, user_agent, url, robots })
    }

    async fn robots(&self, downloader: &Downloader, robots_url: &Url, user_agent: &str) -> Result<Download, Failure> {
        let unreachable = || Failure::NoRobots(robots_url.clone());
        let mut url = robots_url.clone();
        for _ in 0..=self.shared.options.limits.redirects {
            let answer = match downloader.send(&url, user_agent).await {
                Ok(answer) => answer,
                Err(Stopped::Refused(refusal)) => return Err(Failure::refused(&url, refusal)),
                Err(Stopped::Failed(_)) => return Err(unreachable()),
            };
            match Downloader::redirect(&url, &answer).map_err(|_| unreachable())? {
                Some(next) => url = next,
                None => {
                    let mut download = downloader.read(answer).await.map_err(|_| unreachable())?;
                    download.body.truncate(ROBOTS_BYTES);
                    return Ok(download);
                }
            }
        }
        Err(unreachable())
    }
}

fn robots_url(url: &Url) -> Url {
    let mut robots = url.clone();
    robots.set_path("/robots.txt");
    robots.set_query(None);
    robots.set_fragment(None);
    robots
}

/// Turns what came into text for a model.
fn page(download: Download, raw: bool, limits: Limits) -> Result<Page, Problem> {
    let Download { content_type, body, .. } = download;
    if is_media(&content_type, &body) {
        let kind = if content_type.is_empty() { "application/pdf".to_owned() } else { content_type };
        return Err(Problem::NotText(kind));
    }
    let text = charset::text(body, &content_type);
    if raw || !is_html(&text, &content_type) {
        let prefix =
            format!("Content type {content_type} cannot be simplified to markdown, but here is the raw content:\n");
        return Ok(Page { prefix, content: text });
    }
    let content = html::markdown(&text, limits.nodes, limits.depth)?;
    let content = match content.trim() {
        "" => "<error>Page failed to be simplified from HTML</error>".to_owned(),
        _ => content,
    };
    Ok(Page { prefix: String::new(), content })
}

fn is_html(text: &str, content_type: &str) -> bool {
    let end = text.char_indices().nth(SNIFFED_CHARACTERS).map_or(text.len(), |(end, _)| end);
    content_type.is_empty()
        || content_type.contains("text/html")
        || text.get(..end).is_some_and(|beginning| beginning.contains("<html"))
}

/// Whether a body is a document or a medium that no text can be made of. Vector images are text.
fn is_media(content_type: &str, body: &[u8]) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_medium = ["image/", "audio/", "video/", "font/"].iter().any(|medium| kind.starts_with(medium));
    (is_medium && kind != "image/svg+xml") || kind == "application/pdf" || body.starts_with(b"%PDF-")
}
