//! Shows the schema of a SQLite file as a resource, and answers queries that only read.
//!
//! `cargo run --package jackfield-examples --example sqlite_explorer -- database.db`

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use jackfield::{Server, server};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

/// How many rows a query may return.
const MOST_ROWS: usize = 1000;

struct Explorer {
    path: PathBuf,
}

impl Explorer {
    /// Opens the file so that nothing can be written, whatever the query says.
    fn open(&self) -> anyhow::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let database = Connection::open_with_flags(&self.path, flags).context("the database cannot be opened")?;
        database.busy_timeout(Duration::from_secs(5))?;
        Ok(database)
    }
}

/// Explore a SQLite database: read `schema://main` first, then query.
#[server]
impl Explorer {
    /// The statements that made the tables of the database.
    #[resource("schema://main", mime_type = "text/plain", blocking)]
    fn schema(&self) -> anyhow::Result<String> {
        let database = self.open()?;
        let mut statement = database.prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")?;
        let lines = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
        Ok(lines.join("\n"))
    }

    /// Run one SELECT statement and return its rows, one per line, columns separated by ` | `.
    #[tool(read_only, blocking)]
    fn query_data(
        &self,
        /** The statement. */
        sql: String,
    ) -> anyhow::Result<String> {
        let database = self.open()?;
        let mut statement = database.prepare(&sql).context("the statement cannot be understood")?;
        if !statement.readonly() {
            bail!("only statements that read are allowed");
        }
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        let mut lines = Vec::new();
        while let Some(row) = rows.next()? {
            if lines.len() == MOST_ROWS {
                lines.push(format!("(more than {MOST_ROWS} rows: add a LIMIT)"));
                break;
            }
            let cells: Vec<_> = (0..columns).map(|column| row.get_ref(column).map(show)).collect::<Result<_, _>>()?;
            lines.push(cells.join(" | "));
        }
        Ok(lines.join("\n"))
    }
}

fn show(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Blob(bytes) => format!("({} bytes)", bytes.len()),
    }
}

#[tokio::main]
async fn main() -> jackfield::Result {
    let path = std::env::args_os().nth(1).unwrap_or_else(|| "database.db".into()).into();
    Server::of(Explorer { path }).run().await
}
