//! A request that was let in, until it is answered.

use std::time::Duration;

use jackfield_protocol::envelope::{MethodName, RawId, Request};
use jackfield_protocol::{Method, Revision};

use super::operation::{Operation, Origin};
use super::work::Work;
use super::write::write_reply;
use crate::{Handler, Incoming, Reply, RequestKey};

/// A request that may be served and has not been answered: what is needed to begin it, to write its answer, and to monitor it.
#[derive(Debug)]
pub struct ActiveRequest {
    /// Names the request within its connection.
    pub key: RequestKey,
    /// The id to answer to.
    pub id: RawId,
    /// The revision in which the answer is written.
    pub revision: Revision,
    /// It is `initialize`: if it fails, there is no session.
    pub opens_session: bool,
    operation: Operation,
}

impl ActiveRequest {
    /// Describes a request of a caller who speaks `revision`.
    #[must_use]
    pub fn new(key: RequestKey, request: &Request, revision: Revision, origin: &dyn Origin) -> Self {
        let opens_session = request.method == MethodName::Known(Method::Initialize);
        let operation = Operation::begin(request, revision, origin);
        Self { key, id: request.id.clone(), revision, opens_session, operation }
    }

    /// Begins the work on the request, which may take `limit`.
    #[inline]
    pub fn begin(&self, handler: &dyn Handler, incoming: Incoming, limit: Option<Duration>) -> Work {
        Work::begin(handler, incoming, limit, self.operation.span())
    }

    /// Ends the work with a reply. Returns what writes the answer.
    pub fn answer<'a>(&'a self, reply: Reply, handler: &'a dyn Handler) -> impl FnOnce(&mut Vec<u8>) + use<'a> {
        self.operation.end(&reply);
        move |out| write_reply(out, &self.id, reply, self.revision, handler.identity(self.revision))
    }
}
