//! What is measured, and what it may cost.

use serde_json::{Value, json};

use super::fixture::Fixture;

/// The longest start, in milliseconds.
pub(super) const LONGEST_START: f64 = 8.0;
/// The most resident memory after it, in megabytes.
pub(super) const MOST_AT_START: f64 = 12.0;
/// The most resident memory of the memory server with 100,000 entities, in megabytes.
pub(super) const MOST_AT_100_000: f64 = 50.0;

/// A server, and what it is asked.
pub(super) struct Server {
    pub(super) name: &'static str,
    /// The arguments that ours and the original have in common.
    pub(super) arguments: fn(&Fixture) -> Vec<String>,
    pub(super) variables: fn(&Fixture) -> Vec<(&'static str, String)>,
    pub(super) calls: &'static [Call],
}

/// A call of a tool.
pub(super) struct Call {
    pub(super) what: &'static str,
    /// Milliseconds of processor time.
    pub(super) limit: f64,
    /// How often it is made: the clock of the kernel is coarse.
    pub(super) count: u32,
    pub(super) tool: &'static str,
    /// The arguments of the call with this number.
    pub(super) arguments: fn(&Fixture, u32) -> Value,
}

const fn call(
    what: &'static str,
    limit: f64,
    count: u32,
    tool: &'static str,
    arguments: fn(&Fixture, u32) -> Value,
) -> Call {
    Call { what, limit, count, tool, arguments }
}

pub(super) const SERVERS: &[Server] = &[
    Server {
        name: "filesystem",
        arguments: |fixture| vec![fixture.path("files")],
        variables: |_| Vec::new(),
        calls: &[
            call(
                "read 1 kB",
                0.05,
                2000,
                "read_text_file",
                |fixture, _| json!({"path": fixture.path("files/small.txt")}),
            ),
            call("read 9 MB", 30.0, 10, "read_text_file", |fixture, _| json!({"path": fixture.path("files/big.txt")})),
            call(
                "search_files, 20,000 files",
                60.0,
                10,
                "search_files",
                |fixture, _| json!({"path": fixture.path("files/tree"), "pattern": "**/*.rs"}),
            ),
            call(
                "directory_tree, 20,000 files",
                60.0,
                10,
                "directory_tree",
                |fixture, _| json!({"path": fixture.path("files/tree")}),
            ),
        ],
    },
    Server {
        name: "git",
        arguments: |_| Vec::new(),
        variables: |_| vec![("GIT_CONFIG_NOSYSTEM", "1".to_owned()), ("GIT_CONFIG_GLOBAL", "/dev/null".to_owned())],
        calls: &[
            call(
                "git_status, 500 files",
                2.0,
                100,
                "git_status",
                |fixture, _| json!({"repo_path": fixture.path("repository")}),
            ),
            call(
                "git_log, 2,000 commits",
                15.0,
                20,
                "git_log",
                |fixture, _| json!({"repo_path": fixture.path("repository"), "max_count": 2000}),
            ),
        ],
    },
    Server {
        name: "memory",
        arguments: |_| Vec::new(),
        variables: |fixture| vec![("MEMORY_FILE_PATH", fixture.path("memory.jsonl"))],
        calls: &[
            call("search_nodes, 10,000 entities", 1.0, 100, "search_nodes", |_, _| json!({"query": "entity 999"})),
            call(
                "add_observations, 10,000 entities",
                1.0,
                100,
                "add_observations",
                |_, number| json!({"observations": [{"entityName": "entity-05000", "contents": [format!("fresh {number}")]}]}),
            ),
        ],
    },
    Server {
        name: "time",
        arguments: |_| vec!["--local-timezone".to_owned(), "UTC".to_owned()],
        variables: |_| Vec::new(),
        calls: &[],
    },
    Server {
        name: "sequentialthinking",
        arguments: |_| Vec::new(),
        variables: |_| vec![("DISABLE_THOUGHT_LOGGING", "true".to_owned())],
        calls: &[],
    },
    Server {
        name: "sqlite",
        arguments: |fixture| vec!["--db-path".to_owned(), fixture.path("test.db")],
        variables: |_| Vec::new(),
        calls: &[call("read_query, 10,000 rows", 8.0, 20, "read_query", |_, _| json!({"query": "SELECT * FROM t"}))],
    },
    Server { name: "everything", arguments: |_| Vec::new(), variables: |_| Vec::new(), calls: &[] },
    Server {
        name: "fetch",
        arguments: |_| vec!["--allow-private-ips".to_owned()],
        // The original would install packages of Node for each page.
        variables: |fixture| vec![("PATH", fixture.path(""))],
        calls: &[call("fetch a small page", 3.0, 50, "fetch", |fixture, _| json!({"url": fixture.page()}))],
    },
];
