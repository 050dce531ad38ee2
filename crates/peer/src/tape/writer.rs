//! Writing a tape.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::scribe::{Job, Scribe};
use super::{ReadError, Reader, Side};

/// Takes down what passes, in the order in which it is noted. Clones write to the same tape.
///
/// Whoever notes something never waits: a thread of its own writes. When that cannot keep up, records are left out, and the tape says how
/// many. When the last clone is dropped, what waits is written, and waited for as [`close`](Self::close) does: better close it, where waiting
/// does no harm.
#[derive(Clone, Debug)]
pub struct Tape(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// None after the end.
    queue: Mutex<Option<SyncSender<Job>>>,
    done: Mutex<Receiver<io::Result<()>>>,
    tally: Arc<Tally>,
    begun: Instant,
    numbers: AtomicU64,
    patience: Duration,
}

/// What those who note and the one who writes know together.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// How many bytes wait to be written.
    pub(super) waiting: AtomicUsize,
    /// How many records have been left out since the last one that was taken.
    pub(super) missed: AtomicU64,
}

/// Something to be recorded.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Note<'a> {
    /// Who sent it.
    pub from: Side,
    /// What carried it.
    pub over: &'a str,
    /// What belongs together; never the id of a session itself.
    pub session: Option<&'a str>,
    /// Which request and response belong together.
    pub exchange: Option<u64>,
    /// The method of an HTTP request.
    pub verb: Option<&'a str>,
    /// The status of an HTTP response.
    pub status: Option<u16>,
    /// The message, or what should be one.
    pub text: Option<&'a [u8]>,
}

/// How much may wait to be written; what comes beyond is left out.
const QUEUED: usize = 4096;
const QUEUED_BYTES: usize = 16 << 20;

/// How long the end of a tape is waited for while nothing more of it is written: a pipe that nobody reads keeps nobody.
const PATIENCE: Duration = Duration::from_secs(5);

impl Tape {
    /// Begins a recording at the end of a file. A file that is made here can be read by its owner only, where the system has such files. A
    /// pipe is waited for until somebody reads it.
    ///
    /// # Errors
    /// The file cannot be written, holds something else than a tape, or is being written by somebody else.
    pub fn append(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // What cannot be looked into, such as a pipe, is written all the same.
        let is_file = path.metadata().map_or(true, |facts| facts.is_file());
        let mut file = options.read(is_file).open(path)?;
        if is_file && is_cut_off(&mut file)? {
            file.write_all(b"\n")?;
        }
        Self::to(file)
    }

    /// Begins a recording on anything that can be written to.
    ///
    /// # Errors
    /// The operating system has no thread for it.
    pub fn to(out: impl Write + Send + 'static) -> io::Result<Self> {
        Self::patiently(out, PATIENCE)
    }

    fn patiently(out: impl Write + Send + 'static, patience: Duration) -> io::Result<Self> {
        let (queue, jobs) = mpsc::sync_channel(QUEUED);
        let (ended, done) = mpsc::sync_channel(1);
        let tally = Arc::<Tally>::default();
        let scribe = Scribe::new(Box::new(out), tally.clone());
        std::thread::Builder::new().name("jackfield-tape".into()).spawn(move || {
            // Nobody may wait for it any more.
            let _ = ended.send(scribe.write_all(&jobs));
        })?;
        Ok(Self(Arc::new(Inner {
            queue: Mutex::new(Some(queue)),
            done: Mutex::new(done),
            tally,
            begun: Instant::now(),
            numbers: AtomicU64::new(1),
            patience,
        })))
    }

