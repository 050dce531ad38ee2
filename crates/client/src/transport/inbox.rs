//! What comes from the server: answers, notices, and until 2025-11-25 questions.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use jackfield_peer::tape::Side;
use jackfield_protocol::envelope::{Memo, Message, MethodName, RawNotification, RawResponse, Rejected};
use jackfield_protocol::{ElicitationCompleteParams, LoggingMessageParams, Method, ProgressParams, RequestId};

use crate::connection::Core;
use crate::questions::{Connection, TimeoutPause};
use crate::request::Fault;
use crate::transport::Direction;
use crate::{BadAnswer, EndReason};

/// Takes what a server sends, whole messages in order. Clones belong to the same connection.
///
/// A transport may call it from any task. Nothing here waits.
#[derive(Clone, Debug)]
pub struct Inbox {
    pub(crate) core: Arc<Core>,
    pub(crate) connection: Arc<Connection>,
}

impl Inbox {
    /// Takes one message of the server. What is not a message is noted and ignored, for example a greeting that a server
    /// prints before it speaks the protocol.
    pub fn receive(&self, text: Bytes) {
        self.receive_with(text, &mut Memo::default());
    }

    /// Takes one message as [`Inbox::receive`] does, faster if the one before said the same about the server.
    pub(crate) fn receive_with(&self, text: Bytes, memo: &mut Memo) {
        if text.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        self.observe_incoming(&text);
        self.message(&text, true, memo);
    }

    fn observe_incoming(&self, text: &[u8]) {
        self.observe(Direction::FromServer, text);
    }

    /// Whether anyone records or shows messages.
    pub(crate) fn is_observed(&self) -> bool {
        self.core.options.observer.is_some() || self.core.options.tape.is_some()
    }

    /// Lets those who record or show messages know of one.
    pub(crate) fn observe(&self, direction: Direction, text: &[u8]) {
        if let Some(observer) = &self.core.options.observer {
            observer.observe(direction, text);
        }
        self.connection.record(direction.sender(), text);
    }

    /// Takes what came last without an end. If it is no whole message, the rest was lost with the connection.
    pub(crate) fn receive_last(&self, text: Bytes) {
        if Message::read(&text, self.core.options.limits.batch_entries).is_ok() {
            self.receive(text);
        } else if !text.iter().all(u8::is_ascii_whitespace) {
            self.connection.record(Side::Server, &text);
        }
    }

    /// Takes the start of a message that is longer than the `limit` in bytes. The request that it answers fails, if that can be seen.
    pub fn receive_too_long(&self, start: &Bytes, limit: usize) {
        tracing::warn!(limit, "the server sent a message that is too long");
        self.connection.record(Side::Server, start);
        let id = match Message::read(start, 1) {
            Ok(Message::Answer(answer)) => answer.id,
            Err(rejected) => rejected.about.answered(),
            Ok(_) => None,
        };
        if let Some(id) = id.as_ref().and_then(ours) {
            self.core.pending.answer(id, Err(Fault::Bad(BadAnswer::TooLong(limit))));
        }
    }

    /// Takes a message that came in answer to the request `id`, where each request has its own answer: an error without a
    /// usable id is meant for it.
    pub fn receive_for(&self, id: u64, text: Bytes) {
        match Message::read(&text, 1) {
            Ok(Message::Answer(RawResponse { id: other, outcome: Err(error) }))
                if other.as_ref().and_then(ours).is_none() =>
            {
                self.observe_incoming(&text);
                self.core.pending.answer(id, Err(error.into()));
            }
            _ => self.receive(text),
        }
    }

    /// Whether the request `id` still waits for its answer.
    #[must_use]
    pub fn waits_for(&self, id: u64) -> bool {
        self.core.pending.waits_for(id)
    }

    /// Says that there will be no answer to the request `id`, for example because its stream broke.
    pub fn fail(&self, id: u64, failure: Failure) {
        let fault = match failure {
            Failure::Lost(cause) => Fault::Lost(Arc::new(cause)),
            Failure::Unreachable(cause) => Fault::Unreachable(cause),
            Failure::Refused(what) => Fault::Bad(BadAnswer::Transport(what)),
            Failure::Status(status) => Fault::Bad(BadAnswer::Status(status)),
            Failure::TooLong => Fault::Bad(BadAnswer::TooLong(self.core.options.limits.message_bytes)),
        };
        self.core.pending.answer(id, Err(fault));
    }

