//! Event logs in the file.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::Sqlite;
use super::database::{Kind, tell};
use super::kv::after;
use crate::event::REMEMBERED;
use crate::{
    Appended, Boxed, EventChunk, EventLimits, EventStore, EventWatch, NewEvents, StoreError, StoredEvent, StreamName,
};

/// A stream as the file knows it.
struct Stream {
    row: i64,
    first: i64,
    newest: i64,
    bytes: i64,
    finished: bool,
}

impl Stream {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        let (id, first, newest, bytes, finished) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
        Ok(Self { row: id, first, newest, bytes, finished })
    }

    fn find(file: &Connection, session: &str, number: u64, now: i64) -> rusqlite::Result<Option<Self>> {
        file.prepare_cached(
            "SELECT stream, first, newest, bytes, finished FROM streams
             WHERE session = ?1 AND number = ?2 AND until > ?3",
        )?
        .query_row(params![session, number.cast_signed(), now], Self::of)
        .optional()
    }

    /// Finds a stream or begins it, and keeps it as long as asked for.
    fn begin(change: &Connection, session: &str, number: u64, now: i64, until: i64) -> rusqlite::Result<Self> {
        let number = number.cast_signed();
        change
            .prepare_cached("DELETE FROM streams WHERE session = ?1 AND number = ?2 AND until <= ?3")?
            .execute(params![session, number, now])?;
        change
            .prepare_cached(
                "INSERT INTO streams (session, number, until) VALUES (?1, ?2, ?3)
                 ON CONFLICT (session, number) DO UPDATE SET until = max(until, excluded.until)
                 RETURNING stream, first, newest, bytes, finished",
            )?
            .query_row(params![session, number, until], Self::of)
    }

    /// Adds an event unless it is known. Returns its place.
    fn push(&mut self, change: &Connection, data: &[u8], once: Option<&str>) -> rusqlite::Result<i64> {
        if let Some(once) = once {
            let known = change
                .prepare_cached("SELECT sequence FROM event_keys WHERE stream = ?1 AND key = ?2")?
                .query_row(params![self.row, once], |row| row.get(0))
                .optional()?;
            if let Some(known) = known {
                return Ok(known);
            }
        }
        self.newest = self.newest.saturating_add(1);
        self.bytes = self.bytes.saturating_add(length(data.len()));
        change.prepare_cached("INSERT INTO events (stream, sequence, data) VALUES (?1, ?2, ?3)")?.execute(params![
            self.row,
            self.newest,
            data
        ])?;
        if let Some(once) = once {
            self.remember(change, once)?;
        }
        Ok(self.newest)
    }

    fn remember(&self, change: &Connection, once: &str) -> rusqlite::Result<()> {
        change
            .prepare_cached("INSERT INTO event_keys (stream, key, sequence) VALUES (?1, ?2, ?3)")?
            .execute(params![self.row, once, self.newest])?;
        change
            .prepare_cached(
                "DELETE FROM event_keys WHERE stream = ?1 AND sequence <= (
                     SELECT sequence FROM event_keys WHERE stream = ?1 ORDER BY sequence DESC LIMIT 1 OFFSET ?2)",
            )?
            .execute(params![self.row, length(REMEMBERED)])?;
        Ok(())
    }

    /// Lets the oldest events make room. The newest stays whatever its size: it may be the answer.
    fn trim(&mut self, change: &Connection, limits: EventLimits) -> rusqlite::Result<()> {
        let (events, bytes) = (length(limits.events), length(limits.bytes));
        while self.first < self.newest && (self.newest.saturating_sub(self.first) >= events || self.bytes > bytes) {
            let freed: i64 = change
                .prepare_cached("DELETE FROM events WHERE stream = ?1 AND sequence = ?2 RETURNING length(data)")?
                .query_row(params![self.row, self.first], |row| row.get(0))?;
            self.bytes = self.bytes.saturating_sub(freed);
            self.first = self.first.saturating_add(1);
        }
        Ok(())
    }

    fn save(&self, change: &Connection) -> rusqlite::Result<()> {
        change
            .prepare_cached("UPDATE streams SET first = ?2, newest = ?3, bytes = ?4, finished = ?5 WHERE stream = ?1")?
            .execute(params![self.row, self.first, self.newest, self.bytes, self.finished])?;
        Ok(())
    }

    fn read(&self, file: &Connection, place: u64, limit: usize) -> rusqlite::Result<EventChunk> {
        let place = i64::try_from(place).unwrap_or(i64::MAX);
        let mut select = file.prepare_cached(
            "SELECT sequence, data FROM events WHERE stream = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3",
        )?;
        let rows = select.query_map(params![self.row, place, length(limit.max(1))], |row| {
            Ok(StoredEvent { sequence: row.get(0)?, data: row.get::<_, Vec<u8>>(1)?.into() })
        })?;
        let events = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        let newest = u64::try_from(self.newest).unwrap_or_default();
        let is_all = place >= self.newest || events.last().is_some_and(|last| last.sequence >= newest);
        Ok(EventChunk::new(events, self.finished && is_all, place < self.first.saturating_sub(1)))
    }
}

