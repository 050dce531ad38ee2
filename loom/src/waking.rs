//! Models of who wakes whom: loom says so when everyone sleeps.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use loom::future::block_on;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;
use tokio::io::AsyncWrite;

use crate::mailbox::{Found, Mailbox};
use crate::side_future::SideFuture;
use crate::slot::Slot;
use crate::stream_link::{StreamLink, Turn};
use crate::sync::Mutex;
use crate::{Link, Outgoing, model};

/// A reader that gets less than was put in is told so, however slow it is, and without anything else being put in.
pub fn what_was_missed_is_told() {
    model(|| {
        let mailbox = Arc::new(Mailbox::new(1));
        let writer = {
            let mailbox = mailbox.clone();
            thread::spawn(move || (1..=3).for_each(|number| mailbox.put(number)))
        };
        let (mut seen, mut missed) = (0, false);
        while seen < 3 && !missed {
            match block_on(poll_fn(|cx| mailbox.poll_next(cx))) {
                Found::One(number) => {
                    assert!(number > seen, "in order, and once");
                    seen = number;
                }
                Found::Missed => missed = true,
                Found::Closed => panic!("nobody closed it"),
            }
        }
        writer.join().expect("it does not panic");
        mailbox.close();
        while block_on(poll_fn(|cx| mailbox.poll_next(cx))) != Found::Closed {}
    });
}

/// Whoever waits until it is clear whether a call becomes a task hears of it, however that comes out.
pub fn whoever_waits_for_a_task_is_woken() {
    for becomes_task in [true, false] {
        model(move || {
            let slot = Arc::new(Slot::new());
            assert!(slot.begin());
            let maker = {
                let slot = slot.clone();
                thread::spawn(move || match becomes_task {
                    true => {
                        slot.created(7);
                        slot.moved();
                    }
                    false => slot.give_up(),
                })
            };
            block_on(poll_fn(|cx| if slot.is_decided(cx.waker()) { Poll::Ready(()) } else { Poll::Pending }));
            assert_eq!(slot.get(), becomes_task.then_some(&7));
            maker.join().expect("it does not panic");
        });
    }
}

/// Whoever waits for a task also hears that the call has ended, whatever else happens at that moment, and the call stays an ordinary one.
pub fn whoever_waits_for_a_task_hears_of_the_end() {
    for becomes_task in [true, false] {
        model(move || {
            let slot = Arc::new(Slot::new());
            assert!(slot.begin());
            let caller = {
                let slot = slot.clone();
                thread::spawn(move || slot.over())
            };
            match becomes_task {
                true => slot.created(7),
                false => slot.give_up(),
            }
            block_on(poll_fn(|cx| if slot.is_decided(cx.waker()) { Poll::Ready(()) } else { Poll::Pending }));
            caller.join().expect("it does not panic");
            assert_eq!(slot.get(), None);
            assert!(!slot.begin() && !slot.is_moving(), "it is over");
        });
    }
}

/// A future that waits for a bell.
struct Bell {
    rung: AtomicBool,
    waiting: Mutex<Option<Waker>>,
}

impl Bell {
    fn ring(&self) {
        self.rung.store(true, Ordering::Release);
        let waiting = self.waiting.lock().take();
        waiting.into_iter().for_each(Waker::wake);
    }

    fn poll(&self, cx: &Context<'_>) -> Poll<()> {
        *self.waiting.lock() = Some(cx.waker().clone());
        if self.rung.load(Ordering::Acquire) { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// A future that is polled only when it was woken is polled when it was woken.
pub fn a_side_future_is_never_slept_through() {
    model(|| {
        let bell = Arc::new(Bell { rung: AtomicBool::new(false), waiting: Mutex::new(None) });
        let heard = bell.clone();
        let side = SideFuture::new(poll_fn(move |cx| heard.poll(cx)));
        let ringer = thread::spawn(move || bell.ring());
        block_on(side);
        ringer.join().expect("it does not panic");
    });
}

/// What was written. Nothing is taken at the first try; then the one who tried is woken.
#[derive(Clone)]
struct Paper(Arc<Mutex<(String, bool)>>);

impl AsyncWrite for Paper {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, text: &[u8]) -> Poll<io::Result<usize>> {
        let mut paper = self.0.lock();
        if !std::mem::replace(&mut paper.1, true) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        paper.0.push_str(&String::from_utf8_lossy(text));
        Poll::Ready(Ok(text.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Whoever sends, and whoever writes: each message goes out whole, those of one sender in order, before the link closes.
pub fn every_message_is_written_in_order() {
    model(|| {
        let paper = Paper(Arc::new(Mutex::new((String::new(), false))));
        let link = StreamLink::new(Box::new(paper.clone()), 1000);
        let send = |link: &StreamLink, text: &str| {
            let sent = link.send(Outgoing { text: text.as_bytes() });
            assert!(sent.is_ok());
        };
        let driver = {
            let link = link.clone();
            let turn = move |cx: &mut Context<'_>| match link.turn(cx) {
                Turn::Closed => Poll::Ready(()),
                Turn::GoOn | Turn::Gone => Poll::Pending,
            };
            thread::spawn(move || block_on(poll_fn(turn)))
        };
        let other = {
            let link = link.clone();
            thread::spawn(move || send(&link, "c"))
        };
        send(&link, "a");
        send(&link, "b");
        other.join().expect("it does not panic");
        link.close();
        driver.join().expect("it does not panic");
        let written = paper.0.lock().0.clone();
        let mut lines: Vec<_> = written.lines().collect();
        let place = |line| lines.iter().position(|written| *written == line);
        assert!(place("a") < place("b"), "{written}");
        lines.sort_unstable();
        assert_eq!(lines, ["a", "b", "c"]);
    });
}
