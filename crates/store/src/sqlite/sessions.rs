//! Sessions in the file.

use std::time::Duration;

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, params};

use super::Sqlite;
use super::kv::after;
use crate::{Boxed, NewSession, SessionRecord, SessionStore, StoreError};

fn create(change: &Connection, session: &NewSession, now: i64) -> rusqlite::Result<Result<(), StoreError>> {
    change.execute("DELETE FROM sessions WHERE id = ?1 AND until <= ?2", params![session.id, now])?;
    if version(change, &session.id, now)?.is_some() {
        return Ok(Err(StoreError::Exists));
    }
    if let Some(owner) = &session.owner
        && count(change, owner, now)? >= session.owner_limit
    {
        return Ok(Err(StoreError::TooMany { what: "sessions", limit: session.owner_limit }));
    }
    change
        .prepare_cached("INSERT INTO sessions (id, owner, version, until) VALUES (?1, ?2, 1, ?3)")?
        .execute(params![session.id, session.owner, after(now, session.idle)])?;
    for (name, value) in &session.fields {
        set(change, &session.id, name, Some(value))?;
    }
    Ok(Ok(()))
}

fn set(change: &Connection, id: &str, name: &str, value: Option<&Bytes>) -> rusqlite::Result<()> {
    match value {
        Some(value) => change
            .prepare_cached("INSERT OR REPLACE INTO session_fields (session, name, value) VALUES (?1, ?2, ?3)")?
            .execute(params![id, name, &value[..]])?,
        None => change
            .prepare_cached("DELETE FROM session_fields WHERE session = ?1 AND name = ?2")?
            .execute(params![id, name])?,
    };
    Ok(())
}

fn version(file: &Connection, id: &str, now: i64) -> rusqlite::Result<Option<u64>> {
    file.prepare_cached("SELECT version FROM sessions WHERE id = ?1 AND until > ?2")?
        .query_row(params![id, now], |row| row.get(0))
        .optional()
}

fn count(file: &Connection, owner: &str, now: i64) -> rusqlite::Result<usize> {
    file.prepare_cached("SELECT count(*) FROM sessions WHERE owner = ?1 AND until > ?2")?
        .query_row(params![owner, now], |row| row.get(0))
}

fn load(file: &Connection, id: &str, now: i64) -> rusqlite::Result<Option<SessionRecord>> {
    let found = file
        .prepare_cached("SELECT owner, version FROM sessions WHERE id = ?1 AND until > ?2")?
        .query_row(params![id, now], |row| Ok(SessionRecord::new(row.get(0)?, Default::default(), row.get(1)?)))
        .optional()?;
    let Some(mut record) = found else { return Ok(None) };
    let mut fields = file.prepare_cached("SELECT name, value FROM session_fields WHERE session = ?1")?;
    let fields = fields.query_map([id], |row| Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?.into())))?;
    record.fields = fields.collect::<rusqlite::Result<_>>()?;
    Ok(Some(record))
}

impl SessionStore for Sqlite {
    fn create(&self, session: NewSession) -> Boxed<'_, Result<(), StoreError>> {
        self.run(move |database| database.write(|change, now| create(change, &session, now))?)
    }

    fn load<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<Option<SessionRecord>, StoreError>> {
        let id = id.to_owned();
        self.run(move |database| database.snapshot(|file, now| load(file, &id, now)))
    }

    fn touch<'a>(&'a self, id: &'a str, idle: Duration) -> Boxed<'a, Result<Option<u64>, StoreError>> {
        let id = id.to_owned();
        self.run(move |database| {
            database.write(|change, now| {
                change
                    .prepare_cached("UPDATE sessions SET until = ?3 WHERE id = ?1 AND until > ?2 RETURNING version")?
                    .query_row(params![id, now, after(now, idle)], |row| row.get(0))
                    .optional()
            })
        })
    }

    fn change<'a>(
        &'a self,
        id: &'a str,
        fields: Vec<(String, Option<Bytes>)>,
    ) -> Boxed<'a, Result<Option<u64>, StoreError>> {
        let id = id.to_owned();
        self.run(move |database| {
            database.write(|change, now| {
                let version = change
                    .prepare_cached(
                        "UPDATE sessions SET version = version + 1 WHERE id = ?1 AND until > ?2 RETURNING version",
                    )?
                    .query_row(params![id, now], |row| row.get(0))
                    .optional()?;
                if version.is_some() {
                    for (name, value) in &fields {
                        set(change, &id, name, value.as_ref())?;
                    }
                }
                Ok(version)
            })
        })
    }

    fn remove<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<bool, StoreError>> {
        let id = id.to_owned();
        self.run(move |database| {
            database.write(|change, now| {
                let was_there = version(change, &id, now)?.is_some();
                change.prepare_cached("DELETE FROM sessions WHERE id = ?1")?.execute([&id])?;
                Ok(was_there)
            })
        })
    }

    fn count<'a>(&'a self, owner: &'a str) -> Boxed<'a, Result<usize, StoreError>> {
        let owner = owner.to_owned();
        self.run(move |database| database.read(|file, now| count(file, &owner, now)))
    }
}
