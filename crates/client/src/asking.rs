//! One request and its answer: timeout, progress, cancellation.

use std::fmt;
use std::future::poll_fn;
use std::time::Duration;

use jackfield_peer::deadline::after;
use jackfield_protocol::envelope::ResultText;
use jackfield_protocol::meta::key;
use jackfield_protocol::{ClientRequest, Meta, Method, Outcome, ProgressParams};
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use crate::core::Core;
use crate::kept::Kept;
use crate::pending::Found;
use crate::sending::{Wanted, cancel, send_wanted};
use crate::session::Session;
use crate::{BadAnswer, Error};

/// Hears of a request's progress.
pub(crate) type OnProgress = Box<dyn FnMut(ProgressParams) + Send>;

/// How long a request is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Since the start or the last sign of progress.
    pub(crate) timeout: Duration,
    /// Whatever happens, the request ends here.
    pub(crate) latest: Instant,
    /// How long that is since the start.
    pub(crate) maximum: Duration,
}

impl Patience {
    /// Nothing is sent when the time is over.
    pub(crate) fn check(&self, method: &str) -> Result<(), Error> {
        if Instant::now() < self.latest {
            return Ok(());
        }
        Err(Error::TimedOut { method: method.to_owned(), after: self.maximum })
    }
}

/// How a request is sent and waited for.
pub(crate) struct Asking {
    pub(crate) patience: Patience,
    /// Whether the server is asked for progress notices.
    pub(crate) wants_progress: bool,
    pub(crate) on_progress: Option<OnProgress>,
    /// The highest progress that was told, so that a request that is sent again does not begin to tell anew.
    pub(crate) told: f64,
    pub(crate) headers: Vec<(String, String)>,
    /// `initialize` is never cancelled, and a probe that is given up is not either.
    pub(crate) cancels: bool,
    /// Whether the request may be sent again if its answer was lost, although it does more than read.
    pub(crate) is_repeatable: bool,
    /// Where the id of a task is kept.
    pub(crate) kept: Option<Kept>,
}

impl Asking {
    pub(crate) fn new(core: &Core) -> Self {
        let timeouts = &core.options.timeouts;
        Self::within(timeouts.request, timeouts.maximum)
    }

    pub(crate) fn within(timeout: Duration, maximum: Duration) -> Self {
        Self::with(Patience { timeout, latest: after(maximum), maximum })
    }

    pub(crate) fn with(patience: Patience) -> Self {
        Self {
            patience,
            wants_progress: false,
            on_progress: None,
            told: f64::NEG_INFINITY,
            headers: Vec::new(),
            cancels: true,
            is_repeatable: false,
            kept: None,
        }
    }

    /// Tells of progress, if it goes further than what was told before.
    fn tell(&mut self, notice: ProgressParams) {
        if let Some(hear) = self.on_progress.as_mut().filter(|_| notice.progress > self.told) {
            self.told = notice.progress;
            hear(notice);
        }
    }
}

impl fmt::Debug for Asking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asking").field("patience", &self.patience).finish_non_exhaustive()
    }
}

impl Core {
    /// Sends a request and waits for the text of its result.
    ///
    /// Dropping the future cancels the request at the server.
    pub(crate) async fn ask(
        &self,
        session: &Session,
        wanted: Wanted<'_>,
        asking: &mut Asking,
    ) -> Result<ResultText, Error> {
        let again = wanted.again(session);
        let ticket = self.send(session, wanted, asking)?;
        match (ticket.answer(asking).await, again) {
            (Err(lost @ Error::Lost { .. }), Some(again)) => {
                Box::pin(self.ask_again(lost, session, again, asking)).await
            }
            (answer, _) => answer,
        }
    }

    /// Sends a request once more, under a new id, because the answer was lost with its stream. If it cannot be sent, that is still what
    /// happened.
    pub(crate) async fn ask_again(
        &self,
        lost: Error,
        session: &Session,
        again: Wanted<'_>,
        asking: &mut Asking,
    ) -> Result<ResultText, Error> {
        match self.send(session, again, asking) {
            Ok(ticket) => ticket.answer(asking).await,
            Err(_) => Err(lost),
        }
    }

