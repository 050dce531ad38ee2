//! Tests, measurements and checks of the project. Run as `cargo xtask`.

#![expect(clippy::print_stdout, reason = "this program talks to a person, not to a protocol peer")]

mod bench;
mod changes;
mod child;
mod compile_errors;
mod conformance;
mod coverage;
mod files;
mod fuzz;
mod install;
mod interop;
mod linked_data;
mod loom;
mod node;
mod nodes;
mod parallel;
mod pinned;
mod public_api;
mod requirements;
mod rust_source;
mod soak;
mod steps;
mod test;
mod test_cache;
mod tidy;
mod tree;
mod verify;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use workspace::Workspace;

/// Tests, measurements and checks of the project.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Task {
    /// Run what must hold for a change: format, lints, all tests, doc tests, requirement rows.
    Test(test::Options),
    /// Run the slow checks: coverage, measurements, real peers, the official suite, fuzzing, models, soak.
    Verify(verify::Options),
    /// Compile programs with mistakes and compare what the compiler says with what it should say.
    CompileErrors(compile_errors::Options),
    /// Show which requirements of the specification are covered by tests.
    Requirements(requirements::Options),
    /// Measure instructions, system calls and allocations per request.
    Bench(bench::Options),
    /// Send many events over many streams that are cut at random, or run a mixed load with a fault every minute.
    Soak(soak::Options),
    /// Show which lines the tests reach; fails below the bars.
    Coverage(coverage::Options),
    /// Throw bytes at everything that reads what others wrote.
    Fuzz(fuzz::Options),
    /// Run models of what threads share, with every interleaving.
    Loom(loom::Options),
    /// Run real clients of others against our server.
    Interop(interop::Options),
    /// Check building blocks, SHACL shapes and the ontology with libraries of others.
    LinkedData(linked_data::Options),
    /// Run the official conformance suite against our fixtures.
    Conformance(conformance::Options),
    /// Kill nodes that share a Redis in the middle of calls, and see whether anything is lost.
    Nodes(nodes::Options),
    /// Count the crates a small server depends on.
    Tree,
    /// Measure the processor time a release build takes after an edit to a small server.
    Rebuild,
    /// Compare the public API of `jackfield` with the file that describes it.
    PublicApi(public_api::Options),
    /// Check the rules no other tool checks: layers, dates, leftovers, lengths, links.
    Tidy,
}

fn main() -> ExitCode {
    match run(Task::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    let workspace = Workspace::find()?;
    match task {
        Task::Test(options) => test::run(&workspace, &options),
        Task::Verify(options) => verify::run(&workspace, &options),
        Task::CompileErrors(options) => compile_errors::run(&workspace, &options),
        Task::Requirements(options) => requirements::run(&workspace, &options),
        Task::Bench(options) => bench::run(&workspace, &options),
        Task::Soak(options) => soak::run(&workspace, &options),
        Task::Coverage(options) => coverage::run(&workspace, &options),
        Task::Fuzz(options) => fuzz::run(&workspace, &options),
        Task::Loom(options) => loom::run(&workspace, &options),
        Task::Interop(options) => interop::run(&workspace, &options).map(|missing| print_lines(&missing)),
        Task::LinkedData(options) => linked_data::run(&workspace, &options),
        Task::Conformance(options) => conformance::run(&workspace, &options).map(drop),
        Task::Nodes(options) => nodes::run(&workspace, &options),
        Task::Tree => tree::run(&workspace),
        Task::Rebuild => tree::rebuild(&workspace),
        Task::PublicApi(options) => public_api::run(&workspace, &options),
        Task::Tidy => tidy::run(&workspace),
    }
}

fn print_lines(lines: &[String]) {
    for line in lines {
        println!("note: {line}");
    }
}
