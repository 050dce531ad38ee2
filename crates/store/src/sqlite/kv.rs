//! Values in the file.

use std::time::Duration;

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, params};

use super::Sqlite;
use crate::{Boxed, KvStore, StoreError};

/// The moment after a while, as the file keeps it.
pub(super) fn after(now: i64, time: Duration) -> i64 {
    now.saturating_add(i64::try_from(time.as_millis()).unwrap_or(i64::MAX))
}

fn get(connection: &Connection, key: &str, now: i64) -> rusqlite::Result<Option<Vec<u8>>> {
    connection
        .prepare_cached("SELECT value FROM kv WHERE key = ?1 AND (until IS NULL OR until > ?2)")?
        .query_row(params![key, now], |row| row.get(0))
        .optional()
}

fn set(connection: &Connection, key: &str, value: &[u8], until: Option<i64>) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO kv (key, value, until) VALUES (?1, ?2, ?3)")?
        .execute(params![key, value, until])?;
    Ok(())
}

fn delete(connection: &Connection, key: &str) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM kv WHERE key = ?1")?.execute([key])?;
    Ok(())
}

impl Sqlite {
    /// Sets a value if the one before is as it should be.
    fn set_if<'a>(
        &'a self,
        key: &str,
        value: Bytes,
        keep: Option<Duration>,
        fits: impl FnOnce(Option<&[u8]>) -> bool + Send + 'static,
    ) -> Boxed<'a, Result<bool, StoreError>> {
        let key = key.to_owned();
        self.run(move |database| {
            database.write(|change, now| {
                let fits = fits(get(change, &key, now)?.as_deref());
                if fits {
                    set(change, &key, &value, keep.map(|keep| after(now, keep)))?;
                }
                Ok(fits)
            })
        })
    }

    fn take_out<'a>(&'a self, key: &str) -> Boxed<'a, Result<Option<Vec<u8>>, StoreError>> {
        let key = key.to_owned();
        self.run(move |database| {
            database.write(|change, now| {
                let found = get(change, &key, now)?;
                delete(change, &key)?;
                Ok(found)
            })
        })
    }
}

impl KvStore for Sqlite {
    fn get<'a>(&'a self, key: &'a str) -> Boxed<'a, Result<Option<Bytes>, StoreError>> {
        let key = key.to_owned();
        self.run(move |database| database.read(|file, now| Ok(get(file, &key, now)?.map(Bytes::from))))
    }

    fn put<'a>(&'a self, key: &'a str, value: Bytes, keep: Option<Duration>) -> Boxed<'a, Result<(), StoreError>> {
        Box::pin(async move { self.set_if(key, value, keep, |_| true).await.map(drop) })
    }

    fn add<'a>(&'a self, key: &'a str, value: Bytes, keep: Option<Duration>) -> Boxed<'a, Result<bool, StoreError>> {
        self.set_if(key, value, keep, |before| before.is_none())
    }

    fn take<'a>(&'a self, key: &'a str) -> Boxed<'a, Result<Option<Bytes>, StoreError>> {
        Box::pin(async move { Ok(self.take_out(key).await?.map(Bytes::from)) })
    }

    fn replace<'a>(
        &'a self,
        key: &'a str,
        before: &'a [u8],
        after: Bytes,
        keep: Option<Duration>,
    ) -> Boxed<'a, Result<bool, StoreError>> {
        let before = before.to_vec();
        self.set_if(key, after, keep, move |found| found.is_some_and(|found| found == before))
    }

    fn remove<'a>(&'a self, key: &'a str) -> Boxed<'a, Result<bool, StoreError>> {
        Box::pin(async move { Ok(self.take_out(key).await?.is_some()) })
    }
}
