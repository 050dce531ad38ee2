//! `cargo xtask bench --servers`: what a call of a reference server costs, beside the original.
//!
//! Processor time of the server and of what it starts, so that a reader that is slow does not count. Wall time only for the start.

mod fixture;
mod original;
mod process;
mod rows;

use std::path::Path;

use anyhow::{Result, bail};

use crate::bench::Program;
use crate::workspace::{MEASURED, Workspace};
use fixture::Fixture;
use original::original;
use process::{Measured, Start, measure_call, measure_start};
use rows::{LONGEST_START, MOST_AT_100_000, MOST_AT_START, SERVERS, Server};

/// Measures all servers and their originals, prints a table, and fails where ours cost more than they may.
pub(super) fn run(workspace: &Workspace, folder: &Path) -> Result<()> {
    let arguments = [MEASURED[0], MEASURED[1], "--package", "jackfield-cli", "--features", "full"];
    let command = workspace.build_executable(&arguments)?;
    let fixture = Fixture::new(&folder.join("servers"), &command)?;
    let mut table = Table::default();
    for server in SERVERS {
        let ours = Program { path: command.clone(), arguments: vec!["serve".to_owned(), server.name.to_owned()] };
        let original = match original(workspace, server.name) {
            Ok(program) => Some(program),
            Err(reason) => {
                println!("the original of {} is not installed: {reason}", server.name);
                None
            }
        };
        table.start(server, &measure_start(&ours, server, &fixture)?, original_start(&original, server, &fixture)?);
        for call in server.calls {
            let ours = measure_call(&ours, server, call, &fixture)?;
            let theirs = original.as_ref().map(|program| measure_call(program, server, call, &fixture)).transpose()?;
            table.call(server, call.what, call.limit, &ours, theirs.as_ref());
        }
    }
    let memory = Program { path: command, arguments: vec!["serve".to_owned(), "memory".to_owned()] };
    table.resident(
        "memory",
        "resident with 100,000 entities",
        MOST_AT_100_000,
        process::large_memory(&memory, &fixture)?,
    );
    println!("{}", table.text);
    if table.broken.is_empty() { Ok(()) } else { bail!("{}", table.broken.join("; ")) }
}

fn original_start(original: &Option<Program>, server: &Server, fixture: &Fixture) -> Result<Option<Start>> {
    original.as_ref().map(|program| measure_start(program, server, fixture)).transpose()
}

/// What is printed, and what is too much.
struct Table {
    text: String,
    broken: Vec<String>,
}

impl Default for Table {
    fn default() -> Self {
        let head = "| server | what | ours | at most | original |\n|---|---|---:|---:|---:|\n";
        Self { text: head.to_owned(), broken: Vec::new() }
    }
}

impl Table {
    fn start(&mut self, server: &Server, ours: &Start, original: Option<Start>) {
        let original = original.as_ref();
        let what = "start to `tools/list`, wall";
        self.row(server.name, what, ours.seconds * 1e3, "ms", LONGEST_START, original.map(|start| start.seconds * 1e3));
        self.row(
            server.name,
            "resident after it",
            ours.resident,
            "MB",
            MOST_AT_START,
            original.map(|start| start.resident),
        );
    }

    fn call(&mut self, server: &Server, what: &str, limit: f64, ours: &Measured, original: Option<&Measured>) {
        self.row(server.name, what, ours.seconds * 1e3, "ms", limit, original.map(|call| call.seconds * 1e3));
    }

    fn resident(&mut self, server: &str, what: &str, limit: f64, ours: f64) {
        self.row(server, what, ours, "MB", limit, None);
    }

    fn row(&mut self, server: &str, what: &str, ours: f64, unit: &str, limit: f64, original: Option<f64>) {
        let original = original.map_or("–".to_owned(), |figure| format!("{figure:.2} {unit}"));
        self.text.push_str(&format!("| {server} | {what} | {ours:.2} {unit} | {limit} {unit} | {original} |\n"));
        if ours > limit {
            self.broken.push(format!("{server}: {what} is {ours:.2} {unit}, more than {limit}"));
        }
    }
}
