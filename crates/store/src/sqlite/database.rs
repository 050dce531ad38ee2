//! The connection to the file, and the thread that owns it.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, params};

use super::schema;
use crate::bus::Hub;
use crate::task::watchers::{Watchers, read_notice};
use crate::{Clock, StoreError};

/// How often the file is looked at for notices of other processes, while someone here wants them.
const POLL: Duration = Duration::from_millis(25);
/// How often what has expired is deleted.
const SWEEP: Duration = Duration::from_secs(30);
/// How long notices are kept for processes that are slow to look.
const NOTICES_KEPT: i64 = 60_000;

/// What the thread is asked to do.
pub(super) type Job = Box<dyn FnOnce(&mut Database) + Send>;

/// Who in this process wants to hear what.
#[derive(Debug)]
pub(super) struct Ears {
    pub(super) bus: Arc<Hub>,
    pub(super) events: Arc<Hub>,
    pub(super) tasks: Watchers,
}

/// Kinds of notices.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Bus = 0,
    Events = 1,
    Task = 2,
}

/// The connection to the file. One thread owns it, so that nobody waits inside the runtime.
pub(super) struct Database {
    connection: Connection,
    clock: Clock,
    ears: Arc<Ears>,
    /// The newest notice that was handed out.
    heard: i64,
    /// What the file's change counter was then.
    data_version: i64,
}

impl Database {
    pub(super) fn open(path: &Path, clock: Clock, ears: Arc<Ears>) -> Result<Self, StoreError> {
        create_private(path).map_err(StoreError::unavailable)?;
        let mut connection = Connection::open(path).map_err(failure)?;
        schema::prepare(&mut connection).map_err(failure)?.map_err(StoreError::unavailable)?;
        let mut database = Self { connection, clock, ears, heard: 0, data_version: 0 };
        database.heard = database.newest_notice().map_err(failure)?;
        Ok(database)
    }

