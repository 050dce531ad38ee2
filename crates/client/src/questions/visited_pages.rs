//! VisitedPages that a server sends a person to before it serves a request, and its notices that the person is done there; only
//! 2025-11-25.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jackfield_protocol::{ElicitAction, ElicitParams};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::Error;
use crate::connection::Core;
use crate::connection::Session;
use crate::request::Deadline;

/// How many pages are remembered; the oldest is forgotten for a new one.
const MOST: usize = 256;

/// The pages that a person was sent to.
#[derive(Debug, Default)]
pub(crate) struct VisitedPages {
    known: Mutex<VecDeque<Page>>,
    completed: Notify,
}

#[derive(Debug)]
struct Page {
    id: String,
    is_completed: bool,
}

impl VisitedPages {
    /// Notes that a person is sent to a page.
    pub(crate) fn opened(&self, id: &str) {
        let mut known = self.known();
        known.retain(|page| page.id != id);
        if known.len() >= MOST {
            known.pop_front();
        }
        known.push_back(Page { id: id.to_owned(), is_completed: false });
    }

    /// Notes that a person is done at a page; says whether that is news about a page of ours.
    pub(crate) fn completed(&self, id: &str) -> bool {
        let mut known = self.known();
        let found = known.iter_mut().find(|page| page.id == id && !page.is_completed);
        let is_news = found.map(|page| page.is_completed = true).is_some();
        drop(known);
        if is_news {
            self.completed.notify_waiters();
        }
        is_news
    }

    /// Waits until the server has said that a person is done at all of these.
    async fn wait_for(&self, ids: &[String]) {
        loop {
            let changed = self.completed.notified();
            let is_done = |id: &String| self.known().iter().any(|page| page.id == *id && page.is_completed);
            if ids.iter().all(is_done) {
                return;
            }
            changed.await;
        }
    }

    fn known(&self) -> MutexGuard<'_, VecDeque<Page>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Core {
    /// Sends a person to the pages that an error names, so that the request can be sent again; any other error is given back, and so is
    /// this one if the person does not agree.
    ///
    /// That a person has agreed does not mean that they are done. The request is sent again at once all the same, because many servers
    /// never tell; if the same pages are named again, the server's notice is waited for.
    pub(crate) async fn visit_pages(
        &self,
        error: Error,
        session: &Session,
        agreed: &mut Vec<String>,
        deadline: Deadline,
    ) -> Result<(), Error> {
        let handlers = &self.options.handlers;
        let is_driven = session.revision.has_url_elicitation_error() && handlers.url.is_some();
        let pages = error.required_pages().filter(|pages| is_driven && !pages.is_empty());
        let Some(pages) = pages else { return Err(error) };
        let limit = self.options.limits.questions_per_round;
        if pages.len() > limit {
            return Err(Error::limit("the number of pages that a request needs", limit));
        }
        let mut ids = Vec::new();
        let mut is_new = false;
        for page in pages {
            let Some(id) = page.elicitation_id.clone() else { return Err(error) };
            if !agreed.contains(&id) {
                agreed.push(id.clone());
                is_new = true;
                let answer = handlers.elicit(ElicitParams::Url(page)).await?;
                if answer.action != ElicitAction::Accept {
                    return Err(error);
                }
            }
            ids.push(id);
        }
        if is_new {
            return Ok(());
        }
        let now = Instant::now();
        let end = now.checked_add(deadline.timeout).map_or(deadline.latest, |end| end.min(deadline.latest));
        let waiting = tokio::time::timeout_at(end, handlers.pages.wait_for(&ids));
        waiting.await.map_err(|_| error)
    }
}
