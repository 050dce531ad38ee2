//! Messages on their way into a byte stream, one per line.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

use tokio::io::AsyncWrite;

use crate::sync::{Mutex, MutexGuard};
use crate::{Link, NotSent, Outgoing};

type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// The sending side of a byte stream.
///
/// The first message after the driver's turn is written at once by the one who sends it, which spares a change of tasks. Further ones of
/// the same moment wait for the driver, so that they share one write.
pub(crate) struct StreamLink {
    outbox: Mutex<Outbox>,
    limit: usize,
}

struct Outbox {
    writer: Option<Writer>,
    /// What callers have appended since the last swap with `writing`.
    waiting: Vec<u8>,
    writing: Vec<u8>,
    written: usize,
    unflushed: bool,
    state: State,
    driver: Option<Waker>,
    /// Nothing has been sent since the driver's last turn.
    is_quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    /// What waits is still written; then the stream is closed.
    Closing,
    Ended,
    /// The server itself has ended.
    Gone,
}

/// What the driver learns in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// There may be more to send.
    GoOn,
    /// The link was closed, and all has been written.
    Closed,
    /// The server has ended, so what it has written already is all there will be.
    Gone,
}

impl StreamLink {
    pub(crate) fn new(writer: Writer, limit: usize) -> Arc<Self> {
        let outbox = Outbox {
            writer: Some(writer),
            waiting: Vec::new(),
            writing: Vec::new(),
            written: 0,
            unflushed: false,
            state: State::Open,
            driver: None,
            is_quiet: false,
        };
        Arc::new(Self { outbox: Mutex::new(outbox), limit })
    }

    fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock()
    }

    /// Writes what waits, and wakes the driver when there is more to do for it.
    pub(crate) fn turn(&self, cx: &mut Context<'_>) -> Turn {
        let mut outbox = self.outbox();
        outbox.is_quiet = true;
        match &mut outbox.driver {
            Some(driver) => driver.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        if outbox.writer.is_some()
            && let Poll::Ready(outcome) = outbox.poll_to_the_end(cx)
        {
            outbox.writer = None;
            // A server that no longer reads may still have something to say, so a failed write only ends the writing.
            if let Err(error) = outcome {
                tracing::debug!(%error, "writing to the server failed");
                let is_closing = outbox.state == State::Closing;
                outbox.end(if is_closing { State::Closing } else { State::Ended });
            }
        }
        match outbox.state {
            State::Closing if outbox.writer.is_none() => Turn::Closed,
            State::Gone => Turn::Gone,
            State::Open | State::Closing | State::Ended => Turn::GoOn,
        }
    }

    /// Takes no more messages, and closes the server's input.
    pub(crate) fn end(&self) {
        let mut outbox = self.outbox();
        if outbox.state != State::Gone {
            outbox.end(State::Ended);
        }
    }

    /// Notes that the server itself has ended.
    pub(crate) fn server_ended(&self) {
        let mut outbox = self.outbox();
        outbox.end(State::Gone);
        let driver = outbox.driver.take();
        drop(outbox);
        if let Some(driver) = driver {
            driver.wake();
        }
    }
}

impl Outbox {
    fn end(&mut self, state: State) {
        self.state = state;
        self.writer = None;
        self.waiting = Vec::new();
        self.writing = Vec::new();
        self.written = 0;
    }

    /// Ready when writing is over for good.
    fn poll_to_the_end(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_write_all(cx))?;
        match &mut self.writer {
            Some(writer) if self.state == State::Closing => Pin::new(writer).poll_shutdown(cx),
            _ => Poll::Pending,
        }
    }

    /// Ready when nothing waits to be written.
    fn poll_write_all(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(writer) = &mut self.writer else { return Poll::Ready(Ok(())) };
        let mut writer = Pin::new(writer);
        loop {
            let rest = self.writing.get(self.written..).unwrap_or_default();
            if !rest.is_empty() {
                let count = ready!(writer.as_mut().poll_write(cx, rest))?;
                if count == 0 {
                    return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
                }
                self.written += count;
                self.unflushed = true;
                continue;
            }
            self.writing.clear();
            self.writing.shrink_to(256 * 1024);
            self.written = 0;
            if self.waiting.is_empty() {
                break;
            }
            std::mem::swap(&mut self.writing, &mut self.waiting);
        }
        if self.unflushed {
            ready!(writer.poll_flush(cx))?;
            self.unflushed = false;
        }
        Poll::Ready(Ok(()))
    }
}

