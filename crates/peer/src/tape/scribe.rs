//! The thread that writes a tape.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

use jackfield_store::Timestamp;

use super::writer::Tally;
use super::{Content, Entry, Note, Record, Side};

/// Writes what was noted, in its own time.
pub(super) struct Scribe {
    out: Box<dyn Write + Send>,
    lines: Vec<u8>,
    tally: Arc<Tally>,
    failed: io::Result<()>,
}

/// Something that was noted, and waits to be written.
#[derive(Debug)]
pub(super) struct Job {
    /// How many were left out before it.
    missed: u64,
    after: Duration,
    from: Side,
    over: String,
    session: Option<String>,
    exchange: Option<u64>,
    verb: Option<String>,
    status: Option<u16>,
    text: Option<Vec<u8>>,
}

/// What is collected before it is written.
const ENOUGH: usize = 64 * 1024;

impl Job {
    pub(super) fn new(note: &Note<'_>) -> Self {
        Self {
            missed: 0,
            after: Duration::ZERO,
            from: note.from,
            over: note.over.to_owned(),
            session: note.session.map(str::to_owned),
            exchange: note.exchange,
            verb: note.verb.map(str::to_owned),
            status: note.status,
            text: note.text.map(<[u8]>::to_vec),
        }
    }

    /// Says when it was, and how many were left out before it.
    pub(super) fn at(self, after: Duration, missed: u64) -> Self {
        Self { after, missed, ..self }
    }
}

impl Scribe {
    pub(super) fn new(out: Box<dyn Write + Send>, tally: Arc<Tally>) -> Self {
        Self { out, lines: Vec::new(), tally, failed: Ok(()) }
    }

    /// Writes until nobody is left who could note something.
    pub(super) fn write_all(mut self, jobs: &Receiver<Job>) -> io::Result<()> {
        let by = Some(concat!("jackfield ", env!("CARGO_PKG_VERSION")).to_owned());
        self.write(&Entry::Begin { at: Timestamp::now(), by });
        let mut latest = Duration::ZERO;
        loop {
            let job = match jobs.try_recv() {
                Ok(job) => job,
                Err(TryRecvError::Disconnected) => break,
                Err(TryRecvError::Empty) => {
                    // Whoever looks at the tape meanwhile sees all of it.
                    self.flush();
                    match jobs.recv() {
                        Ok(job) => job,
                        Err(_) => break,
                    }
                }
            };
            latest = job.after;
            self.record(job);
        }
        let missed = self.tally.missed.swap(0, Ordering::Relaxed);
        self.say_missed(latest, missed);
        self.flush();
        self.failed
    }

    fn record(&mut self, job: Job) {
        self.say_missed(job.after, job.missed);
        let bytes = job.text.as_ref().map_or(0, Vec::len);
        let content = job.text.map_or(Content::Nothing, |text| Content::of(&text));
        self.tally.waiting.fetch_sub(bytes, Ordering::Relaxed);
        let mut record = Record::new(job.after, job.from, job.over, content);
        (record.session, record.exchange) = (job.session, job.exchange);
        (record.verb, record.status) = (job.verb, job.status);
        self.write(&Entry::Record(record));
    }

    fn say_missed(&mut self, after: Duration, count: u64) {
        if count > 0 {
            self.write(&Entry::Missed { after, count });
        }
    }

    fn write(&mut self, entry: &Entry) {
        if self.failed.is_err() {
            return;
        }
        entry.write(&mut self.lines);
        if self.lines.len() >= ENOUGH {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.failed.is_ok() && !self.lines.is_empty() {
            self.failed = self.out.write_all(&self.lines).and_then(|()| self.out.flush());
            if let Err(error) = &self.failed {
                tracing::warn!(%error, "a tape cannot be written; it ends here");
            }
        }
        self.lines.clear();
        self.lines.shrink_to(4 * ENOUGH);
    }
}
