//! What comes from the server: answers, notices, and until 2025-11-25 questions.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use jackfield_protocol::envelope::{Answer, Incident, Message, MethodName, Rejected};
use jackfield_protocol::{ErrorObject, LoggingMessageParams, Method, ProgressParams, RequestId};

use crate::connection::Connection;
use crate::core::Core;
use crate::pending::Fault;
use crate::tap::Direction;
use crate::{BadAnswer, Ended};

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
        if text.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        if let Some(tap) = &self.core.options.tap {
            tap.hear(Direction::FromServer, &text);
        }
        self.message(&text, true);
    }

    /// Takes what came last without an end. If it is no whole message, the rest was lost with the connection.
    pub(crate) fn receive_last(&self, text: Bytes) {
        if Message::read(&text, self.core.options.limits.batch_entries).is_ok() {
            self.receive(text);
        }
    }

    /// Takes the start of a message that is longer than allowed. The request that it answers fails, if that can be seen.
    pub fn receive_too_long(&self, start: &Bytes) {
        let limit = self.core.options.limits.message_bytes;
        tracing::warn!(limit, "the server sent a message that is too long");
        let id = match Message::read(start, 1) {
            Ok(Message::Answer(answer)) => answer.id,
            Err(rejected) => rejected.id.and_then(|id| id.decode()),
            Ok(_) => None,
        };
        if let Some(id) = id.as_ref().and_then(ours) {
            self.core.pending.answer(id, Err(Fault::Bad(BadAnswer::TooLong(limit))));
        }
    }

    /// Says that there will be no answer to the request `id`, for example because its stream broke.
    pub fn fail(&self, id: u64, failure: Failure) {
        let fault = match failure {
            Failure::Lost(cause) => Fault::Lost(Arc::new(cause)),
            Failure::Refused(what) => Fault::Bad(BadAnswer::Transport(what)),
        };
        self.core.pending.answer(id, Err(fault));
    }

    fn message(&self, text: &Bytes, batches: bool) {
        match Message::read(text, self.core.options.limits.batch_entries) {
            Ok(Message::Answer(answer)) => self.answer(answer),
            Ok(Message::Notification(notice)) => self.notice(notice),
            Ok(Message::Request(request)) => self.connection.question(&self.core, request),
            Ok(Message::Batch(entries)) if batches && self.has_batches() => {
                entries.iter().for_each(|entry| self.message(entry, false));
            }
            Ok(Message::Batch(_)) => tracing::warn!("the server sent a batch, which its revision does not have"),
            Err(rejected) => self.rejected(&rejected),
        }
    }

    fn has_batches(&self) -> bool {
        self.connection.revision().is_some_and(jackfield_protocol::Revision::has_batches)
    }

    fn answer(&self, answer: Answer) {
        match answer.id.as_ref().and_then(ours) {
            Some(id) => self.core.pending.answer(id, answer.outcome.map_err(fault)),
            None => self.core.pending.stray(),
        }
    }

    /// A message that is not valid. If it seems to be an answer, the one who waits for it need not wait any longer.
    fn rejected(&self, rejected: &Rejected) {
        tracing::warn!(error = %rejected.error.message, "the server sent something that is not a message");
        if let Some(id) = rejected.id.as_ref().and_then(|id| ours(&id.decode()?)) {
            let cause = BadAnswer::Message(rejected.error.message.clone().into_owned());
            self.core.pending.answer(id, Err(Fault::Bad(cause)));
        }
    }

    fn notice(&self, notice: Incident) {
        let MethodName::Known(method) = notice.method else {
            return tracing::debug!("the server sent a notification outside the specification");
        };
        match method {
            Method::Progress => self.progress(&notice),
            Method::LogMessage => self.log(&notice),
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

    fn progress(&self, notice: &Incident) {
        let Ok(notice) = notice.params.decode::<ProgressParams>() else { return };
        if let Some(id) = ours(&notice.progress_token) {
            self.core.pending.progress(id, notice);
        }
    }

    fn log(&self, notice: &Incident) {
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

/// An error that was read has a text of its own; one with a fixed text was made while reading an answer that makes no sense, and
/// must not look as if the server had said it.
fn fault(error: ErrorObject) -> Fault {
    match error.message {
        Cow::Borrowed(what) => Fault::Bad(BadAnswer::Message(what.to_owned())),
        Cow::Owned(_) => Fault::Server(error),
    }
}

/// Why there will be no answer to a request.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// Its stream broke; the server may or may not have done what was asked.
    Lost(Ended),
    /// The server's transport refused it, for example with an HTTP status.
    Refused(String),
}
