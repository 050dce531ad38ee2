//! Many calls with arguments that a model or an attacker might send, made from the schemas of the tools.

use jackfield::testing::TestClient;
use jackfield::{Revision, Server};
use serde_json::{Map, Value, json};

/// How many calls each server gets in each era; `JACKFIELD_SOAK` sets another number.
const CALLS: usize = 150;

/// How many megabytes a process may grow in the second half of the calls: far less than if it kept what it was sent.
const GROWTH: u64 = 64;

/// Calls tools at random, with hostile texts and with those given, which mean something to the server. Each call must be answered: with a
/// result, or with an error about its parameters.
pub(crate) async fn soak(server: Server, texts: &[&str]) {
    let server = server.start().await.unwrap();
    let calls = std::env::var("JACKFIELD_SOAK").ok().and_then(|count| count.parse().ok()).unwrap_or(CALLS);
    for revision in [Revision::LATEST, Revision::LATEST_WITH_HANDSHAKE] {
        let client = TestClient::with_revision(&server, revision);
        let tools = client.list_tools().await.unwrap();
        let mut random = Random { state: 0x9e37_79b9_7f4a_7c15, texts };
        let mut before = 0;
        for call in 0..calls {
            if call == calls / 2 {
                before = resident();
            }
            let tool = &tools[random.below(tools.len())];
            let arguments = random.value(&tool.input_schema.to_value(), 0);
            let arguments = if arguments.is_object() { arguments } else { json!({}) };
            let answer = client.call_tool(&tool.name, &arguments).await;
            if let Err(error) = answer {
                // Or about what the client cannot do.
                assert!(
                    [-32602, -32021, -32601].contains(&error.code),
                    "{} {arguments}: {} {}",
                    tool.name,
                    error.code,
                    error.message
                );
            }
        }
        let grown = resident().saturating_sub(before);
        assert!(grown < GROWTH, "{grown} MB more in {calls} calls");
        // It still lives, and offers the same.
        assert_eq!(client.list_tools().await.unwrap().len(), tools.len());
    }
}

/// Returns how many megabytes of memory this process has, where the system tells.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("RssAnon:")?.trim().strip_suffix(" kB"));
    kilobytes.map_or(0, |kilobytes| kilobytes.parse::<u64>().unwrap() / 1024)
}

/// Texts that have broken servers.
const HOSTILE: &[&str] = &[
    "",
    " ",
    "\0",
    "a\0b",
    "../../../../etc/passwd",
    "/etc/passwd",
    "file:///etc/passwd",
    "~",
    "-rf",
    "--help",
    "'; DROP TABLE users; --",
    "\"",
    "`id`",
    "$(id)",
    "%s%n%x",
    "__proto__",
    "constructor",
    "\u{202e}drawkcab",
    "\u{feff}bom",
    "e\u{301}\u{301}\u{301}",
    "🦀",
    "NaN",
    "1e309",
    "null",
    "[1]",
    "{}",
    "SELECT * FROM sqlite_master",
    "SELECT load_extension('x')",
    "ATTACH '/tmp/evil.db' AS evil",
    "CREATE TABLE soaked (a)",
    "UTC",
    "Europe/Warsaw",
    "12:30",
];

/// Pseudo-random numbers, the same in each run (xorshift).
struct Random<'a> {
    state: u64,
    /// Texts that mean something to the server.
    texts: &'a [&'a str],
}

