//! The files of a graph: its own, the journal beside it, and what is set aside.

use std::fs::{self, File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::graph::Graph;
use super::journal::{Digest, Digesting};
use super::{lines, platform};

/// The largest file that is read.
const LARGEST: u64 = 4 << 30;
/// How the names of temporary files end.
const TEMPORARY: &str = ".jackfield.tmp";

/// Where the files of a graph are.
#[derive(Clone, Debug)]
pub(super) struct Files {
    pub(super) path: PathBuf,
    directory: PathBuf,
    pub(super) journal: PathBuf,
    broken: PathBuf,
}

/// What tells a state of a file from another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    number: (u64, u64),
    pub(super) length: u64,
    modified: Option<SystemTime>,
}

impl Files {
    /// Finds the files of a graph, and makes the directory that they are in.
    pub(super) fn new(path: &Path) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        // A link stays a link: what it leads to is replaced.
        let path = fs::canonicalize(&path).unwrap_or(path);
        let directory = path.parent().map(Path::to_owned).unwrap_or_default();
        fs::create_dir_all(&directory)?;
        let beside = |ending: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        Ok(Self { journal: beside(".journal"), broken: beside(".broken"), directory, path })
    }

    /// Waits until no other process changes the files, and keeps others waiting until the lock is dropped.
    pub(super) fn lock(&self) -> io::Result<File> {
        platform::lock(&self.directory, &self.path)
    }

    /// Returns the state of the graph's file.
    pub(super) fn state(&self) -> io::Result<Option<State>> {
        state(&self.path)
    }

    /// Returns the state of the journal.
    pub(super) fn journal_state(&self) -> io::Result<Option<State>> {
        state(&self.journal)
    }

    /// Reads the graph's file, and returns the lines that cannot be read. A file that does not exist is an empty graph.
    pub(super) fn read(&self, graph: &mut Graph) -> io::Result<Vec<String>> {
        let metadata = match fs::metadata(&self.path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        if !metadata.is_file() || metadata.len() > LARGEST {
            return Err(io::Error::other("the memory file is not a regular file, or larger than 4 GiB"));
        }
        lines::read(BufReader::with_capacity(64 * 1024, File::open(&self.path)?), graph)
    }

    /// Writes a graph into a temporary file in the same directory, and returns it.
    pub(super) fn write(&self, graph: &Graph) -> io::Result<Written> {
        let random = || RandomState::new().hash_one(0_u8);
        let mut name = self.path.as_os_str().to_owned();
        name.push(format!(".{:016x}{:016x}{TEMPORARY}", random(), random()));
        let mut written = Written { path: name.into(), digest: Digesting::default().finish() };
        let file = OpenOptions::new().create_new(true).write(true).open(&written.path)?;
        if let Ok(metadata) = fs::metadata(&self.path) {
            file.set_permissions(metadata.permissions())?;
        }
        let mut to = BufWriter::with_capacity(64 * 1024, Through { file, digest: Digesting::default() });
        lines::write(&mut to, graph)?;
        let through = to.into_inner().map_err(io::IntoInnerError::into_error)?;
        through.file.sync_all()?;
        written.digest = through.digest.finish();
        Ok(written)
    }

    /// Puts a written file in the place of the graph's.
    pub(super) fn replace(&self, mut written: Written) -> io::Result<()> {
        fs::rename(&written.path, &self.path)?;
        written.path = PathBuf::new();
        platform::sync_directory(&self.directory)
    }

    /// Removes the journal, whose changes are in the graph's file.
    pub(super) fn remove_journal(&self) -> io::Result<()> {
        match fs::remove_file(&self.journal) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Keeps lines that cannot be read, before the file is written without them.
    pub(super) fn set_aside(&self, broken: &[String]) -> io::Result<()> {
        if broken.is_empty() {
            return Ok(());
        }
        let mut file = OpenOptions::new().create(true).append(true).open(&self.broken)?;
        file.write_all((broken.join("\n") + "\n").as_bytes())?;
        file.sync_all()?;
        tracing::warn!(
            "{} lines of {} cannot be read; they are in {} now",
            broken.len(),
            self.path.display(),
            self.broken.display()
        );
        Ok(())
    }

    /// Removes what processes that died in the middle of writing left. Nobody writes while this process holds the lock.
    pub(super) fn remove_leftovers(&self) {
        let own = self.path.file_name().map(|name| format!("{}.", name.to_string_lossy())).unwrap_or_default();
        for entry in fs::read_dir(&self.directory).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(&own) && name.ends_with(TEMPORARY) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn state(path: &Path) -> io::Result<Option<State>> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(State::of(&metadata))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

impl State {
    fn of(metadata: &Metadata) -> Self {
        Self { number: platform::number(metadata), length: metadata.len(), modified: metadata.modified().ok() }
    }

    /// Whether it is the same file, which may have grown.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

/// A temporary file that is removed unless it is put in its place.
#[derive(Debug)]
pub(super) struct Written {
    path: PathBuf,
    pub(super) digest: Digest,
}

impl Drop for Written {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Takes the digest of what is written.
struct Through {
    file: File,
    digest: Digesting,
}

impl Write for Through {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.digest.add(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