    /// Returns a number that this recording has not used yet, for a session or an exchange.
    #[must_use]
    pub fn next_number(&self) -> u64 {
        self.0.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// Notes something. Returns at once; secrets are left out where it is written.
    pub fn note(&self, note: Note<'_>) {
        let inner = &*self.0;
        let tally = &inner.tally;
        let bytes = note.text.map_or(0, <[u8]>::len);
        // One message always has room, however long it is.
        let before = tally.waiting.fetch_add(bytes, Ordering::Relaxed);
        let has_room = before == 0 || before.saturating_add(bytes) <= QUEUED_BYTES;
        // Copied before others have to wait for it.
        let job = has_room.then(|| Job::new(&note));
        let queue = inner.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(queue) = &*queue else {
            tally.waiting.fetch_sub(bytes, Ordering::Relaxed);
            return;
        };
        // Only whoever holds the queue changes it, but for the very end.
        let missed = tally.missed.load(Ordering::Relaxed);
        let taken = job.is_some_and(|job| queue.try_send(job.at(inner.begun.elapsed(), missed)).is_ok());
        if taken {
            tally.missed.fetch_sub(missed, Ordering::Relaxed);
        } else {
            tally.waiting.fetch_sub(bytes, Ordering::Relaxed);
            tally.missed.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Ends the recording, for all clones, and waits until what was noted is written; later calls do nothing. It blocks, but not for longer
    /// than five seconds in which nothing is written, and half a minute in all.
    ///
    /// # Errors
    /// Not everything could be written.
    pub fn close(&self) -> io::Result<()> {
        self.0.close()
    }
}

impl Inner {
    fn close(&self) -> io::Result<()> {
        // Without a sender the thread comes to its end.
        if self.queue.lock().unwrap_or_else(PoisonError::into_inner).take().is_none() {
            return Ok(());
        }
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = Instant::now();
        let mut waiting = self.tally.waiting.load(Ordering::Relaxed);
        loop {
            return match done.recv_timeout(self.patience) {
                Ok(written) => written,
                Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("the thread that writes it has ended")),
                Err(RecvTimeoutError::Timeout) => {
                    let left = self.tally.waiting.load(Ordering::Relaxed);
                    let goes_on = left < std::mem::replace(&mut waiting, left);
                    if goes_on && begun.elapsed() < self.patience.saturating_mul(6) {
                        continue;
                    }
                    Err(io::Error::new(io::ErrorKind::TimedOut, "it cannot be written: nobody takes it"))
                }
            };
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            tracing::warn!(%error, "a tape is not complete");
        }
    }
}

/// Makes sure that a file is a tape, or empty, and belongs to us. Returns whether its last line lacks an end. One that was cut off in its very
/// first line is emptied.
fn is_cut_off(file: &mut File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, "somebody else is writing to this tape"));
        }
        // Not every file system has locks.
        Err(TryLockError::Error(error)) => tracing::debug!(%error, "a tape cannot be locked"),
    }
    let length = file.metadata()?.len();
    if length == 0 {
        return Ok(false);
    }
    let mut start = Vec::new();
    (&mut *file).take(BEGIN.len() as u64).read_to_end(&mut start)?;
    let begins = BEGIN.starts_with(&start) || start.starts_with(BEGIN);
    if length < 256 && begins && !rest(file)?.contains(&b'\n') {
        file.set_len(0)?;
        return Ok(false);
    }
    file.rewind()?;
    let start = io::BufReader::new(&mut *file);
    match Reader::new(start).with_limit(64 * 1024).next() {
        Some(Ok(_)) => {}
        Some(Err(ReadError::Io(error))) => return Err(error),
        Some(Err(error)) => return Err(io::Error::new(io::ErrorKind::AlreadyExists, error)),
        None => return Ok(false),
    }
    file.seek(SeekFrom::Start(length.saturating_sub(1)))?;
    Ok(rest(file)?.last() != Some(&b'\n'))
}

/// How the first line of a tape begins.
const BEGIN: &[u8] = b"{\"tape\":1,\"at\":\"";

fn rest(file: &mut File) -> io::Result<Vec<u8>> {
    let mut rest = Vec::new();
    file.read_to_end(&mut rest)?;
    Ok(rest)
}

impl<'a> Note<'a> {
    /// Makes a note without any facts.
    #[must_use]
    pub fn new(from: Side, over: &'a str) -> Self {
        Self { from, over, session: None, exchange: None, verb: None, status: None, text: None }
    }
}

#[cfg(test)]
mod tests {
    use jackfield_testkit::Folder;

    use super::*;
    use crate::tape::{Content, Entry, Recorder};

