//! A database that is opened when the server starts and closed when it stops.

use std::sync::Mutex;

use jackfield::{Server, State, tool, tools};
use rusqlite::Connection;

struct Database(Mutex<Connection>);

impl Database {
    fn with<T>(&self, work: impl FnOnce(&Connection) -> T) -> T {
        work(&self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}

/// Save a note and return its number.
#[tool(blocking)]
fn save(text: String, database: State<Database>) -> Result<i64, rusqlite::Error> {
    database.with(|database| {
        database.execute("INSERT INTO notes (text) VALUES (?1)", [text])?;
        Ok(database.last_insert_rowid())
    })
}

/// Read the note with this number.
#[tool(read_only, blocking)]
fn load(number: i64, database: State<Database>) -> Result<String, rusqlite::Error> {
    database.with(|database| database.query_row("SELECT text FROM notes WHERE id = ?1", [number], |row| row.get(0)))
}

async fn open() -> Result<Database, rusqlite::Error> {
    let path = std::env::args_os().nth(1).unwrap_or_else(|| "notes.db".into());
    let database = Connection::open(path)?;
    database.execute("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)", [])?;
    Ok(Database(Mutex::new(database)))
}

async fn close(database: std::sync::Arc<Database>) {
    database.with(|database| eprintln!("closing the database after {} changes", database.total_changes()));
}

#[tokio::main]
async fn main() -> jackfield::Result {
    Server::new("notes").try_lifespan(open, close).tools(tools![save, load]).run().await
}
