//! Credentials in files that only their owner can read.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jackfield_http::client::Boxed;
use serde::{Deserialize, Serialize};

use super::{CredentialStore, Place, StoreError, StoreLock, platform};
use crate::{Secret, random};

/// Keeps each entry in a file of its own, in a directory that only its owner can enter. Files are replaced as a whole, so
/// that a reader never sees half of one, and are refused when others could read them.
#[derive(Clone, Debug)]
pub struct FileStore {
    directory: PathBuf,
}

/// How long others may hold a name.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(25);
const LARGEST: u64 = 1 << 20;

/// What is in a file.
#[derive(Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) name: String,
    value: String,
    /// Whether the value is sealed with a key in the keyring.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) sealed: bool,
}

impl Entry {
    pub(super) fn plain(name: &str, value: &Secret) -> Self {
        Self { name: name.to_owned(), value: value.expose().to_owned(), sealed: false }
    }

    pub(super) fn sealed(name: &str, value: String) -> Self {
        Self { name: name.to_owned(), value, sealed: true }
    }

    pub(super) fn value(&self) -> Secret {
        Secret::new(self.value.as_str())
    }
}

impl FileStore {
    /// Keeps entries in a directory, which is made when it is needed.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// Keeps entries where programs of the user keep such things: `~/.local/share/jackfield/credentials` on Linux.
    ///
    /// # Errors
    /// The environment does not say where that is.
    pub fn of_user() -> Result<Self, StoreError> {
        let base = platform::data_directory().ok_or(StoreError::NoPlace)?;
        Ok(Self::new(base.join("jackfield").join("credentials")))
    }

    /// Returns the directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn path(&self, name: &str, ending: &str) -> PathBuf {
        self.directory.join(format!("{}.{ending}", random::digest(name)))
    }

    fn read(path: &Path) -> Result<Option<Entry>, StoreError> {
        let file = match platform::open_private(path) {
            Ok(file) => file,
            Err(StoreError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut text = String::new();
        let read = file.take(LARGEST).read_to_string(&mut text);
        read.map_err(|source| match source.kind() {
            io::ErrorKind::InvalidData => StoreError::DamagedFile(path.display().to_string()),
            _ => at(path, source),
        })?;
        serde_json::from_str(&text).map(Some).map_err(|_| StoreError::DamagedFile(path.display().to_string()))
    }

    /// Returns what is in the file of a name.
    pub(super) async fn entry(&self, name: &str) -> Result<Option<Entry>, StoreError> {
        let path = self.path(name, "json");
        let entry = match apart(move || Self::read(&path)).await {
            Err(StoreError::DamagedFile(_)) => return Err(StoreError::Damaged(name.to_owned())),
            entry => entry?,
        };
        Ok(entry.filter(|entry| entry.name == name))
    }

    /// Replaces the file of a name.
    pub(super) async fn put(&self, entry: Entry) -> Result<(), StoreError> {
        let store = self.clone();
        apart(move || store.write(&entry)).await
    }

    fn write(&self, entry: &Entry) -> Result<(), StoreError> {
        platform::make_directory(&self.directory).map_err(|source| at(&self.directory, source))?;
        let name = entry.name.as_str();
        let unreadable = || StoreError::Damaged(name.to_owned());
        let text = Secret::new(serde_json::to_string(entry).map_err(|_| unreadable())?);
        let suffix = random::token().map_err(|_| unreadable())?;
        let fresh = self.directory.join(format!("{suffix}.new"));
        let written = platform::create_private(&fresh).and_then(|mut file| {
            file.write_all(text.expose().as_bytes())?;
            file.sync_all()
        });
        let moved = written.and_then(|()| std::fs::rename(&fresh, self.path(name, "json")));
        if moved.is_err() {
            // What cannot be removed either is of no use to anybody else.
            let _ = std::fs::remove_file(&fresh);
        }
        moved.map_err(|source| at(&self.directory, source))
    }

    fn list(&self) -> Result<Vec<Result<String, StoreError>>, StoreError> {
        let files = match std::fs::read_dir(&self.directory) {
            Ok(files) => files,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(at(&self.directory, error)),
        };
        let paths = files.filter_map(Result::ok).map(|file| file.path());
        let entries = paths.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
        let (mut names, mut unreadable) = (Vec::new(), Vec::new());
        for path in entries {
            match Self::read(&path) {
                Ok(entry) => names.extend(entry.map(|entry| entry.name)),
                Err(error) => unreadable.push((path, error)),
            }
        }
        names.sort();
        unreadable.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(names.into_iter().map(Ok).chain(unreadable.into_iter().map(|(_, error)| Err(error))).collect())
    }

    fn open_lock(&self, name: &str) -> Result<File, StoreError> {
        platform::make_directory(&self.directory).map_err(|source| at(&self.directory, source))?;
        let path = self.path(name, "lock");
        platform::open_lock(&path).map_err(|source| at(&path, source))
    }
}

pub(super) fn at(path: &Path, source: io::Error) -> StoreError {
    StoreError::File { place: path.display().to_string(), source }
}

/// Disks can be slow, and a lock must not hold up the runtime.
async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(at(Path::new("."), io::Error::other(error))),
    }
}

impl CredentialStore for FileStore {
    fn load<'a>(&'a self, name: &'a str) -> Boxed<'a, Result<Option<Secret>, StoreError>> {
        Box::pin(async move {
            match self.entry(name).await? {
                Some(entry) if entry.sealed => Err(StoreError::Sealed(entry.name)),
                entry => Ok(entry.map(|entry| entry.value())),
            }
        })
    }

    fn save<'a>(&'a self, name: &'a str, value: &'a Secret) -> Boxed<'a, Result<(), StoreError>> {
        Box::pin(self.put(Entry::plain(name, value)))
    }

    fn remove<'a>(&'a self, name: &'a str) -> Boxed<'a, Result<(), StoreError>> {
        let path = self.path(name, "json");
        Box::pin(apart(move || match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(&path, error)),
            _ => Ok(()),
        }))
    }

    fn names(&self) -> Boxed<'_, Result<Vec<Result<String, StoreError>>, StoreError>> {
        let store = self.clone();
        Box::pin(apart(move || store.list()))
    }

    fn place(&self) -> Place {
        Place::new(self.directory.display().to_string())
    }

    fn lock<'a>(&'a self, name: &'a str) -> Boxed<'a, Result<StoreLock, StoreError>> {
        let (store, name) = (self.clone(), name.to_owned());
        Box::pin(async move {
            let path = store.path(&name, "lock");
            let file = apart(move || store.open_lock(&name)).await?;
            let deadline = tokio::time::Instant::now() + LONGEST_WAIT;
            loop {
                match file.try_lock() {
                    Ok(()) => return Ok(StoreLock::new(file)),
                    Err(TryLockError::WouldBlock) if tokio::time::Instant::now() < deadline => {}
                    Err(TryLockError::WouldBlock) => return Err(StoreError::Locked),
                    Err(TryLockError::Error(error)) => return Err(at(&path, error)),
                }
                tokio::time::sleep(POLL).await;
            }
        })
    }
}