    /// Refuses to let the file grow beyond so many bytes.
    pub(super) fn limit(&mut self, bytes: u64) -> Result<(), StoreError> {
        let size: u64 = self.connection.query_row("PRAGMA page_size", [], |row| row.get(0)).map_err(failure)?;
        let pages = (bytes / size.max(1)).max(1);
        // The pragma answers with the limit that holds now.
        self.connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(())).map_err(failure)
    }

    /// Does what it is asked, until nobody is left who could ask.
    pub(super) fn serve(mut self, jobs: &Receiver<Job>) {
        let (mut swept, mut looked) = (Instant::now(), Instant::now());
        loop {
            let wait = if self.ears.is_idle() { SWEEP } else { POLL };
            match jobs.recv_timeout(wait) {
                Ok(job) => job(&mut self),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            // However much there is to do, what other processes tell is not left waiting.
            if looked.elapsed() >= POLL {
                looked = Instant::now();
                self.look();
            }
            if swept.elapsed() >= SWEEP {
                swept = Instant::now();
                // What cannot be deleted now is deleted later; nobody finds it in the meantime.
                let _ = self.sweep();
            }
        }
    }

    pub(super) fn now(&self) -> i64 {
        i64::try_from((self.clock)().as_millis()).unwrap_or(i64::MAX)
    }

    /// Reads.
    pub(super) fn read<T>(
        &mut self,
        work: impl FnOnce(&Connection, i64) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        work(&self.connection, self.now()).map_err(failure)
    }

    /// Reads several things as they are at one moment.
    pub(super) fn snapshot<T>(
        &mut self,
        work: impl FnOnce(&Connection, i64) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let now = self.now();
        let moment = self.connection.transaction().map_err(failure)?;
        let value = work(&moment, now).map_err(failure)?;
        moment.commit().map_err(failure)?;
        Ok(value)
    }

    /// Changes something, all or nothing, and hands out what was told with it.
    pub(super) fn write<T>(
        &mut self,
        work: impl FnOnce(&Connection, i64) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let now = self.now();
        let change = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failure)?;
        let value = work(&change, now).map_err(failure)?;
        change.commit().map_err(failure)?;
        if !self.ears.is_idle() {
            self.listen();
        }
        Ok(value)
    }

    /// Looks whether another process has told something.
    fn look(&mut self) {
        if self.ears.is_idle() {
            return;
        }
        let version = self.connection.query_row("PRAGMA data_version", [], |row| row.get(0));
        if version.as_ref().is_ok_and(|version| *version == self.data_version) {
            return;
        }
        self.data_version = version.unwrap_or_default();
        self.listen();
    }

    /// Hands out what was told since the last time.
    pub(super) fn listen(&mut self) {
        if self.hand_out().is_err() {
            self.missed();
        }
    }

    fn hand_out(&mut self) -> rusqlite::Result<()> {
        let newest = self.newest_notice()?;
        if newest == self.heard {
            return Ok(());
        }
        let ears = self.ears.clone();
        let mut expected = self.heard.saturating_add(1);
        let mut whole = true;
        {
            let mut select = self.connection.prepare_cached(
                "SELECT number, kind, topic, notice FROM notices WHERE number > ?1 AND number <= ?2 ORDER BY number",
            )?;
            let mut rows = select.query([self.heard, newest])?;
            while let Some(row) = rows.next()? {
                let number: i64 = row.get(0)?;
                whole &= number == expected;
                expected = number.saturating_add(1);
                let notice = Bytes::from(row.get::<_, Vec<u8>>(3)?);
                ears.tell(row.get(1)?, row.get_ref(2)?.as_str()?, &notice);
            }
        }
        self.heard = newest;
        if !whole || expected != newest.saturating_add(1) {
            self.missed();
        }
        Ok(())
    }

    /// Notices were deleted before they were seen here, so everyone has to look again.
    fn missed(&mut self) {
        self.ears.bus.tell_missed();
        self.ears.events.tell_missed();
        for id in self.ears.tasks.ids() {
            if let Ok(record) = self.task(&id) {
                match record {
                    Some(record) => self.ears.tasks.tell(&id, record.version, record.stage()),
                    None => self.ears.tasks.gone(&id),
                }
            }
        }
    }

    fn newest_notice(&self) -> rusqlite::Result<i64> {
        let mut select = self.connection.prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = 'notices'")?;
        Ok(select.query_row([], |row| row.get(0)).optional()?.unwrap_or_default())
    }

    fn sweep(&mut self) -> Result<(), StoreError> {
        self.write(|connection, now| {
            for table in ["kv", "sessions", "streams", "tasks"] {
                connection.execute(&format!("DELETE FROM {table} WHERE until <= ?1"), [now])?;
            }
            connection.execute("DELETE FROM notices WHERE at <= ?1", [now.saturating_sub(NOTICES_KEPT)])
        })?;
        Ok(())
    }
}

impl Ears {
    fn is_idle(&self) -> bool {
        self.bus.is_empty() && self.events.is_empty() && self.tasks.is_idle()
    }

    fn tell(&self, kind: i64, topic: &str, notice: &Bytes) {
        if kind == Kind::Bus as i64 {
            self.bus.tell(topic, notice);
        } else if kind == Kind::Events as i64 {
            self.events.tell(topic, notice);
        } else if let Some((version, stage)) = read_notice(notice) {
            self.tasks.tell(topic, version, stage);
        }
    }
}

/// Tells something together with a change.
pub(super) fn tell(connection: &Connection, kind: Kind, topic: &str, notice: &[u8], now: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO notices (kind, topic, notice, at) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![kind as i64, topic, notice, now])?;
    Ok(())
}

/// Makes the file, readable for its owner only: sessions and tokens are in it. SQLite makes its other files like this one.
fn create_private(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

/// What went wrong with the file, in the words of a store.
pub(super) fn failure(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full("data on its disk"),
        _ => StoreError::unavailable(error),
    }
}