fn length(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

fn append(change: &Connection, name: StreamName<'_>, new: &NewEvents, now: i64) -> rusqlite::Result<Appended> {
    let mut stream = Stream::begin(change, name.session, name.number, now, after(now, new.limits.keep))?;
    if stream.finished {
        return Ok(Appended::Finished);
    }
    let mut places = Vec::with_capacity(new.events.len());
    for event in &new.events {
        let place = stream.push(change, &event.data, event.once.as_deref())?;
        places.push(u64::try_from(place).unwrap_or_default());
    }
    stream.finished = new.finish;
    stream.trim(change, new.limits)?;
    stream.save(change)?;
    tell(change, Kind::Events, &name.topic(), b"", now)?;
    Ok(Appended::At(places))
}

fn remove(change: &Connection, session: &str, number: Option<u64>, now: i64) -> rusqlite::Result<()> {
    let number = number.map(u64::cast_signed);
    let mut delete = change
        .prepare_cached("DELETE FROM streams WHERE session = ?1 AND (?2 IS NULL OR number = ?2) RETURNING number")?;
    let numbers = delete.query_map(params![session, number], |row| row.get::<_, i64>(0))?;
    for number in numbers.collect::<rusqlite::Result<Vec<_>>>()? {
        tell(change, Kind::Events, &StreamName::new(session, number.cast_unsigned()).topic(), b"", now)?;
    }
    Ok(())
}

impl EventStore for Sqlite {
    fn open<'a>(&'a self, stream: StreamName<'a>, keep: Duration) -> Boxed<'a, Result<(), StoreError>> {
        let (session, number) = (stream.session.to_owned(), stream.number);
        self.run(move |database| {
            database.write(|change, now| Stream::begin(change, &session, number, now, after(now, keep)).map(drop))
        })
    }

    fn append<'a>(&'a self, stream: StreamName<'a>, events: NewEvents) -> Boxed<'a, Result<Appended, StoreError>> {
        let (session, number) = (stream.session.to_owned(), stream.number);
        self.run(move |database| {
            database.write(|change, now| append(change, StreamName::new(&session, number), &events, now))
        })
    }

    fn read<'a>(
        &'a self,
        stream: StreamName<'a>,
        after: u64,
        limit: usize,
    ) -> Boxed<'a, Result<Option<EventChunk>, StoreError>> {
        let (session, number) = (stream.session.to_owned(), stream.number);
        self.run(move |database| {
            database.snapshot(|file, now| {
                let found = Stream::find(file, &session, number, now)?;
                found.map(|stream| stream.read(file, after, limit)).transpose()
            })
        })
    }

    fn watch<'a>(&'a self, stream: StreamName<'a>) -> Boxed<'a, Result<EventWatch, StoreError>> {
        let (topic, events) = (stream.topic(), self.ears().events.clone());
        self.run(move |database| {
            database.listen();
            Ok(EventWatch::new(events.join(&[&topic])))
        })
    }

    fn keep<'a>(&'a self, session: &'a str, time: Duration) -> Boxed<'a, Result<(), StoreError>> {
        let session = session.to_owned();
        self.run(move |database| {
            database.write(|change, now| {
                change
                    .prepare_cached(
                        "UPDATE streams SET until = max(until, ?3)
                         WHERE session = ?1 AND until > ?2 AND NOT finished",
                    )?
                    .execute(params![session, now, after(now, time)])
                    .map(drop)
            })
        })
    }

    fn remove<'a>(&'a self, stream: StreamName<'a>) -> Boxed<'a, Result<(), StoreError>> {
        let (session, number) = (stream.session.to_owned(), stream.number);
        self.run(move |database| database.write(|change, now| remove(change, &session, Some(number), now)))
    }

    fn remove_session<'a>(&'a self, session: &'a str) -> Boxed<'a, Result<(), StoreError>> {
        let session = session.to_owned();
        self.run(move |database| database.write(|change, now| remove(change, &session, None, now)))
    }
}