    /// Lets the request `id` wait for the next connection: the server has not taken it, so it can be sent again there.
    pub fn keep_for_next(&self, id: u64) {
        self.core.pending.keep_for_next(id);
    }

    /// Says that notices of change may have been lost.
    pub fn may_have_missed(&self) {
        self.core.note_gap();
    }

    /// Says, while the guard lives, that a person is being asked: no request times out meanwhile.
    #[must_use]
    pub fn pause_timeouts(&self) -> TimeoutPause {
        TimeoutPause::new(&self.core)
    }

    fn message(&self, text: &Bytes, batches: bool, memo: &mut Memo) {
        match Message::read_with(text, self.core.options.limits.batch_entries, memo) {
            Ok(Message::Answer(answer)) => self.answer(answer),
            Ok(Message::Notification(notice)) => self.notice(notice),
            Ok(Message::Request(request)) => self.connection.question(&self.core, request),
            Ok(Message::Batch(entries)) if batches && self.has_batches() => {
                entries.iter().for_each(|entry| self.message(entry, false, memo));
            }
            Ok(Message::Batch(_)) => tracing::warn!("the server sent a batch, which its revision does not have"),
            Err(rejected) => self.rejected(&rejected),
        }
    }

    fn has_batches(&self) -> bool {
        self.connection.revision().is_some_and(jackfield_protocol::Revision::has_batches)
    }

    fn answer(&self, answer: RawResponse) {
        match answer.id.as_ref().and_then(ours) {
            Some(id) => self.core.pending.answer(id, answer.outcome.map_err(Fault::from)),
            None => self.core.pending.stray(),
        }
    }

    /// A message that is not valid. If it seems to be an answer, the one who waits for it need not wait any longer.
    fn rejected(&self, rejected: &Rejected) {
        tracing::warn!(error = %rejected.error.message, "the server sent something that is not a message");
        if let Some(id) = rejected.about.answered().as_ref().and_then(ours) {
            let cause = BadAnswer::Message(rejected.error.message.clone().into_owned());
            self.core.pending.answer(id, Err(Fault::Bad(cause)));
        }
    }

    fn notice(&self, notice: RawNotification) {
        let MethodName::Known(method) = notice.method else {
            return tracing::debug!("the server sent a notification outside the specification");
        };
        match method {
            Method::Progress => self.progress(&notice),
            Method::LogMessage => self.log(&notice),
            Method::ElicitationComplete => self.page_completed(&notice),
            Method::Cancelled => self.connection.cancelled(&notice.params),
            Method::ToolListChanged
            | Method::PromptListChanged
            | Method::ResourceListChanged
            | Method::ResourceUpdated
            | Method::SubscriptionsAcknowledged => {
                self.core.note_change(method, &notice.params, self.connection.revision());
            }
            // Polling tells the same, and must not rely on these.
            _ => {}
        }
    }

    fn progress(&self, notice: &RawNotification) {
        let Ok(notice) = notice.params.decode::<ProgressParams>() else { return };
        if let Some(id) = ours(&notice.progress_token) {
            self.core.pending.progress(id, notice);
        }
    }

    fn page_completed(&self, notice: &RawNotification) {
        let Ok(notice) = notice.params.decode::<ElicitationCompleteParams>() else { return };
        let handlers = &self.core.options.handlers;
        // What is not known, or known already, is ignored.
        if handlers.pages.completed(&notice.elicitation_id)
            && let Some(observe) = &handlers.url_completed
        {
            observe(notice.elicitation_id);
        }
    }

    fn log(&self, notice: &RawNotification) {
        let Some(handler) = &self.core.options.handlers.log else { return };
        if let Ok(message) = notice.params.decode::<LoggingMessageParams>() {
            handler(message);
        }
    }
}

/// Our ids are integers that count from one.
fn ours(id: &RequestId) -> Option<u64> {
    match id {
        RequestId::Integer(id) => u64::try_from(*id).ok(),
        _ => None,
    }
}

/// Why there will be no answer to a request.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// Its stream broke; the server may or may not have done what was asked.
    Lost(EndReason),
    /// It was not sent, because the server cannot be reached.
    Unreachable(io::Error),
    /// What came back is no answer; says why.
    Refused(String),
    /// The server refused it with this HTTP status, without an error of the protocol.
    Status(u16),
    /// The answer is longer than allowed.
    TooLong,
}
