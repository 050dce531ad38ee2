//! Requests that wait for their answers, in a table indexed by their ids.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use jackfield_protocol::envelope::{ResponseError, ResultText};
use jackfield_protocol::{ErrorObject, ProgressParams};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::error::Cause;
use crate::{BadAnswer, EndReason, Error};

/// How a request ended, before its result is read.
pub(crate) type Answer = Result<ResultText, Fault>;

/// Why a request has no result text.
#[derive(Debug)]
pub(crate) enum Fault {
    Server(ErrorObject),
    Lost(Arc<EndReason>),
    Unreachable(io::Error),
    Bad(BadAnswer),
}

impl Fault {
    pub(crate) fn into_error(self, method: &str) -> Error {
        match self {
            Self::Server(error) => Error::server(method, error),
            Self::Lost(cause) => Error::lost(method, cause),
            Self::Unreachable(cause) => Cause::Connect(cause).into(),
            Self::Bad(cause) => Error::bad_answer(method, cause),
        }
    }
}

impl From<ResponseError> for Fault {
    fn from(error: ResponseError) -> Self {
        match error {
            ResponseError::Peer(error) => Self::Server(error),
            ResponseError::Malformed(what) => Self::Bad(BadAnswer::Message(what.into_owned())),
        }
    }
}

/// The requests that wait. Ids are given in order and never again; an id's low bits are its place in the table.
#[derive(Debug)]
pub(crate) struct PendingTable {
    table: Mutex<Table>,
    /// Told when a deadline is earlier than the clock's next look.
    earlier: Notify,
}

#[derive(Debug)]
struct Table {
    slots: Vec<Option<Slot>>,
    used: usize,
    next: u64,
    limit: usize,
    notices: usize,
    stray: u64,
    /// Why no request is taken any more.
    closed: Option<Arc<EndReason>>,
    /// When the clock looks next.
    next_look: Option<Instant>,
}

#[derive(Debug)]
struct Slot {
    id: u64,
    waker: Option<Waker>,
    answer: Option<Answer>,
    answered: bool,
    wants_progress: bool,
    progress: VecDeque<ProgressParams>,
    highest: f64,
    last_sign: Option<Instant>,
    deadline: Option<Instant>,
    overdue: bool,
    /// It outlives the end of this connection, because the server has not taken it.
    survives: bool,
}

/// What the owner of a request finds when it looks.
pub(crate) enum PendingEvent {
    Answer(Answer),
    Progress(VecDeque<ProgressParams>),
    /// The deadline has passed.
    Overdue,
}

