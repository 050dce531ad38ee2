//! The body of a response: nothing, one text, or a stream of events.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

use crate::connection::Busy;
use crate::events::EventBody;
use crate::modern::ModernStream;
use crate::response::RecordedStream;

/// The body of a response.
pub struct Body {
    kind: Kind,
    /// Tells the connection that it is in use until the body is gone.
    busy: Option<Busy>,
    /// The client wants the connection to end with it.
    closes: bool,
    /// Records what is sent.
    recorder: Option<Box<RecordedStream>>,
}

enum Kind {
    Empty,
    Full(Bytes),
    Modern(Box<ModernStream>),
    Events(EventBody),
}

impl Body {
    /// A body without content.
    #[must_use]
    pub fn empty() -> Self {
        Self { kind: Kind::Empty, busy: None, closes: false, recorder: None }
    }

    /// A body of one text.
    pub fn full(text: impl Into<Bytes>) -> Self {
        Self { kind: Kind::Full(text.into()), busy: None, closes: false, recorder: None }
    }

    pub(crate) fn modern(stream: Box<ModernStream>) -> Self {
        Self { kind: Kind::Modern(stream), busy: None, closes: false, recorder: None }
    }

    pub(crate) fn events(events: EventBody) -> Self {
        Self { kind: Kind::Events(events), busy: None, closes: false, recorder: None }
    }

    /// Whether it may take long to come to its end.
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.kind, Kind::Modern(_) | Kind::Events(_))
    }

    /// Returns what a body of one text has to say.
    pub(crate) fn text(&self) -> Option<&[u8]> {
        match &self.kind {
            Kind::Empty => Some(&[]),
            Kind::Full(text) => Some(text),
            Kind::Modern(_) | Kind::Events(_) => None,
        }
    }

    /// Records a stream as it is sent.
    pub(crate) fn record(&mut self, recorder: RecordedStream) {
        self.recorder = Some(Box::new(recorder));
    }

    pub(crate) fn close_after(&mut self) {
        self.closes = true;
    }

    pub(crate) fn closes(&self) -> bool {
        self.closes
    }

    pub(crate) fn keep_busy(&mut self, busy: Busy) {
        self.busy = Some(busy);
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let text = match &mut self.kind {
            Kind::Empty => return Poll::Ready(None),
            Kind::Full(text) => {
                let text = std::mem::take(text);
                self.kind = Kind::Empty;
                Poll::Ready(Some(text))
            }
            Kind::Modern(stream) => stream.poll_next(cx),
            Kind::Events(events) => events.poll_next(cx),
        };
        if let (Some(recorder), Poll::Ready(Some(text))) = (&mut self.recorder, &text) {
            recorder.hear(text);
        }
        text.map(|text| text.map(|text| Ok(Frame::data(text))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.kind {
            Kind::Empty => true,
            Kind::Full(text) => text.is_empty(),
            Kind::Modern(_) | Kind::Events(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.kind {
            Kind::Empty => SizeHint::with_exact(0),
            Kind::Full(text) => SizeHint::with_exact(text.len() as u64),
            Kind::Modern(_) | Kind::Events(_) => SizeHint::default(),
        }
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.kind {
            Kind::Empty => "Body(empty)",
            Kind::Full(_) => "Body(full)",
            Kind::Modern(_) | Kind::Events(_) => "Body(events)",
        })
    }
}

impl From<Bytes> for Body {
    fn from(text: Bytes) -> Self {
        Self::full(text)
    }
}

impl Default for Body {
    fn default() -> Self {
        Self::empty()
    }
}
