//! What statements may do, and what they may cost.

use super::*;

/// A database in a directory of its own, removed at the end.
struct Sandbox {
    directory: PathBuf,
    database: Database,
}

impl Sandbox {
    fn new(name: &str, limits: Limits) -> Self {
        let directory = std::env::temp_dir().join(format!("jackfield-sqlite-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&directory);
        let database = Database::open(directory.join("sub").join("test.db"), limits, false).unwrap();
        let sandbox = Self { directory, database };
        sandbox.write("CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT)").unwrap();
        sandbox.write("INSERT INTO users VALUES (1, 'Ada'), (2, 'Bob')").unwrap();
        sandbox
    }

    fn read(&self, query: &str) -> Result<String, String> {
        self.database.read(query, &Abandoned::default()).map(|rows| rows.finish().0)
    }

    fn write(&self, query: &str) -> Result<String, String> {
        self.database.write(query, &Abandoned::default()).map(|rows| rows.finish().0)
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.directory.join("sub")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    fn file(&self, name: &str) -> String {
        self.directory.join("sub").join(name).display().to_string()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn endless() -> &'static str {
    "SELECT count(*) FROM (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c)"
}

/// Foreign keys count only where a program asks for it, as in other builds of SQLite.
#[test]
fn foreign_keys_do_not_count() {
    let sandbox = Sandbox::new("keys", Limits::default());
    sandbox.write("CREATE TABLE orders (user_id INTEGER REFERENCES users(id))").unwrap();
    sandbox.write("INSERT INTO orders VALUES (1)").unwrap();
    assert_eq!(sandbox.write("DELETE FROM users WHERE id = 1").unwrap(), "[{'affected_rows': 1}]");
}

#[test]
fn what_reads_cannot_write_load_or_set_anything() {
    let sandbox = Sandbox::new("reads", Limits::default());
    for query in [
        "SELECT load_extension('x')",
        "SELECT fts3_tokenizer('simple', x'00')",
        "SELECT * FROM pragma_user_version(7)",
        "DELETE FROM users",
        "PRAGMA user_version = 7",
        "PRAGMA query_only = OFF",
        "ATTACH 'other.db' AS other",
    ] {
        assert!(sandbox.read(query).is_err(), "{query}");
    }
    assert_eq!(
        sandbox.read("SELECT 1; DROP TABLE users").unwrap_err(),
        "You can only execute one statement at a time."
    );
    assert_eq!(sandbox.read("SELECT 1;;").unwrap_err(), "You can only execute one statement at a time.");
    assert_eq!(sandbox.read("SELECT 1; -- done").unwrap(), "[{'1': 1}]");
    assert_eq!(
        sandbox.read("SELECT name FROM pragma_table_info('users')").unwrap(),
        "[{'name': 'id'}, {'name': 'name'}]"
    );
    assert_eq!(sandbox.read("SELECT count(*) AS n FROM users").unwrap(), "[{'n': 2}]");
}

#[test]
fn no_statement_reaches_other_files() {
    let sandbox = Sandbox::new("files", Limits::default());
    for query in [
        format!("ATTACH '{}' AS other", sandbox.file("attached.db")),
        format!("ATTACH DATABASE 'file:{}?mode=rwc' AS other", sandbox.file("uri.db")),
        format!("VACUUM INTO '{}'", sandbox.file("copy.db")),
        format!("PRAGMA temp_store_directory = '{}'", sandbox.file("")),
        "PRAGMA writable_schema = ON".to_owned(),
        "INSERT INTO users SELECT 9, load_extension('x')".to_owned(),
    ] {
        let refusal = sandbox.write(&query).unwrap_err();
        // The second is what SQLite says of a statement that VACUUM runs by itself.
        let is_refused = refusal.contains("not authorized") || refusal == "authorization denied";
        assert!(is_refused, "{query}: {refusal}");
    }
    assert_eq!(sandbox.write("VACUUM"), Ok("[]".to_owned()));
    assert_eq!(sandbox.names(), ["test.db"]);
}

#[test]
fn the_name_of_a_table_is_data() {
    let sandbox = Sandbox::new("names", Limits::default());
    sandbox.write("CREATE TABLE \"odd name\" (\"a b\" TEXT)").unwrap();
    let columns = |table: &str| sandbox.database.columns(table, &Abandoned::default()).unwrap().finish().0;
    for injection in ["users); DROP TABLE users; --", "users') UNION SELECT 1,2,3,4,5,6 --", "", "nope"] {
        assert_eq!(columns(injection), "[]", "{injection}");
    }
    for name in ["odd name", "\"odd name\"", "[odd name]", "`odd name`"] {
        assert!(columns(name).contains("'name': 'a b'"), "{name}");
    }
    assert!(
        columns("users")
            .starts_with("[{'cid': 0, 'name': 'id', 'type': 'INTEGER', 'notnull': 0, 'dflt_value': None, 'pk': 1}")
    );
}

#[test]
fn what_the_original_does_not_commit_is_not_saved() {
    let sandbox = Sandbox::new("commits", Limits::default());
    assert_eq!(sandbox.write("REPLACE INTO users VALUES (1, 'Replaced')").unwrap(), "[]");
    assert_eq!(sandbox.write("-- c\nINSERT INTO users VALUES (3, 'Commented')").unwrap(), "[]");
    assert_eq!(sandbox.read("SELECT name FROM users").unwrap(), "[{'name': 'Ada'}, {'name': 'Bob'}]");
    assert_eq!(sandbox.write("  update users SET name = 'x' WHERE id < 9").unwrap(), "[{'affected_rows': 2}]");
    assert_eq!(sandbox.write("ALTER TABLE users ADD COLUMN z").unwrap(), "[{'affected_rows': -1}]");
    assert_eq!(
        sandbox.write("INSERT INTO users VALUES (?, 1, 2)").unwrap_err(),
        "Incorrect number of bindings supplied. The current statement uses 1, and there are 0 supplied."
    );
    assert_eq!(sandbox.write("").unwrap(), "[]");
    assert_eq!(sandbox.write("COMMIT").unwrap_err(), "cannot commit - no transaction is active");
}

#[test]
fn endless_and_abandoned_statements_end() {
    let limits = Limits { time: Duration::from_millis(50), ..Limits::default() };
    let sandbox = Sandbox::new("endless", limits);
    assert!(sandbox.read(endless()).unwrap_err().contains("was stopped"));
    let patient = Sandbox::new("abandoned", Limits { time: Duration::from_secs(3600), ..Limits::default() });
    let abandoned = Abandoned::default();
    drop(AbandonOnDrop(abandoned.clone()));
    assert!(patient.database.read(endless(), &abandoned).unwrap_err().contains("was stopped"));
}

#[test]
fn answers_are_bounded() {
    let sandbox = Sandbox::new("bounds", Limits { rows: 3, bytes: 200, ..Limits::default() });
    let all = "SELECT value FROM json_each('[1,2,3,4,5]')";
    let rows = sandbox.database.read(all, &Abandoned::default()).unwrap();
    assert!(rows.truncated.as_deref().unwrap().starts_with("Only the first 3 rows"));
    let (text, json) = rows.finish();
    assert_eq!(text, "[{'value': 1}, {'value': 2}, {'value': 3}]");
    assert_eq!(json, r#"{"rows":[{"value":1},{"value":2},{"value":3}],"truncated":true}"#);
    let long = "SELECT hex(zeroblob(100)) AS x UNION ALL SELECT 'next'";
    assert!(sandbox.database.read(long, &Abandoned::default()).unwrap().truncated.is_some());
    assert_eq!(sandbox.read("SELECT zeroblob(1000000000)").unwrap_err(), "string or blob too big");
}

#[test]
fn rows_are_data_in_both_forms() {
    let sandbox = Sandbox::new("forms", Limits::default());
    let query = "SELECT 1 AS a, 2 AS b, 3 AS a, NULL AS n, 1e999 AS i, 0.5 AS f, x'00ff' AS raw, 'it''s \n' AS t";
    let (text, json) = sandbox.database.read(query, &Abandoned::default()).unwrap().finish();
    assert_eq!(text, "[{'a': 1, 'b': 2, 'n': None, 'i': inf, 'f': 0.5, 'raw': b'\\x00\\xff', 't': \"it's \\n\"}]");
    assert_eq!(
        json,
        r#"{"rows":[{"a":1,"b":2,"n":null,"i":null,"f":0.5,"raw":"AP8=","t":"it's \n"}],"truncated":false}"#
    );
    assert_eq!(sandbox.read("SELECT 1 AS a, 2 AS A").unwrap(), "[{'a': 1, 'A': 1}]");
    let broken = sandbox.read("SELECT CAST(x'ff41' AS TEXT) AS bad").unwrap_err();
    assert_eq!(broken, "Could not decode to UTF-8 column 'bad' with text '\u{fffd}A'");
}

#[test]
fn a_database_that_is_only_read_is_not_made() {
    let path = std::env::temp_dir().join(format!("jackfield-sqlite-{}-none.db", std::process::id()));
    assert!(Database::open(path.clone(), Limits::default(), true).is_err());
    assert!(!path.exists());
}