impl PendingTable {
    pub(crate) fn new(limit: usize, notices: usize) -> Self {
        let table = Table {
            slots: vec_of_none(16),
            used: 0,
            next: 1,
            limit,
            notices: notices.max(1),
            stray: 0,
            closed: None,
            next_look: None,
        };
        Self { table: Mutex::new(table), earlier: Notify::new() }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an id for a request, and a place for its answer.
    pub(crate) fn reserve(&self, wants_progress: bool) -> Result<u64, Error> {
        let mut table = self.table();
        if let Some(cause) = &table.closed {
            return Err(Cause::Closed(cause.clone()).into());
        }
        if table.used >= table.limit {
            return Err(Error::limit("the number of requests that wait for an answer", table.limit));
        }
        if table.used >= table.slots.len() / 2 {
            table.grow();
        }
        let mut id = table.next;
        while table.slot(id).is_some() {
            id += 1;
        }
        table.next = id + 1;
        table.used += 1;
        *table.slot(id) = Some(Slot {
            id,
            waker: None,
            answer: None,
            answered: false,
            wants_progress,
            progress: VecDeque::new(),
            highest: f64::NEG_INFINITY,
            last_sign: None,
            deadline: None,
            overdue: false,
            survives: false,
        });
        Ok(id)
    }

    /// Takes an id for a request whose answer nobody waits for.
    pub(crate) fn reserve_ignored(&self) -> u64 {
        let mut table = self.table();
        let id = table.next;
        table.next += 1;
        id
    }

    /// Gives up a place; returns whether the request was still unanswered.
    pub(crate) fn release(&self, id: u64) -> bool {
        let mut table = self.table();
        let place = table.slot(id);
        let Some(unanswered) = place.as_ref().filter(|slot| slot.id == id).map(|slot| !slot.answered) else {
            return false;
        };
        *place = None;
        table.used -= 1;
        unanswered
    }

    /// Hands an answer to the one who waits for it. What nobody waits for is counted and dropped.
    pub(crate) fn answer(&self, id: u64, answer: Answer) {
        let mut table = self.table();
        match table.slot(id) {
            Some(slot) if slot.id == id && !slot.answered => {
                slot.answered = true;
                slot.answer = Some(answer);
                let waker = slot.waker.take();
                drop(table);
                if let Some(waker) = waker {
                    waker.wake();
                }
            }
            _ => table.note_stray(),
        }
    }

    /// Whether a request still waits for its answer.
    pub(crate) fn waits_for(&self, id: u64) -> bool {
        self.table().slot(id).as_ref().is_some_and(|slot| slot.id == id && !slot.answered)
    }

    /// Lets a request outlive the end of this connection.
    pub(crate) fn keep_for_next(&self, id: u64) {
        if let Some(slot) = self.table().slot(id).as_mut().filter(|slot| slot.id == id) {
            slot.survives = true;
        }
    }

    /// Counts an answer that nobody waits for.
    pub(crate) fn stray(&self) {
        self.table().note_stray();
    }

    /// Returns how many answers came that nobody waited for.
    pub(crate) fn strays(&self) -> u64 {
        self.table().stray
    }

    /// Notes a sign of progress. It counts only if the progress grows, as the specification demands.
    pub(crate) fn progress(&self, id: u64, notice: ProgressParams) {
        let mut table = self.table();
        let most = table.notices;
        let Some(slot) = table.slot(id).as_mut().filter(|slot| slot.id == id) else { return };
        if notice.progress.is_nan() || notice.progress <= slot.highest {
            return;
        }
        slot.highest = notice.progress;
        slot.last_sign = Some(Instant::now());
        if !slot.wants_progress {
            return;
        }
        if slot.progress.len() >= most {
            slot.progress.pop_front();
        }
        slot.progress.push_back(notice);
        let waker = slot.waker.take();
        drop(table);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Returns when the request last showed progress.
    pub(crate) fn last_sign(&self, id: u64) -> Option<Instant> {
        self.table().slot(id).as_ref().filter(|slot| slot.id == id)?.last_sign
    }

    /// PollTimer whether something came for a request.
    pub(crate) fn poll(&self, id: u64, cx: &mut Context<'_>) -> Poll<PendingEvent> {
        let mut table = self.table();
        let Some(slot) = table.slot(id).as_mut().filter(|slot| slot.id == id) else { return Poll::Pending };
        if !slot.progress.is_empty() {
            return Poll::Ready(PendingEvent::Progress(std::mem::take(&mut slot.progress)));
        }
        if let Some(answer) = slot.answer.take() {
            return Poll::Ready(PendingEvent::Answer(answer));
        }
        if std::mem::take(&mut slot.overdue) {
            return Poll::Ready(PendingEvent::Overdue);
        }
        match &mut slot.waker {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        Poll::Pending
    }

    /// Sets when a request is overdue. One clock watches over all of them: a timer for each would cost as much as the rest.
    pub(crate) fn set_deadline(&self, id: u64, deadline: Instant) {
        let mut table = self.table();
        let Some(slot) = table.slot(id).as_mut().filter(|slot| slot.id == id) else { return };
        slot.deadline = Some(deadline);
        if table.next_look.is_none_or(|look| deadline < look) {
            table.next_look = Some(deadline);
            drop(table);
            self.earlier.notify_one();
        }
    }

    /// The clock: wakes those whose deadline has passed. It never ends.
    pub(crate) async fn keep_time(&self) {
        loop {
            let next_look = self.table().next_look;
            let Some(next_look) = next_look else {
                self.earlier.notified().await;
                continue;
            };
            tokio::select! {
                () = tokio::time::sleep_until(next_look) => self.look(),
                () = self.earlier.notified() => {}
            }
        }
    }

    fn look(&self) {
        let now = Instant::now();
        let mut wakers = Vec::new();
        let mut next = None;
        let mut table = self.table();
        for slot in table.slots.iter_mut().flatten().filter(|slot| !slot.answered) {
            match slot.deadline {
                Some(deadline) if deadline <= now => {
                    slot.deadline = None;
                    slot.overdue = true;
                    wakers.extend(slot.waker.take());
                }
                Some(deadline) => next = Some(next.map_or(deadline, |next: Instant| next.min(deadline))),
                None => {}
            }
        }
        table.next_look = next;
        drop(table);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Ends all requests of a connection but those that are kept for the next one.
    pub(crate) fn lose_connection(&self, cause: &Arc<EndReason>) {
        self.lose(cause, |slot| !std::mem::take(&mut slot.survives));
    }

    /// Ends all requests: no answer will come any more.
    pub(crate) fn lose_all(&self, cause: &Arc<EndReason>) {
        self.lose(cause, |_| true);
    }

    /// Ends all requests, and takes no more: nobody would answer them.
    pub(crate) fn close(&self, cause: &Arc<EndReason>) {
        self.table().closed.get_or_insert_with(|| cause.clone());
        self.lose_all(cause);
    }

    fn lose(&self, cause: &Arc<EndReason>, is_lost: impl Fn(&mut Slot) -> bool) {
        let mut wakers = Vec::new();
        let mut table = self.table();
        for slot in table.slots.iter_mut().flatten().filter(|slot| !slot.answered) {
            if !is_lost(slot) {
                continue;
            }
            slot.answered = true;
            slot.answer = Some(Err(Fault::Lost(cause.clone())));
            wakers.extend(slot.waker.take());
        }
        drop(table);
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl Table {
    fn slot(&mut self, id: u64) -> &mut Option<Slot> {
        let mask = self.slots.len() - 1;
        &mut self.slots[usize::try_from(id).unwrap_or_default() & mask]
    }

    /// Doubles the table. Two ids that had different places before still have different ones.
    fn grow(&mut self) {
        let larger = vec_of_none(self.slots.len() * 2);
        for slot in std::mem::replace(&mut self.slots, larger).into_iter().flatten() {
            let id = slot.id;
            *self.slot(id) = Some(slot);
        }
    }

    fn note_stray(&mut self) {
        self.stray = self.stray.saturating_add(1);
        tracing::debug!(count = self.stray, "an answer came that nobody waits for");
    }
}

fn vec_of_none(len: usize) -> Vec<Option<Slot>> {
    std::iter::repeat_with(|| None).take(len).collect()
}
