//! A graph that is kept in a file, which other programs read and write too.

use std::io;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::change::{Change, Outcome};
use super::files::{Files, State};
use super::graph::Graph;
use super::journal::{self, Digest};

/// How long after the last change the file is written.
const PAUSE: Duration = Duration::from_millis(500);
/// How long after the first change the file is written, whatever comes meanwhile.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often writing is tried again when somebody else writes at the same time.
const ATTEMPTS: usize = 8;

/// A graph that is kept in a file. Changes go to a journal, and soon from there into the file.
#[derive(Debug)]
pub(super) struct Store {
    shared: Arc<Shared>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Shared {
    files: Files,
    known: Mutex<Known>,
    /// Wakes the writer.
    changed: Condvar,
}

/// What this process knows of the files.
#[derive(Debug, Default)]
struct Known {
    graph: Graph,
    /// Whether the files have been read.
    is_loaded: bool,
    /// The state of the graph's file that was read.
    file: Option<State>,
    /// The journal that was read, and how far.
    journal: Option<State>,
    journal_end: u64,
    /// Lines of the file that cannot be read.
    broken: Vec<String>,
    /// When the first and the last change were made that are not in the file yet.
    pending: Option<(Instant, Instant)>,
    is_closing: bool,
}

impl Store {
    /// Opens a graph. Nothing is read before the first call.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let files = Files::new(path)?;
        let shared = Arc::new(Shared { files, known: Mutex::default(), changed: Condvar::new() });
        Ok(Self { shared, writer: Mutex::new(None) })
    }

    /// Looks at the graph as it is now.
    pub(super) fn read<T>(&self, look: impl FnOnce(&Graph) -> T) -> Result<T, String> {
        let mut known = self.shared.known();
        if !known.is_current(&self.shared.files).map_err(shown)? {
            let _lock = self.shared.files.lock().map_err(shown)?;
            known.refresh(&self.shared.files).map_err(shown)?;
            if known.pending.is_some() {
                self.start_writer();
            }
        }
        Ok(look(&known.graph))
    }

    /// Changes the graph. When this returns the change outlives the process.
    ///
    /// # Errors
    /// The graph does not have what is to be changed, or the files cannot be written; nothing is changed then.
    pub(super) fn change(&self, change: &Change) -> Result<Outcome, String> {
        self.start_writer();
        let mut known = self.shared.known();
        let files = &self.shared.files;
        let _lock = files.lock().map_err(shown)?;
        known.refresh(files).map_err(shown)?;
        let outcome = change.apply(&mut known.graph)?;
        let written = journal::append(&files.journal, known.journal_end, change);
        let noted = written.and_then(|end| {
            known.journal_end = end;
            known.journal = files.journal_state()?;
            Ok(())
        });
        if let Err(error) = noted {
            // The graph has a change that the journal does not have.
            known.is_loaded = false;
            return Err(shown(error));
        }
        let now = Instant::now();
        known.pending = Some((known.pending.map_or(now, |(first, _)| first), now));
        self.shared.changed.notify_all();
        Ok(outcome)
    }

    /// Writes what is not in the file yet, and ends.
    pub(super) fn close(&self) {
        self.shared.known().is_closing = true;
        self.shared.changed.notify_all();
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        match writer {
            Some(writer) => drop(writer.join()),
            // A process that died may have left a journal, which only somebody who looks at the graph has noticed.
            None => drop(self.shared.known().fold(&self.shared.files)),
        }
    }