    /// Takes what is written when nobody holds it up any more.
    struct HeldUp {
        asked: SyncSender<()>,
        let_go: Receiver<()>,
        text: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for HeldUp {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            let _ = self.asked.try_send(());
            let _ = self.let_go.recv();
            self.text.lock().unwrap().extend_from_slice(text);
            Ok(text.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A tape whose thread waits to write its first line, until the first value is dropped.
    fn held_up() -> (SyncSender<()>, Arc<Mutex<Vec<u8>>>, Tape) {
        let (hold, let_go) = mpsc::sync_channel(1);
        let (asked, is_asked) = mpsc::sync_channel(1);
        let text = Arc::<Mutex<Vec<u8>>>::default();
        // A busy machine takes longer than usual for one long message.
        let patience = Duration::from_secs(60);
        let tape = Tape::patiently(HeldUp { asked, let_go, text: text.clone() }, patience).unwrap();
        is_asked.recv().unwrap();
        (hold, text, tape)
    }

    fn entries(text: &[u8]) -> Vec<Entry> {
        Reader::new(text).collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn what_is_noted_is_on_the_tape_in_order() {
        let folder = Folder::new().unwrap();
        let path = folder.join("a.tape");
        let tape = Tape::append(&path).unwrap();
        let (one, two) = (Recorder::new(&tape, "stdio"), Recorder::new(&tape, "stream"));
        for number in 0..1000 {
            one.record(Side::Client, format!("{{\"id\":{number}}}").as_bytes());
            two.record(Side::Server, b"not JSON");
        }
        drop((one, two));
        tape.close().unwrap();
        let entries = entries(&std::fs::read(&path).unwrap());
        assert_eq!(entries.len(), 2001);
        assert!(matches!(&entries[0], Entry::Begin { by: Some(by), .. } if by.starts_with("jackfield ")));
        for (number, pair) in entries[1..].chunks(2).enumerate() {
            let [Entry::Record(first), Entry::Record(second)] = pair else { panic!("{pair:?}") };
            assert!(
                matches!(&first.content, Content::Message { json, .. } if json.get() == format!("{{\"id\":{number}}}"))
            );
            assert_eq!((first.over.as_str(), first.session.as_deref()), ("stdio", Some("1")));
            assert_eq!((second.over.as_str(), second.session.as_deref()), ("stream", Some("2")));
            assert_eq!(second.content, Content::Text("not JSON".to_owned()));
            assert!(first.after <= second.after);
        }
    }

    /// Nobody waits for a disk that is slow; what is left out is counted, at its place.
    #[test]
    fn what_comes_too_fast_is_counted() {
        let (hold, text, tape) = held_up();
        let recorder = Recorder::new(&tape, "stream");
        for number in 0..QUEUED + 100 {
            recorder.record(Side::Client, number.to_string().as_bytes());
        }
        drop(hold);
        let is_written = || tape.0.tally.waiting.load(Ordering::Relaxed) == 0;
        jackfield_testkit::eventually_blocking("all of it is written", is_written);
        recorder.record(Side::Client, b"\"last\"");
        tape.close().unwrap();
        let entries = entries(&text.lock().unwrap());
        let [.., Entry::Record(before), Entry::Missed { count, .. }, Entry::Record(last)] = &entries[..] else {
            panic!("{:?}", entries.last())
        };
        assert_eq!(*count, 100);
        assert!(matches!(&before.content, Content::Message { json, .. } if json.get() == (QUEUED - 1).to_string()));
        assert!(matches!(&last.content, Content::Message { json, .. } if json.get() == "\"last\""));
    }

    /// The memory for what waits has a bound, in bytes as well.
    #[test]
    fn long_messages_do_not_fill_the_memory() {
        let (hold, text, tape) = held_up();
        let recorder = Recorder::new(&tape, "stream");
        let long = vec![b'1'; QUEUED_BYTES / 4];
        for _ in 0..20 {
            recorder.record(Side::Client, &long);
        }
        drop(hold);
        tape.close().unwrap();
        let entries = entries(&text.lock().unwrap());
        assert!(matches!(entries[..], [_, Entry::Record(_), _, _, Entry::Record(_), Entry::Missed { count: 16, .. }]));
    }

    #[test]
    fn a_tape_goes_on_where_it_ended() {
        let folder = Folder::new().unwrap();
        let path = folder.join("a.tape");
        for cut in [0, 5] {
            let tape = Tape::append(&path).unwrap();
            Recorder::new(&tape, "stdio").record(Side::Client, b"{}");
            drop(tape);
            let file = OpenOptions::new().write(true).open(&path).unwrap();
            file.set_len(file.metadata().unwrap().len() - cut).unwrap();
        }
        drop(Tape::append(&path).unwrap());
        let read: Vec<_> = Reader::open(&path).unwrap().collect();
        assert!(
            matches!(
                &read[..],
                [
                    Ok(Entry::Begin { .. }),
                    Ok(Entry::Record(_)),
                    Ok(Entry::Begin { .. }),
                    Err(ReadError::Bad { line: 4, .. }),
                    Ok(Entry::Begin { .. })
                ]
            ),
            "{read:?}"
        );
    }

    /// Whoever was stopped at once has written nothing that could be lost.
    #[test]
    fn a_tape_that_was_cut_off_at_once_begins_again() {
        let folder = Folder::new().unwrap();
        let path = folder.join("a.tape");
        drop(Tape::append(&path).unwrap());
        let begin = std::fs::read(&path).unwrap();
        for length in 0..begin.len() {
            std::fs::write(&path, &begin[..length]).unwrap();
            drop(Tape::append(&path).unwrap());
            let read: Vec<_> = Reader::open(&path).unwrap().collect();
            assert!(matches!(read[..], [Ok(Entry::Begin { .. })]), "{length}: {read:?}");
        }
    }

    /// A pipe that nobody reads keeps nobody for longer than is said.
    #[test]
    fn the_end_of_a_tape_is_not_waited_for_without_end() {
        let (hold, let_go) = mpsc::sync_channel(1);
        let (asked, is_asked) = mpsc::sync_channel(1);
        let stuck = HeldUp { asked, let_go, text: Arc::default() };
        let tape = Tape::patiently(stuck, Duration::from_millis(1)).unwrap();
        is_asked.recv().unwrap();
        Recorder::new(&tape, "stream").record(Side::Client, b"{}");
        assert_eq!(tape.close().unwrap_err().kind(), io::ErrorKind::TimedOut);
        drop(hold);
    }

    #[test]
    fn other_files_are_left_alone() {
        let folder = Folder::new().unwrap();
        let path = folder.join("notes.txt");
        std::fs::write(&path, "do not lose this\n").unwrap();
        let error = Tape::append(&path).expect_err("it is no tape");
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert!(error.to_string().contains("not a tape"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "do not lose this\n");
    }

    #[test]
    fn a_tape_has_one_writer() {
        let folder = Folder::new().unwrap();
        let path = folder.join("a.tape");
        let first = Tape::append(&path).unwrap();
        assert_eq!(Tape::append(&path).unwrap_err().kind(), io::ErrorKind::ResourceBusy);
        drop(first);
        Tape::append(&path).unwrap().close().unwrap();
    }

    #[test]
    fn a_disk_that_is_full_is_told_at_the_end() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let tape = Tape::to(Full).unwrap();
        for _ in 0..QUEUED * 2 {
            Recorder::new(&tape, "stdio").record(Side::Client, b"{}");
        }
        assert_eq!(tape.close().unwrap_err().kind(), io::ErrorKind::StorageFull);
        // What comes afterwards is nobody's concern.
        Recorder::new(&tape, "stdio").record(Side::Client, b"{}");
        tape.close().unwrap();
    }

    /// T-153
    #[cfg(unix)]
    #[test]
    fn nobody_else_can_read_a_tape() {
        use std::os::unix::fs::PermissionsExt;
        let folder = Folder::new().unwrap();
        let path = folder.join("a.tape");
        drop(Tape::append(&path).unwrap());
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o077, 0);
    }
}
