//! Hearing every message that passes, for those who record or show them.

use std::fmt;
use std::sync::Arc;

use jackfield_peer::tape::{Recorder, Side};
use jackfield_protocol::Revision;

use crate::{Boxed, Link, NotSent, Outgoing};

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
#[derive(Clone)]
pub(crate) struct Tap(Arc<Hear>);

type Hear = dyn Fn(Direction, &[u8]) + Send + Sync;

impl Tap {
    pub(crate) fn new(listener: impl Fn(Direction, &[u8]) + Send + Sync + 'static) -> Self {
        Self(Arc::new(listener))
    }

    pub(crate) fn hear(&self, direction: Direction, text: &[u8]) {
        (self.0)(direction, text);
    }
}

/// Hears what is sent over a link, if anyone wants to.
pub(crate) fn heard(link: Arc<dyn Link>, tap: Option<&Tap>, recorder: Option<&Recorder>) -> Arc<dyn Link> {
    if tap.is_none() && recorder.is_none() {
        return link;
    }
    Arc::new(TappedLink { link, tap: tap.cloned(), recorder: recorder.cloned() })
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tap")
    }
}

/// A link whose messages are heard.
#[derive(Debug)]
struct TappedLink {
    link: Arc<dyn Link>,
    tap: Option<Tap>,
    recorder: Option<Recorder>,
}

impl Link for TappedLink {
    fn send(&self, message: Outgoing<'_>) -> Result<(), NotSent> {
        // Before it is sent, so that it is not heard after its answer.
        if let Some(tap) = &self.tap {
            tap.hear(Direction::ToServer, message.text);
        }
        if let Some(recorder) = &self.recorder {
            recorder.record(Side::Client, message.text);
        }
        self.link.send(message)
    }

    fn give_up(&self, id: u64, revision: Revision) -> bool {
        self.link.give_up(id, revision)
    }

    fn credentials(&self) -> Option<Boxed<'_, Option<u64>>> {
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
