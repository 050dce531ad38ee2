//! How far a call is.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jackfield_protocol::{ProgressParams, ProgressToken, RequestId, meta::key};
use tokio::time::Instant;

use super::Cx;
use crate::subscriptions::changes::encode;

/// On average at most one notice in this time. With a burst of 20 that makes at most 100 in any second; of more, the newest one is
/// kept and sent later.
const PAUSE: Duration = Duration::from_micros(12_500);

/// How far notices may run ahead of their average: a burst of 20.
const AHEAD: Duration = Duration::from_micros(19 * 12_500);

/// What has been said about the progress of a call.
#[derive(Debug, Default)]
pub(crate) struct ProgressState {
    said: Mutex<Said>,
    /// A notice may be kept: at the end of a call it is looked for only then.
    keeps: AtomicBool,
    ended: AtomicBool,
}

#[derive(Debug, Default)]
struct Said {
    highest: Option<f64>,
    /// When the notices sent so far would have ended, had they come at their average pace.
    paid_until: Option<Instant>,
    /// The newest notice, if it could not be sent yet.
    kept: Option<Box<ProgressParams>>,
}

impl Said {
    fn pay(&mut self, now: Instant) {
        self.paid_until = Some(self.paid_until.map_or(now, |until| until.max(now)) + PAUSE);
    }
}

impl ProgressState {
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Returns when the kept notice may be sent; `None` if there is none.
    pub(crate) fn due(&self) -> Option<Instant> {
        let said = self.said();
        said.kept.as_ref()?;
        Some(said.paid_until.and_then(|until| until.checked_sub(AHEAD)).unwrap_or_else(Instant::now))
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cx {
    /// Tells the client how far the call is, if it asked to know.
    ///
    /// `done` must grow: what is not more than before is not sent. Notices are sent in order, at most 100 in a second; of
    /// more only the newest is sent. A task of the extension has none; see [`task_message`](Self::task_message).
    ///
    /// ```
    /// # fn show(cx: &jackfield_server::Cx) {
    /// cx.progress(3, 10.0, "copying");
    /// cx.progress(4, None, None);
    /// # }
    /// ```
    pub fn progress<'a>(
        &self,
        done: impl Into<f64>,
        total: impl Into<Option<f64>>,
        message: impl Into<Option<&'a str>>,
    ) {
        let (done, total, message) = (done.into(), total.into(), message.into());
        let state = &self.call().progress;
        let is_heard = self.task().is_none_or(|task| task.has_notices());
        let wanted = is_heard && done.is_finite() && !state.has_ended();
        let Some(token) = self.progress_token().filter(|_| wanted) else { return };
        let mut said = state.said();
        if said.highest.is_some_and(|highest| done <= highest) {
            return;
        }
        said.highest = Some(done);
        let mut params = ProgressParams::new(token, done);
        params.meta = self.task().and_then(|task| task.related());
        params.total = total.filter(|total| total.is_finite());
        params.message = message.map(str::to_owned);
        let now = Instant::now();
        let too_soon = said.paid_until.is_some_and(|until| now + AHEAD < until);
        if too_soon || !self.send_progress(params.clone()) {
            said.kept = Some(Box::new(params));
            state.keeps.store(true, Ordering::Release);
        } else {
            said.kept = None;
            said.pay(now);
        }
    }

    /// Returns the token under which the client wants to know how far the call is.
    #[must_use]
    pub fn progress_token(&self) -> Option<ProgressToken> {
        RequestId::from_json(self.params().meta(key::PROGRESS_TOKEN)?)
    }

    /// Sends the notice that was kept, if there is one.
    pub(crate) fn flush_progress(&self) {
        let state = &self.call().progress;
        if !state.keeps.load(Ordering::Acquire) {
            return;
        }
        let mut said = state.said();
        if let Some(kept) = said.kept.take() {
            said.pay(Instant::now());
            if !self.send_progress((*kept).clone()) {
                // The queue is full; the notice waits for the next turn.
                said.kept = Some(kept);
            }
        }
    }

    fn send_progress(&self, params: ProgressParams) -> bool {
        let incoming = &self.call().incoming;
        incoming.outlet.try_notify(incoming.key, encode(params.into(), self.revision()))
    }
}