impl Link for StreamLink {
    fn send(&self, message: Outgoing<'_>) -> Result<(), NotSent> {
        let mut outbox = self.outbox();
        if outbox.state != State::Open {
            return Err(NotSent::Ended);
        }
        if outbox.waiting.len() > self.limit {
            return Err(NotSent::Full);
        }
        outbox.waiting.extend_from_slice(message.text);
        outbox.waiting.push(b'\n');
        // Without a waker the driver has been woken already.
        let Some(driver) = outbox.driver.take() else { return Ok(()) };
        // What does not go through at once, or fails, is left to the driver, whose waker is the one that the writer learns.
        if std::mem::take(&mut outbox.is_quiet)
            && matches!(outbox.poll_write_all(&mut Context::from_waker(&driver)), Poll::Ready(Ok(())))
        {
            outbox.driver = Some(driver);
            return Ok(());
        }
        drop(outbox);
        driver.wake();
        Ok(())
    }

    fn close(&self) {
        let mut outbox = self.outbox();
        if outbox.state == State::Open {
            outbox.state = State::Closing;
        }
        let driver = outbox.driver.take();
        drop(outbox);
        if let Some(driver) = driver {
            driver.wake();
        }
    }
}

impl fmt::Debug for StreamLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamLink").field("waiting", &self.outbox().waiting.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OutgoingKind;

    /// What a writer was given, a text for each write, and how many bytes it takes at most.
    #[derive(Clone, Default)]
    struct Paper(Arc<Mutex<(Vec<String>, usize)>>);

    impl Paper {
        fn new(most: usize) -> Self {
            Self(Arc::new(Mutex::new((Vec::new(), most))))
        }

        fn take(&self) -> Vec<String> {
            std::mem::take(&mut self.0.lock().0)
        }

        fn set_most(&self, most: usize) {
            self.0.lock().1 = most;
        }
    }

    impl AsyncWrite for Paper {
        fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, text: &[u8]) -> Poll<io::Result<usize>> {
            let mut paper = self.0.lock();
            match paper.1.min(text.len()) {
                0 => Poll::Pending,
                count => {
                    paper.0.push(String::from_utf8(text[..count].to_vec()).unwrap());
                    Poll::Ready(Ok(count))
                }
            }
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            self.0.lock().0.push("(end)".to_owned());
            Poll::Ready(Ok(()))
        }
    }

    fn link(most: usize) -> (Paper, Arc<StreamLink>) {
        let paper = Paper::new(most);
        (paper.clone(), StreamLink::new(Box::new(paper), 100))
    }

    fn send(link: &StreamLink, text: &str) -> Result<(), NotSent> {
        link.send(Outgoing { text: text.as_bytes(), kind: OutgoingKind::Answer })
    }

    fn turn(link: &StreamLink) -> Turn {
        link.turn(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn the_first_message_goes_at_once_and_the_others_share_a_write() {
        let (paper, link) = link(1000);
        send(&link, "before").unwrap();
        assert_eq!(paper.take(), [""; 0]);
        for _ in 0..2 {
            turn(&link);
            paper.take();
            send(&link, "a").unwrap();
            assert_eq!(paper.take(), ["a\n"]);
            send(&link, "b").unwrap();
            send(&link, "c").unwrap();
            assert_eq!(paper.take(), [""; 0]);
            turn(&link);
            assert_eq!(paper.take(), ["b\nc\n"]);
        }
    }

    /// T-116: what the server does not take yet waits in order, up to a limit.
    #[test]
    fn what_is_not_taken_waits_for_the_driver() {
        let (paper, link) = link(0);
        turn(&link);
        send(&link, "one").unwrap();
        send(&link, "two").unwrap();
        assert_eq!(paper.take(), [""; 0]);
        paper.set_most(3);
        assert_eq!(turn(&link), Turn::GoOn);
        assert_eq!(paper.take().concat(), "one\ntwo\n");

        paper.set_most(0);
        send(&link, "first").unwrap();
        send(&link, &"x".repeat(101)).unwrap();
        assert_eq!(send(&link, "more"), Err(NotSent::Full));
    }

    #[test]
    fn a_closed_link_writes_what_waits_and_takes_no_more() {
        let (paper, link) = link(1000);
        send(&link, "last").unwrap();
        link.close();
        assert_eq!(send(&link, "late"), Err(NotSent::Ended));
        assert_eq!(turn(&link), Turn::Closed);
        assert_eq!(paper.take(), ["last\n", "(end)"]);
        link.server_ended();
        link.end();
        assert_eq!(turn(&link), Turn::Gone);
    }
}
