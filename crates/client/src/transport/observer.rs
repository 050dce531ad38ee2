//! Hearing every message that passes, for those who record or show them.

use std::fmt;
use std::sync::Arc;

use jackfield_peer::tape::Side;
use jackfield_protocol::Revision;

use crate::{BoxFuture, Inbox, Link, NotSent, Outgoing};

/// Which way a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From this client to the server.
    ToServer,
    /// From the server to this client.
    FromServer,
}

impl Direction {
    pub(crate) fn sender(self) -> Side {
        match self {
            Self::ToServer => Side::Client,
            Self::FromServer => Side::Server,
        }
    }
}

/// Hears every message.
pub(crate) struct MessageObserver(Box<Observe>);

type Observe = dyn Fn(Direction, &[u8]) + Send + Sync;

impl MessageObserver {
    pub(crate) fn new(listener: impl Fn(Direction, &[u8]) + Send + Sync + 'static) -> Self {
        Self(Box::new(listener))
    }

    pub(crate) fn observe(&self, direction: Direction, text: &[u8]) {
        (self.0)(direction, text);
    }
}

/// Hears what is sent over a link, if anyone wants to.
pub(crate) fn observed(link: Arc<dyn Link>, inbox: Inbox) -> Arc<dyn Link> {
    if inbox.is_observed() { Arc::new(ObservedLink { link, inbox }) } else { link }
}

impl fmt::Debug for MessageObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MessageObserver")
    }
}

/// A link whose messages are observed.
#[derive(Debug)]
struct ObservedLink {
    link: Arc<dyn Link>,
    /// Knows who hears, in both directions.
    inbox: Inbox,
}

impl Link for ObservedLink {
    fn send(&self, message: Outgoing<'_>) -> Result<(), NotSent> {
        // Before it is sent, so that it is not observed after its answer.
        self.inbox.observe(Direction::ToServer, message.text);
        self.link.send(message)
    }

    fn give_up(&self, id: u64, revision: Revision) -> bool {
        self.link.give_up(id, revision)
    }

    fn credentials(&self) -> Option<BoxFuture<'_, Option<u64>>> {
        self.link.credentials()
    }

    fn agreed(&self, revision: Revision) {
        self.link.agreed(revision);
    }

    fn has_one_stream(&self) -> bool {
        self.link.has_one_stream()
    }

    fn wants_param_headers(&self) -> bool {
        self.link.wants_param_headers()
    }

    fn close(&self) {
        self.link.close();
    }
}
