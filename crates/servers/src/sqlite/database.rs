//! Running one statement at a time on one database, within limits.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::fallible_iterator::FallibleIterator as _;
use rusqlite::limits::Limit;
use rusqlite::{Batch, Connection, ErrorCode, OpenFlags, Statement};

use super::rows::Rows;
use super::{guard, statement};

/// What one statement may cost.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// How long it may run.
    pub time: Duration,
    /// How many rows it may return; the rest is left out, and the answer says so.
    pub rows: usize,
    /// How many bytes of text it may return; the rest is left out, and the answer says so.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(60), rows: 100_000, bytes: 16 << 20 }
    }
}

/// A database in a file. Each call opens it anew, as the original does, so that a file that was replaced meanwhile is the one that is used.
#[derive(Clone, Debug)]
pub(super) struct Database {
    path: Arc<Path>,
    limits: Limits,
    is_read_only: bool,
}

/// Tells a running statement that nobody waits for it any more.
#[derive(Clone, Debug, Default)]
pub(super) struct Abandoned(Arc<AtomicBool>);

/// Marks a statement as abandoned when it is dropped.
#[derive(Debug)]
pub(super) struct AbandonOnDrop(pub(super) Abandoned);

impl Drop for AbandonOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest text or blob, in bytes; a statement may be as long.
const LONGEST: i32 = 64 << 20;
/// After how many steps of a statement the clock is read.
const STEPS: i32 = 10_000;

impl Database {
    /// Opens a database; makes it, and the directories above it, unless it is only to be read.
    pub(super) fn open(path: PathBuf, limits: Limits, is_read_only: bool) -> Result<Self, String> {
        if !is_read_only && let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            std::fs::create_dir_all(parent).map_err(|error| error.to_string())?;
        }
        let database = Self { path: path.into(), limits, is_read_only };
        let connection = if is_read_only { database.connect_to_read() } else { database.connect_to_write() };
        connection.map_err(|error| message(&error))?;
        Ok(database)
    }

    /// Returns the rows of a statement that only reads.
    pub(super) fn read(&self, query: &str, abandoned: &Abandoned) -> Result<Rows, String> {
        let mut connection = self.connect_to_read().map_err(|error| message(&error))?;
        self.guard(&mut connection, abandoned)?;
        connection.authorizer(Some(guard::reading)).map_err(|error| message(&error))?;
        run(&connection, query, self.limits)
    }

    /// Returns the names of the tables, in the order of their creation.
    pub(super) fn tables(&self, abandoned: &Abandoned) -> Result<Rows, String> {
        self.read("SELECT name FROM sqlite_master WHERE type='table'", abandoned)
    }

    /// Returns the columns of a table; none if there is no such table.
    pub(super) fn columns(&self, table: &str, abandoned: &Abandoned) -> Result<Rows, String> {
        let mut connection = self.connect_to_read().map_err(|error| message(&error))?;
        self.guard(&mut connection, abandoned)?;
        connection.authorizer(Some(guard::reading)).map_err(|error| message(&error))?;
        let query = r#"SELECT cid, name, type, "notnull", dflt_value, pk FROM pragma_table_info(?1)"#;
        let mut prepared = connection.prepare(query).map_err(|error| message(&error))?;
        prepared.raw_bind_parameter(1, statement::unquoted(table)).map_err(|error| message(&error))?;
        collect(&mut prepared, self.limits)
    }

    /// Runs a statement that may write. What the original commits is committed, and what it does not is not.
    pub(super) fn write(&self, query: &str, abandoned: &Abandoned) -> Result<Rows, String> {
        let beginning = statement::beginning(query);
        let is_one_of = |words: &[&str]| words.iter().any(|word| beginning.starts_with(word));
        let changes_rows = is_one_of(&["INSERT", "UPDATE", "DELETE"]);
        let is_saved = changes_rows || is_one_of(&["CREATE", "DROP", "ALTER"]);
        let mut connection = self.connect_to_write().map_err(|error| message(&error))?;
        self.guard(&mut connection, abandoned)?;
        let in_transaction = statement::opens_transaction(query);
        if in_transaction {
            connection.execute_batch("BEGIN").map_err(|error| message(&error))?;
        }
        connection.authorizer(Some(guard::writing)).map_err(|error| message(&error))?;
        let rows = run(&connection, query, self.limits)?;
        if !is_saved {
            // The transaction, if there is one, ends with the connection, and nothing is saved.
            return Ok(rows);
        }
        let affected = connection.changes();
        if in_transaction {
            connection.execute_batch("COMMIT").map_err(|error| message(&error))?;
        }
        Ok(Rows::affected(if changes_rows { i64::try_from(affected).unwrap_or(i64::MAX) } else { -1 }))
    }

    /// Opens a connection that cannot write.
    fn connect_to_read(&self) -> rusqlite::Result<Connection> {
        let connection = self.connect(OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let is_readable =
            |connection: &Connection| connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()));
        match is_readable(&connection) {
            // A writer died in the middle, and only another writer can undo what it began.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) && !self.is_read_only => {
                is_readable(&self.connect_to_write()?)?;
                self.connect(OpenFlags::SQLITE_OPEN_READ_ONLY)
            }
            Err(error) => Err(error),
            Ok(()) => Ok(connection),
        }
    }

    fn connect_to_write(&self) -> rusqlite::Result<Connection> {
        self.connect(OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
    }

    fn connect(&self, flags: OpenFlags) -> rusqlite::Result<Connection> {
        // Without the flag for URIs, a path is nothing but a path.
        let connection = Connection::open_with_flags(&self.path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(PATIENCE)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        // As everywhere but in the SQLite that is compiled in here.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, false)?;
        if flags.contains(OpenFlags::SQLITE_OPEN_READ_ONLY) {
            connection.pragma_update(None, "query_only", true)?;
        }
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST)?;
        connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, LONGEST)?;
        connection.set_limit(Limit::SQLITE_LIMIT_WORKER_THREADS, 0)?;
        Ok(connection)
    }

    /// Ends statements that run for too long, or that nobody waits for.
    fn guard(&self, connection: &mut Connection, abandoned: &Abandoned) -> Result<(), String> {
        let (deadline, abandoned) = (Instant::now() + self.limits.time, abandoned.clone());
        let is_over = move || abandoned.0.load(Ordering::Relaxed) || Instant::now() > deadline;
        connection.progress_handler(STEPS, Some(is_over)).map_err(|error| message(&error))
    }
}

