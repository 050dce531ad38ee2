//! The stores of a file, as their users hold them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use tokio::sync::{Semaphore, oneshot};

use super::database::{Database, Ears, Job};
use crate::bus::Hub;
use crate::{Boxed, Clock, StoreError, Stores, Timestamp};

/// How many requests wait for the file.
const QUEUE: usize = 1024;
/// How long a request waits for the file, with all that wait before it.
const DEADLINE: Duration = Duration::from_secs(10);

/// All stores in one SQLite file. Clones of it are the same stores.
///
/// What was kept survives the process, however it ends. Several processes of one machine may open the same file; a notice of one
/// reaches the others within about 25 ms. The file is as large as the disk lets it be, unless it was given a limit.
#[derive(Clone)]
pub struct Sqlite(Arc<Inner>);

struct Inner {
    path: PathBuf,
    jobs: SyncSender<Job>,
    room: Arc<Semaphore>,
    ears: Arc<Ears>,
}

impl Sqlite {
    /// Opens a file, and makes it if it is not there.
    ///
    /// # Errors
    /// It cannot be opened, or is something else.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with_clock(path, Arc::new(Timestamp::now))
    }

    /// Opens a file, and tells the time in another way.
    ///
    /// # Errors
    /// It cannot be opened, or is something else.
    pub fn open_with_clock(path: impl AsRef<Path>, clock: Clock) -> Result<Self, StoreError> {
        let path = path.as_ref().to_owned();
        let ears = Arc::new(Ears { bus: Hub::new(), events: Hub::new(), tasks: Default::default() });
        let database = Database::open(&path, clock, ears.clone())?;
        let (jobs, queue) = sync_channel::<Job>(QUEUE);
        // The thread ends when the last of those is gone who could ask it for something.
        std::thread::Builder::new()
            .name("jackfield-sqlite".to_owned())
            .spawn(move || database.serve(&queue))
            .map_err(StoreError::unavailable)?;
        Ok(Self(Arc::new(Inner { path, jobs, room: Arc::new(Semaphore::new(QUEUE)), ears })))
    }

    /// Refuses to let the file grow beyond so many bytes; what would not fit is answered with [`StoreError::Full`].
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn limit(&self, bytes: u64) -> Boxed<'_, Result<(), StoreError>> {
        self.run(move |database| database.limit(bytes))
    }

    /// Returns all stores of the file.
    #[must_use]
    pub fn stores(&self) -> Stores {
        let own = Arc::new(self.clone());
        Stores::shared(own.clone(), own.clone(), own.clone(), own.clone(), own)
    }

    pub(super) fn ears(&self) -> &Arc<Ears> {
        &self.0.ears
    }

    /// Has the thread do something, in turn.
    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Database) -> Result<T, StoreError> + Send + 'static,
    ) -> Boxed<'_, Result<T, StoreError>> {
        let closed = || StoreError::unavailable("the thread of the file has ended");
        Box::pin(async move {
            let asked = async {
                let permit = self.0.room.clone().acquire_owned().await.map_err(|_| closed())?;
                let (reply, answer) = oneshot::channel();
                let job: Job = Box::new(move |database| {
                    let _permit = permit;
                    // Whoever asked may have gone.
                    let _ = reply.send(work(database));
                });
                self.0.jobs.try_send(job).map_err(|_| closed())?;
                answer.await.map_err(|_| closed())?
            };
            let late = |_| Err(StoreError::unavailable("the file was busy for too long"));
            tokio::time::timeout(DEADLINE, asked).await.unwrap_or_else(late)
        })
    }
}

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sqlite").field("path", &self.0.path).finish_non_exhaustive()
    }
}
