//! Files, a repository, graphs, a database and a page.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::process::Running;
use super::rows::Server;
use crate::bench::Program;

/// What servers are asked about.
pub(super) struct Fixture {
    folder: PathBuf,
    page: SocketAddr,
}

impl Fixture {
    /// Makes everything anew. The database is made by our own server, `command`.
    pub(super) fn new(folder: &Path, command: &Path) -> Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
        let fixture = Self { folder: fs::canonicalize(folder)?, page: serve_page()? };
        fixture.files()?;
        fixture.repository()?;
        fixture.write("memory.jsonl", &graph(10_000))?;
        fixture.write("large.jsonl", &graph(100_000))?;
        fixture.database(command)?;
        Ok(fixture)
    }

    pub(super) fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    pub(super) fn page(&self) -> String {
        format!("http://{}/", self.page)
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.folder.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    fn files(&self) -> Result<()> {
        self.write("files/small.txt", &"sixteen letters\n".repeat(64))?;
        let lines: String = (0..100_000).map(|number| format!("line {number:06} {}\n", "z".repeat(80))).collect();
        self.write("files/big.txt", &lines)?;
        for number in 0..20_000 {
            let ending = ["rs", "txt", "md", "js"][number % 4];
            let name = format!("files/tree/d{:02}/e{:02}/file-{number:05}.{ending}", number % 50, number / 50 % 20);
            self.write(&name, "f")?;
        }
        Ok(())
    }

    /// Two thousand commits, and five hundred files of which one is changed.
    fn repository(&self) -> Result<()> {
        let mut stream = String::new();
        for number in 0..2000 {
            let (time, message) = (1_700_000_000 + number * 60, format!("Commit {number}\n"));
            let (folder, file, content) = (number % 20, number % 500, format!("content {number}\n"));
            stream.push_str(&format!(
                "commit refs/heads/main\ncommitter A <a@example.org> {time} +0000\ndata {}\n{message}\nM 100644 inline dir{folder:02}/file{file:03}.txt\ndata {}\n{content}\n",
                message.len(),
                content.len()
            ));
        }
        fs::create_dir_all(self.folder.join("repository"))?;
        self.git(&["init", "--quiet", "--initial-branch", "main"], "")?;
        self.git(&["fast-import", "--quiet"], &stream)?;
        self.git(&["checkout", "--quiet", "--force", "main"], "")?;
        self.write("repository/dir00/file000.txt", "changed\n")?;
        self.write("repository/new.txt", "new\n")
    }

    fn git(&self, arguments: &[&str], input: &str) -> Result<()> {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(self.folder.join("repository")).stdin(Stdio::piped());
        let mut child = command.spawn().context("the repository is made by git, which is not installed")?;
        child.stdin.take().context("the input is piped")?.write_all(input.as_bytes())?;
        ensure!(child.wait()?.success(), "git {} failed", arguments.join(" "));
        Ok(())
    }

    fn database(&self, command: &Path) -> Result<()> {
        let program = Program { path: command.to_owned(), arguments: vec!["serve".to_owned(), "sqlite".to_owned()] };
        let arguments = |fixture: &Self| vec!["--db-path".to_owned(), fixture.path("test.db")];
        let server = Server { name: "sqlite", arguments, variables: |_| Vec::new(), calls: &[] };
        let mut running = Running::start(&program, &server, self)?;
        for query in [
            "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, value REAL, note TEXT)",
            "INSERT INTO t WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 10000) \
             SELECT x, 'name ' || x, x * 0.37, CASE WHEN x % 5 THEN NULL ELSE 'it''s ' || x END FROM c",
        ] {
            running.ask("tools/call", json!({"name": "write_query", "arguments": {"query": query}}))?;
        }
        Ok(())
    }
}

/// A graph with so many entities, and as many relations.
fn graph(entities: usize) -> String {
    let entity = |number: usize| {
        let about = |which| format!("observation {which} of entity {number} with some words");
        json!({"type": "entity", "name": format!("entity-{number:05}"), "entityType": format!("kind-{}", number % 17), "observations": [about(0), about(1), about(2)]})
    };
    let relation = |number: usize| {
        let to = (number * 7 + 1) % entities;
        json!({"type": "relation", "from": format!("entity-{number:05}"), "to": format!("entity-{to:05}"), "relationType": "links_to"})
    };
    let lines = (0..entities).map(entity).chain((0..entities).map(relation));
    lines.map(|line| format!("{line}\n")).collect()
}

const PAGE: &str = "<!doctype html><html><head><title>A page</title></head><body><article><h1>Heading</h1><p>A paragraph with <b>bold</b> words and \
<a href='https://example.org/'>a link</a>, long enough to be taken for what the page is about.</p><ul><li>alpha</li><li>beta</li></ul></article></body></html>";

/// Serves the page for as long as this process lives.
fn serve_page() -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // Who has gone needs no answer.
            let _ = answer(stream);
        }
    });
    Ok(address)
}

fn answer(stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(&stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let (status, body) = if first.starts_with("GET /robots.txt") { ("404 Not Found", "") } else { ("200 OK", PAGE) };
    let length = body.len();
    write!(
        &stream,
        "HTTP/1.1 {status}\r\ncontent-type: text/html\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}
