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

use crate::connection::Core;
use crate::connection::Session;
use crate::request::PendingEvent;
use crate::request::{Outbound, cancel, send_outbound};
use crate::tasks::StoredTaskId;
use crate::{BadAnswer, Error};

/// Hears of a request's progress.
pub(crate) type OnProgress = Box<dyn FnMut(ProgressParams) + Send>;

/// How long a request is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    /// Since the start or the last sign of progress.
    pub(crate) timeout: Duration,
    /// Whatever happens, the request ends here.
    pub(crate) latest: Instant,
    /// How long that is since the start.
    pub(crate) maximum: Duration,
}

impl Deadline {
    /// Nothing is sent when the time is over.
    pub(crate) fn check(&self, method: &str) -> Result<(), Error> {
        if Instant::now() < self.latest {
            return Ok(());
        }
        Err(Error::timed_out(method, self.maximum))
    }
}

/// How a request is sent and waited for.
pub(crate) struct RequestOptions {
    pub(crate) deadline: Deadline,
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
    /// Where the id of a task is stored_id.
    pub(crate) stored_id: Option<StoredTaskId>,
}

impl RequestOptions {
    pub(crate) fn new(core: &Core) -> Self {
        let timeouts = &core.options.timeouts;
        Self::within(timeouts.request, timeouts.maximum)
    }

    pub(crate) fn within(timeout: Duration, maximum: Duration) -> Self {
        Self::with(Deadline { timeout, latest: after(maximum), maximum })
    }

    pub(crate) fn with(deadline: Deadline) -> Self {
        Self {
            deadline,
            wants_progress: false,
            on_progress: None,
            told: f64::NEG_INFINITY,
            headers: Vec::new(),
            cancels: true,
            is_repeatable: false,
            stored_id: None,
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

impl fmt::Debug for RequestOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestOptions").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}

impl Core {
    /// Sends a request and waits for the text of its result.
    ///
    /// Dropping the future cancels the request at the server.
    pub(crate) async fn request_text(
        &self,
        session: &Session,
        outbound: Outbound<'_>,
        options: &mut RequestOptions,
    ) -> Result<ResultText, Error> {
        let again = outbound.again(session);
        let sent = self.send(session, outbound, options)?;
        match (sent.answer(options).await, again) {
            (Err(lost), Some(again)) if lost.is_lost() => Box::pin(self.resend(lost, session, again, options)).await,
            (answer, _) => answer,
        }
    }

    /// Sends a request once more, under a new id, because the answer was lost with its stream. If it cannot be sent, that is still what
    /// happened.
    pub(crate) async fn resend(
        &self,
        lost: Error,
        session: &Session,
        again: Outbound<'_>,
        options: &mut RequestOptions,
    ) -> Result<ResultText, Error> {
        match self.send(session, again, options) {
            Ok(sent) => sent.answer(options).await,
            Err(_) => Err(lost),
        }
    }

    /// Sends a request; the sent waits for the answer.
    pub(crate) fn send<'a>(
        &'a self,
        session: &'a Session,
        mut outbound: Outbound<'_>,
        options: &RequestOptions,
    ) -> Result<PendingRequest<'a>, Error> {
        let method = outbound.method();
        let name = match &outbound {
            Outbound::Any(request) if method.is_none() => request.method_name().to_owned(),
            _ => String::new(),
        };
        // The answer may come before the send returns, so the place is taken first.
        let id = self.pending.reserve(options.on_progress.is_some())?;
        let mut sent = PendingRequest { core: self, session, id, method, name, cancels: false };
        let wants_progress = options.wants_progress || options.on_progress.is_some();
        if let (Outbound::Any(request), true) = (&mut outbound, wants_progress) {
            request.meta_mut().get_or_insert_with(Meta::new).insert(key::PROGRESS_TOKEN.to_owned(), id.into());
        }
        send_outbound(session, id, outbound, wants_progress, &options.headers)?;
        sent.cancels = options.cancels;
        Ok(sent)
    }

    /// Sends a request that can only be answered by its result.
    pub(crate) async fn request<T: DeserializeOwned>(
        &self,
        session: &Session,
        request: ClientRequest,
        options: &mut RequestOptions,
    ) -> Result<T, Error> {
        let method = request.method_name().to_owned();
        let text = self.request_text(session, Outbound::Any(request), options).await?;
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
pub(crate) struct PendingRequest<'a> {
    core: &'a Core,
    session: &'a Session,
    pub(crate) id: u64,
    method: Option<Method>,
    name: String,
    cancels: bool,
}

impl PendingRequest<'_> {
    fn method(&self) -> &str {
        match self.method {
            Some(method) => method.name(),
            None => &self.name,
        }
    }

    /// Waits for the answer.
    pub(crate) async fn answer(&self, options: &mut RequestOptions) -> Result<ResultText, Error> {
        let begun = Instant::now();
        let deadline = options.deadline;
        self.core.pending.set_deadline(self.id, next_end(begun, deadline));
        let mut since = begun;
        loop {
            match poll_fn(|cx| self.core.pending.poll(self.id, cx)).await {
                PendingEvent::Answer(Ok(text)) => return Ok(text),
                PendingEvent::Answer(Err(fault)) => return Err(fault.into_error(self.method())),
                PendingEvent::Progress(notices) => {
                    for notice in notices {
                        options.tell(notice);
                    }
                }
                PendingEvent::Overdue => {
                    // The deadline is not moved by each notice; instead the last one is looked for when it has passed.
                    since = self.core.last_sign_of_life(self.id).map_or(since, |sign| sign.max(since));
                    let end = next_end(since, deadline);
                    if end <= Instant::now() {
                        return Err(self.timed_out(since, deadline));
                    }
                    self.core.pending.set_deadline(self.id, end);
                }
            }
        }
    }

    /// Passes on progress until something else comes first; used while a task of 2025-11-25 goes on under this request's
    /// token.
    pub(crate) async fn progress_forever(&self, options: &mut Option<OnProgress>) {
        loop {
            let found = poll_fn(|cx| self.core.pending.poll(self.id, cx)).await;
            if let (PendingEvent::Progress(notices), Some(hear)) = (found, options.as_mut()) {
                notices.into_iter().for_each(hear);
            }
        }
    }

    fn timed_out(&self, since: Instant, deadline: Deadline) -> Error {
        let hard = deadline.latest <= Instant::now();
        let after = if hard { deadline.maximum } else { since.elapsed() };
        Error::timed_out(self.method(), after)
    }
}

impl Drop for PendingRequest<'_> {
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

fn next_end(since: Instant, deadline: Deadline) -> Instant {
    since.checked_add(deadline.timeout).map_or(deadline.latest, |end| end.min(deadline.latest))
}