    /// Sends a request; the ticket waits for the answer.
    pub(crate) fn send<'a>(
        &'a self,
        session: &'a Session,
        mut wanted: Wanted<'_>,
        asking: &Asking,
    ) -> Result<Ticket<'a>, Error> {
        let method = wanted.method();
        let name = match &wanted {
            Wanted::Any(request) if method.is_none() => request.method_name().to_owned(),
            _ => String::new(),
        };
        // The answer may come before the send returns, so the place is taken first.
        let id = self.pending.reserve(asking.on_progress.is_some())?;
        let mut ticket = Ticket { core: self, session, id, method, name, cancels: false };
        let wants_progress = asking.wants_progress || asking.on_progress.is_some();
        if let (Wanted::Any(request), true) = (&mut wanted, wants_progress) {
            request.meta_mut().get_or_insert_with(Meta::new).insert(key::PROGRESS_TOKEN.to_owned(), id.into());
        }
        send_wanted(session, id, wanted, wants_progress, &asking.headers)?;
        ticket.cancels = asking.cancels;
        Ok(ticket)
    }

    /// Sends a request that can only be answered by its result.
    pub(crate) async fn ask_plainly<T: DeserializeOwned>(
        &self,
        session: &Session,
        request: ClientRequest,
        asking: &mut Asking,
    ) -> Result<T, Error> {
        let method = request.method_name().to_owned();
        let text = self.ask(session, Wanted::Any(request), asking).await?;
        complete(&method, &text, session)
    }
}

/// Reads a result that must be complete.
pub(crate) fn complete<T: DeserializeOwned>(method: &str, text: &[u8], session: &Session) -> Result<T, Error> {
    match Outcome::read(text, session.revision) {
        Ok(Outcome::Complete(result)) => Ok(result),
        Ok(_) => Err(Error::bad_answer(method, BadAnswer::Kind)),
        Err(cause) => Err(Error::bad_answer(method, BadAnswer::Content(cause))),
    }
}

/// A request that has been sent. Dropping it before the answer came cancels the request.
#[derive(Debug)]
pub(crate) struct Ticket<'a> {
    core: &'a Core,
    session: &'a Session,
    pub(crate) id: u64,
    method: Option<Method>,
    name: String,
    cancels: bool,
}

impl Ticket<'_> {
    fn method(&self) -> &str {
        match self.method {
            Some(method) => method.name(),
            None => &self.name,
        }
    }

    /// Waits for the answer.
    pub(crate) async fn answer(&self, asking: &mut Asking) -> Result<ResultText, Error> {
        let begun = Instant::now();
        let patience = asking.patience;
        self.core.pending.set_deadline(self.id, next_end(begun, patience));
        let mut since = begun;
        loop {
            match poll_fn(|cx| self.core.pending.poll(self.id, cx)).await {
                Found::Answer(Ok(text)) => return Ok(text),
                Found::Answer(Err(fault)) => return Err(fault.into_error(self.method())),
                Found::Progress(notices) => {
                    for notice in notices {
                        asking.tell(notice);
                    }
                }
                Found::Overdue => {
                    // The deadline is not moved by each notice; instead the last one is looked for when it has passed.
                    since = self.core.last_sign_of_life(self.id).map_or(since, |sign| sign.max(since));
                    let end = next_end(since, patience);
                    if end <= Instant::now() {
                        return Err(self.timed_out(since, patience));
                    }
                    self.core.pending.set_deadline(self.id, end);
                }
            }
        }
    }

    /// Passes on progress until something else comes first; used while a task of 2025-11-25 goes on under this request's
    /// token.
    pub(crate) async fn progress_forever(&self, asking: &mut Option<OnProgress>) {
        loop {
            let found = poll_fn(|cx| self.core.pending.poll(self.id, cx)).await;
            if let (Found::Progress(notices), Some(hear)) = (found, asking.as_mut()) {
                notices.into_iter().for_each(hear);
            }
        }
    }

    fn timed_out(&self, since: Instant, patience: Patience) -> Error {
        let hard = patience.latest <= Instant::now();
        let after = if hard { patience.maximum } else { since.elapsed() };
        Error::TimedOut { method: self.method().to_owned(), after }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let unanswered = self.core.pending.release(self.id);
        if unanswered && self.cancels && self.method != Some(Method::Initialize) {
            cancel(self.session, self.id, "the answer is no longer needed");
        }
    }
}

impl Core {
    /// When the request last showed progress, or a person was last being asked something.
    fn last_sign_of_life(&self, id: u64) -> Option<Instant> {
        self.pending.last_sign(id).max(self.last_asked())
    }
}

fn next_end(since: Instant, patience: Patience) -> Instant {
    since.checked_add(patience.timeout).map_or(patience.latest, |end| end.min(patience.latest))
}