/// Runs one statement to its end, or to a limit.
fn run(connection: &Connection, query: &str, limits: Limits) -> Result<Rows, String> {
    if query.contains('\0') {
        return Err("the query contains a null character".to_owned());
    }
    let mut batch = Batch::new(connection, query);
    let Some(mut prepared) = batch.next().map_err(|error| message(&error))? else { return Ok(Rows::none()) };
    let parameters = prepared.parameter_count();
    if parameters > 0 {
        return Err(format!(
            "Incorrect number of bindings supplied. The current statement uses {parameters}, and there are 0 supplied."
        ));
    }
    // Without parameters this is the statement as it was given, and what stands after it is left over.
    let own = prepared.expanded_sql().unwrap_or_default();
    let rest = query.split_once(own.as_str()).map_or("", |(_, rest)| rest);
    if !statement::is_blank(rest) {
        return Err("You can only execute one statement at a time.".to_owned());
    }
    collect(&mut prepared, limits)
}

fn collect(prepared: &mut Statement<'_>, limits: Limits) -> Result<Rows, String> {
    let mut rows = Rows::of(prepared);
    let only_reads = prepared.readonly();
    let mut found = prepared.raw_query();
    loop {
        let row = match found.next() {
            Ok(Some(row)) => row,
            Ok(None) => return Ok(rows),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
                return Err(format!("the statement was stopped after {} s; narrow it", limits.time.as_secs()));
            }
            Err(error) => return Err(message(&error)),
        };
        if rows.truncated.is_none() && (rows.count() >= limits.rows || rows.size() >= limits.bytes) {
            rows.truncated = Some(format!(
                "Only the first {} rows are shown: an answer has at most {} rows and {} bytes. Use LIMIT and OFFSET for the others.",
                rows.count(),
                limits.rows,
                limits.bytes
            ));
            // What a statement writes besides must be complete; one that only reads can end here.
            if only_reads {
                return Ok(rows);
            }
        }
        if rows.truncated.is_none() {
            rows.add(row)?;
        }
    }
}

/// Returns what SQLite itself says.
fn message(error: &rusqlite::Error) -> String {
    // Where SQLite itself refuses to load extensions, it names no function.
    let without_function = |message: &str| match message.starts_with("not authorized to use function") {
        true => "not authorized".to_owned(),
        false => message.to_owned(),
    };
    match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => without_function(message),
        rusqlite::Error::SqlInputError { msg, .. } => without_function(msg),
        rusqlite::Error::SqliteFailure(failure, None) => failure.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