impl Random<'_> {
    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() >> 11).unwrap() % limit.max(1)
    }

    /// Makes a value that mostly fits a schema.
    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        if depth > 6 || self.below(12) == 0 {
            return self.anything(depth);
        }
        if let Some(choices) = schema["enum"].as_array() {
            return choices[self.below(choices.len())].clone();
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            let choice = self.below(choices.len());
            return self.value(&choices[choice], depth + 1);
        }
        let name = match &schema["type"] {
            Value::Array(names) => names[self.below(names.len())].as_str().unwrap_or_default().to_owned(),
            name => name.as_str().unwrap_or_default().to_owned(),
        };
        match name.as_str() {
            "object" => {
                let mut members = Map::new();
                for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
                    if self.below(8) > 0 {
                        members.insert(name.clone(), self.value(schema, depth + 1));
                    }
                }
                Value::Object(members)
            }
            "array" => (0..self.below(4)).map(|_| self.value(&schema["items"], depth + 1)).collect(),
            "string" => self.text(),
            "integer" | "number" => self.number(),
            "boolean" => json!(self.below(2) == 0),
            "null" => Value::Null,
            _ => self.anything(depth),
        }
    }

    fn text(&mut self) -> Value {
        match self.below(20) {
            0 => Value::from("x".repeat(100_000)),
            1 => Value::from("{\"a\":".repeat(50)),
            2..12 if !self.texts.is_empty() => Value::from(self.texts[self.below(self.texts.len())]),
            _ => Value::from(HOSTILE[self.below(HOSTILE.len())]),
        }
    }

    fn number(&mut self) -> Value {
        let numbers =
            [json!(0), json!(1), json!(-1), json!(3), json!(1.5), json!(1e300), json!(i64::MIN), json!(u64::MAX)];
        numbers[self.below(numbers.len())].clone()
    }

    fn anything(&mut self, depth: usize) -> Value {
        match self.below(8) {
            0 => Value::Null,
            1 => json!(true),
            2 => self.number(),
            3 if depth < 40 => json!([self.anything(depth + 1)]),
            4 if depth < 40 => json!({ "x": self.anything(depth + 1) }),
            5 => (0..40).fold(json!(1), |inner, _| json!([inner])),
            _ => self.text(),
        }
    }
}

#[cfg(feature = "time")]
#[tokio::test]
async fn the_time_server_answers_whatever_it_is_asked() {
    soak(jackfield_servers::time::server(jackfield_servers::time::Options::default()).unwrap(), &[]).await;
}

#[cfg(feature = "sequentialthinking")]
#[tokio::test]
async fn the_thinking_server_answers_whatever_it_is_asked() {
    soak(jackfield_servers::sequentialthinking::server(Default::default()), &[]).await;
}

#[cfg(feature = "memory")]
#[tokio::test]
async fn the_memory_server_answers_whatever_it_is_asked() {
    let folder = crate::folder::Folder::new();
    let mut options = jackfield_servers::memory::Options::new(folder.path().join("memory.jsonl"));
    options.extra_tools = true;
    soak(jackfield_servers::memory::server(options).unwrap(), &["Ada", "Bob", "likes tea"]).await;
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn the_sqlite_server_answers_whatever_it_is_asked() {
    let folder = crate::folder::Folder::new();
    let options = jackfield_servers::sqlite::Options::new(folder.path().join("test.db"));
    let statements = [
        "SELECT 1",
        "INSERT INTO soaked VALUES (1)",
        "DELETE FROM soaked",
        "SELECT * FROM soaked",
        "soaked",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 100) SELECT * FROM c",
        "SELECT randomblob(1000000)",
    ];
    soak(jackfield_servers::sqlite::server(options).unwrap(), &statements).await;
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["test.db"]);
}

#[cfg(feature = "git")]
#[tokio::test]
async fn the_git_server_answers_whatever_it_is_asked() {
    use jackfield_servers::git::{Access, Options, server};
    let fixture = crate::git::fixture::Fixture::after(crate::git::fixture::HISTORY);
    let path = fixture.path();
    let mut options = Options::default();
    options.open.access = Access::confined([fixture.root()]).unwrap();
    let root = path.as_str();
    // Most calls name the repository, so that the other arguments are looked at.
    let texts =
        [root, root, root, root, root, "HEAD", "main", "feature", "HEAD~1", "v1.1", "HEAD:src", "src/main.py", "."];
    soak(server(options), &texts).await;
    assert_eq!(fixture.git("fsck --strict"), "");
}

#[cfg(feature = "fetch")]
#[tokio::test]
async fn the_fetch_server_answers_whatever_it_is_asked() {
    use jackfield_servers::fetch::{Options, Proxy, server};
    let mut options = Options::default();
    options.proxy = Proxy::Direct;
    options.destinations.allow_private_addresses = true;
    // Nobody listens at the first port.
    let urls = [
        "http://127.0.0.1:1/",
        "http://[::1]:1/x?y#z",
        "http://user:password@127.0.0.1:1/",
        "http://127.0.0.1:99999/",
        "http://2130706433:1/",
        "ftp://127.0.0.1/",
        "data:text/plain,x",
        "http://[::1",
        "http:/x",
    ];
    soak(server(options), &urls).await;
}

#[cfg(feature = "everything")]
#[tokio::test(start_paused = true)]
async fn the_everything_server_answers_whatever_it_is_asked() {
    let texts = ["data:,x", "data:text/plain;base64,AAAA", "Text", "Blob", "resource", "error", "Chicago", "a.gz"];
    soak(jackfield_servers::everything::server(Default::default()), &texts).await;
}
