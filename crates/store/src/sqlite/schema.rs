//! What the file looks like.

use rusqlite::Connection;

/// Times are milliseconds since 1970; a row whose `until` has passed is not there, even if nobody has deleted it yet.
const SCHEMA: &str = "
CREATE TABLE kv (
    key TEXT PRIMARY KEY, value BLOB NOT NULL, until INTEGER
) WITHOUT ROWID;
CREATE INDEX kv_until ON kv (until);

CREATE TABLE sessions (
    id TEXT PRIMARY KEY, owner TEXT, version INTEGER NOT NULL, until INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX sessions_owner ON sessions (owner);
CREATE INDEX sessions_until ON sessions (until);
CREATE TABLE session_fields (
    session TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE, name TEXT NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (session, name)
) WITHOUT ROWID;

CREATE TABLE streams (
    stream INTEGER PRIMARY KEY, session TEXT NOT NULL, number INTEGER NOT NULL,
    first INTEGER NOT NULL DEFAULT 1, newest INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0,
    finished INTEGER NOT NULL DEFAULT 0, until INTEGER NOT NULL,
    UNIQUE (session, number)
);
CREATE INDEX streams_until ON streams (until);
CREATE TABLE events (
    stream INTEGER NOT NULL REFERENCES streams ON DELETE CASCADE, sequence INTEGER NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (stream, sequence)
) WITHOUT ROWID;
CREATE TABLE event_keys (
    stream INTEGER NOT NULL REFERENCES streams ON DELETE CASCADE, key TEXT NOT NULL, sequence INTEGER NOT NULL,
    PRIMARY KEY (stream, key)
) WITHOUT ROWID;
CREATE INDEX event_keys_sequence ON event_keys (stream, sequence);

CREATE TABLE tasks (
    place INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, record BLOB NOT NULL,
    ended INTEGER NOT NULL DEFAULT 0, leased_until INTEGER, until INTEGER
);
CREATE INDEX tasks_owner ON tasks (owner, place);
CREATE INDEX tasks_until ON tasks (until);

CREATE TABLE notices (
    number INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL, topic TEXT NOT NULL, notice BLOB NOT NULL,
    at INTEGER NOT NULL
);
CREATE INDEX notices_at ON notices (at);
INSERT INTO sqlite_sequence (name, seq) VALUES ('notices', 0);
";

/// The version of the schema; a file of another one is refused rather than misread.
const VERSION: i64 = 1;

/// Prepares a connection, and the file if it is new.
pub(super) fn prepare(connection: &mut Connection) -> rusqlite::Result<Result<(), String>> {
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    connection.set_prepared_statement_cache_capacity(64);
    // What was written survives the end of the process, however it ends; the last moments may be lost when the machine itself fails.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    let begin = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let version: i64 = begin.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    match version {
        0 => {
            begin.execute_batch(SCHEMA)?;
            begin.pragma_update(None, "user_version", VERSION)?;
            begin.commit()?;
            Ok(Ok(()))
        }
        VERSION => Ok(Ok(())),
        other => Ok(Err(format!("the file has version {other} of the schema, this program knows {VERSION}"))),
    }
}