    fn start_writer(&self) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.is_none() {
            let shared = self.shared.clone();
            *writer = std::thread::Builder::new().name("memory-writer".to_owned()).spawn(move || shared.write()).ok();
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the file soon after each change, until the store is closed.
    fn write(&self) {
        let mut known = self.known();
        loop {
            let due = known.pending.map(|(first, last)| (last + PAUSE).min(first + PATIENCE));
            let left = due.map(|due| due.saturating_duration_since(Instant::now()));
            if known.is_closing || left.is_some_and(|left| left.is_zero()) {
                if let Err(error) = known.fold(&self.files) {
                    tracing::error!(%error, "the memory file cannot be written; its changes are in the journal");
                    // It is tried again after a while.
                    known.pending = known.pending.map(|_| (Instant::now(), Instant::now()));
                }
                if known.is_closing {
                    return;
                }
                continue;
            }
            known = match left {
                Some(left) => self.changed.wait_timeout(known, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.changed.wait(known).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

impl Known {
    /// Whether nobody has changed the files since they were read.
    fn is_current(&self, files: &Files) -> io::Result<bool> {
        Ok(self.is_loaded && self.file == files.state()? && self.journal == files.journal_state()?)
    }

    /// Reads what others have changed. The lock is held.
    fn refresh(&mut self, files: &Files) -> io::Result<()> {
        let (file, journal) = (files.state()?, files.journal_state()?);
        let has_grown = match (&self.journal, &journal) {
            (Some(known), Some(now)) => known.is_same_file(now) && now.length >= self.journal_end,
            (None, _) => true,
            (Some(_), None) => false,
        };
        if !self.is_loaded || self.file != file || !has_grown {
            return self.load(files);
        }
        if self.journal != journal {
            let entries = journal::read(&files.journal, self.journal_end)?;
            entries.changes.iter().for_each(|change| drop(change.replay(&mut self.graph)));
            (self.journal, self.journal_end) = (journal, entries.end);
            self.expect_fold();
        }
        Ok(())
    }

    /// Reads everything. The lock is held.
    fn load(&mut self, files: &Files) -> io::Result<()> {
        self.is_loaded = false;
        // The old graph goes first: there is not always room for two.
        self.graph = Graph::default();
        self.file = files.state()?;
        self.broken = files.read(&mut self.graph)?;
        if !self.broken.is_empty() {
            let count = self.broken.len();
            tracing::warn!(
                "{count} lines of {} cannot be read; they are kept aside when it is written",
                files.path.display()
            );
        }
        let entries = journal::read(&files.journal, 0)?;
        self.journal_end = entries.end;
        if entries.folded.is_some() && entries.folded == Digest::of(&files.path) {
            // The process that wrote the file died before it could remove the journal.
            files.remove_journal()?;
            self.journal_end = 0;
        } else {
            entries.changes.iter().for_each(|change| drop(change.replay(&mut self.graph)));
        }
        self.journal = files.journal_state()?;
        if self.journal.is_some() {
            self.expect_fold();
        }
        files.remove_leftovers();
        self.is_loaded = true;
        Ok(())
    }

    /// The process that made the changes in the journal may have died since.
    fn expect_fold(&mut self) {
        let now = Instant::now();
        self.pending.get_or_insert((now, now));
    }

    /// Brings the changes of the journal into the graph's file.
    fn fold(&mut self, files: &Files) -> io::Result<()> {
        if !self.is_loaded && files.journal_state()?.is_none() {
            return Ok(());
        }
        let _lock = files.lock()?;
        for _ in 0..ATTEMPTS {
            self.refresh(files)?;
            if self.journal.is_none() {
                self.pending = None;
                return Ok(());
            }
            let written = files.write(&self.graph)?;
            journal::mark_folded(&files.journal, self.journal_end, written.digest)?;
            files.set_aside(&self.broken)?;
            self.broken.clear();
            // Programs that know of no lock may have written meanwhile; their change is read first.
            if files.state()? != self.file {
                continue;
            }
            files.replace(written)?;
            files.remove_journal()?;
            (self.file, self.journal, self.journal_end) = (files.state()?, None, 0);
            self.pending = None;
            if self.graph.is_wasteful() {
                self.is_loaded = false;
            }
            return Ok(());
        }
        Err(io::Error::other("another program writes the file all the time"))
    }
}

/// An error without the path of the file, which is nobody's business.
fn shown(error: io::Error) -> String {
    format!("the memory file cannot be used: {}", error.kind())
}

#[cfg(test)]
mod tests;
