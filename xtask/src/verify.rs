//! `cargo xtask verify`: the slow checks. `cargo xtask verify NAME` runs one of them.

use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::changes::{ANY, Change};
use crate::conformance::Direction;
use crate::pinned::CARGO_HACK;
use crate::steps::{Outcome, Steps, succeed};
use crate::workspace::{EVERYTHING, MEASURED, Package, Workspace, program};
use crate::{bench, conformance, coverage, fuzz, install, interop, linked_data, loom, nodes, public_api, soak, tree};

/// Which parts, and how long.
#[derive(Debug, Default, Args)]
pub(crate) struct Options {
    /// The checks to run; all if none is named. `--list` shows them.
    #[arg(value_name = "NAME")]
    parts: Vec<String>,
    /// Run everything at full length: loom deeper, fuzz_targets and soak for many minutes, a thousand kills.
    #[arg(long)]
    long: bool,
    /// Run only the checks that the change since the main branch, or since the commit in CI_BASE, can have touched.
    #[arg(long, conflicts_with = "parts")]
    changed: bool,
    /// List the checks and what they prove, and run nothing.
    #[arg(long)]
    list: bool,
}

/// A slow check.
struct Part {
    name: &'static str,
    proves: &'static str,
    /// What it is built from; a change elsewhere cannot touch it.
    packages: &'static [&'static str],
    paths: &'static [&'static str],
    run: fn(&Workspace, Length) -> Result<Outcome>,
}

/// How much time a part may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    Short,
    Long,
}

impl Length {
    fn choose<T>(self, short: T, long: T) -> T {
        match self {
            Self::Short => short,
            Self::Long => long,
        }
    }
}

/// In the order that finds the most mistakes in the least time.
const PARTS: &[Part] = &[
    Part {
        name: "documentation",
        proves: "the documentation builds without warnings",
        packages: ANY,
        paths: &["crates", "README.md"],
        run: |workspace, _| documentation(workspace),
    },
    Part {
        name: "public-api",
        proves: "the public API of `jackfield` is the one that is written down",
        packages: &["jackfield"],
        paths: &["xtask/src/public_api", "xtask/src/public_api.rs"],
        run: |workspace, _| public_api::run(workspace, &public_api::Options::default()).map(Outcome::from),
    },
    Part {
        name: "package",
        proves: "everything that is published can be packaged",
        packages: ANY,
        paths: &[],
        run: |workspace, _| package(workspace),
    },
    Part {
        name: "first-command",
        proves: "`cargo run --release -- serve everything` answers",
        packages: &["jackfield-cli"],
        paths: &[],
        run: |workspace, _| first_command(workspace),
    },
    Part {
        name: "features",
        proves: "clippy has nothing to say of default features, and with --long of each feature alone (cargo-hack)",
        packages: ANY,
        paths: &[],
        run: features,
    },
    Part {
        name: "tree",
        proves: "a small server depends on few crates",
        packages: &["jackfield"],
        paths: &["xtask/src/tree.rs"],
        run: |workspace, _| tree::run(workspace).map(Outcome::from),
    },
    Part {
        name: "conformance",
        proves: "the official suite passes, as server, client and authorization server",
        packages: &["jackfield-testkit"],
        paths: &["xtask/src/conformance", "xtask/src/conformance.rs"],
        run: |workspace, _| official_suite(workspace),
    },
    Part {
        name: "interop",
        proves: "clients and servers of others work with ours",
        packages: &["jackfield-cli", "jackfield-testkit"],
        paths: &["tests/interop", "xtask/src/interop", "xtask/src/interop.rs"],
        run: |workspace, _| software_of_others(workspace),
    },
    Part {
        name: "linked-data",
        proves: "libraries of others read the building blocks, and find shapes and ontology consistent",
        packages: &["jackfield-rdf"],
        paths: &["crates/rdf/checks", "xtask/src/linked_data.rs"],
        run: |workspace, _| linked_data::check(workspace),
    },
    Part {
        name: "coverage",
        proves: "tests reach 90 % of all lines, and 95 % in the crates that parse untrusted input",
        packages: ANY,
        paths: &["xtask/src/coverage", "xtask/src/coverage.rs"],
        run: |workspace, _| coverage::check(workspace),
    },
    Part {
        name: "bench",
        proves: "instructions, allocations, system calls and memory stay below their limits",
        packages: &["jackfield-examples", "jackfield-bench-client", "jackfield-cli"],
        paths: &["bench", "benches", "xtask/src/bench", "xtask/src/bench.rs"],
        run: counts,
    },
    Part {
        name: "fuzz",
        proves: "no parser of untrusted input crashes on random bytes",
        packages: &[
            "jackfield-protocol",
            "jackfield-peer",
            "jackfield-http",
            "jackfield-auth",
            "jackfield-server",
            "jackfield-host",
        ],
        paths: &["fuzz", "xtask/src/fuzz.rs"],
        run: fuzz_targets,
    },
    Part {
        name: "loom",
        proves: "invariants hold in every interleaving of threads, with more preemptions than the tests allow",
        packages: &["jackfield-loom"],
        paths: &["loom", "xtask/src/loom.rs"],
        run: |workspace, length| loom::run(workspace, &loom::Options::deep(length.choose(3, 4))).map(Outcome::from),
    },
    Part {
        name: "faults",
        proves: "calls end on two hundred bad networks, and every death of a server is noticed; the tests try a few",
        packages: &["jackfield-testkit", "jackfield-client"],
        paths: &[],
        run: faults,
    },
    Part {
        name: "soak",
        proves: "events over streams that are cut, and a mixed load with faults: nothing is lost, doubled or left",
        packages: &["jackfield-cli", "jackfield-testkit", "jackfield-examples"],
        paths: &["xtask/src/soak", "xtask/src/soak.rs"],
        run: soak_load,
    },
    Part {
        name: "servers",
        proves: "reference servers answer many hostile calls each, and no race leads out of a directory",
        packages: &["jackfield-servers"],
        paths: &[],
        run: reference_servers,
    },
    Part {
        name: "size",
        proves: "how large the command with everything in it is; with --long only, because nothing takes longer to build",
        packages: &["jackfield-cli"],
        paths: &["Cargo.toml"],
        run: size,
    },
    Part {
        name: "nodes",
        proves: "several nodes on one Redis are one server, also while they are killed",
        packages: &["jackfield-testkit"],
        paths: &["xtask/src/nodes.rs"],
        run: kill_nodes,
    },
    Part {
        name: "dependencies",
        proves: "licences, sources and advisories of the crates of others (cargo-deny)",
        packages: &[],
        paths: &["deny.toml"],
        run: |workspace, _| deny(workspace),
    },
];

/// Runs the parts up to the first failure, then prints how each ended and how long it took.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if options.list {
        PARTS.iter().for_each(|part| println!("{:<14} {}", part.name, part.proves));
        return Ok(());
    }
    if let Some(unknown) = options.parts.iter().find(|name| PARTS.iter().all(|part| part.name != *name)) {
        let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
        bail!("there is no check {unknown:?}; there are {}", names.join(", "));
    }
    let change = if options.changed { Change::find(workspace)? } else { None };
    match &change {
        Some(change) => println!("only what the change since {} can have touched", change.base),
        None if options.changed => println!("there is no commit to compare with: all checks run"),
        None => {}
    }
    let mut notes = install::debian(install::FOR_SLOW_CHECKS);
    notes.extend(install::debian(install::FOR_TESTS));
    let length = if options.long { Length::Long } else { Length::Short };
    let mut steps = Steps::default();
    for part in
        PARTS.iter().filter(|part| options.parts.is_empty() || options.parts.iter().any(|name| part.name == name))
    {
        match &change {
            Some(change) if !change.touches(part.packages, part.paths) => {
                steps.leave_out(part.name, &format!("nothing it depends on has changed since {}", change.base));
            }
            _ => steps.run(part.name, || (part.run)(workspace, length)),
        }
    }
    steps.finish(&notes)
}

fn documentation(workspace: &Workspace) -> Result<Outcome> {
    succeed(workspace.cargo().args(["doc", "--no-deps"]).args(EVERYTHING).env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(Outcome::Passed)
}

/// Packages what may be published. Nothing is compiled from the packages: that is done by `cargo publish`.
fn package(workspace: &Workspace) -> Result<Outcome> {
    let is_published = |package: &&Package| package.publish.as_ref().is_none_or(|registries| !registries.is_empty());
    let names: Vec<&str> =
        workspace.packages.iter().filter(is_published).map(|package| package.name.as_str()).collect();
    let mut command = workspace.cargo();
    command.args(["package", "--quiet", "--no-verify", "--allow-dirty", "--all-features"]);
    succeed(command.args(names.iter().flat_map(|name| ["--package", name])))?;
    Ok(Outcome::Measured(format!("{} crates", names.len())))
}

/// Builds the command as the README says, and lets it call a tool of the server that the README starts.
fn first_command(workspace: &Workspace) -> Result<Outcome> {
    let command = workspace.build_executable(&["--release"])?;
    let size = command.metadata()?.len();
    let mut call = Command::new(&command);
    call.args(["call", "get-sum", "a=2", "b=3", "--"]).arg(&command).args(["serve", "everything"]);
    let output = call.output().context("cannot run the command")?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(said.contains("The sum of 2 and 3 is 5."), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let missing = Command::new(&command).args(["rdf", "schema"]).output()?;
    let said = String::from_utf8_lossy(&missing.stderr);
    ensure!(
        !missing.status.success() && said.contains("--features full"),
        "a missing feature is not explained: {said}"
    );
    Ok(Outcome::Measured(format!("a command of {:.1} MB", size as f64 / 1e6)))
}

/// The tests are built with all features; users have fewer.
fn features(workspace: &Workspace, length: Length) -> Result<Outcome> {
    let deny = ["--", "-D", "warnings"];
    succeed(workspace.cargo().args(["clippy", "--workspace"]).args(deny))?;
    if length == Length::Short {
        return Ok(Outcome::Measured("default features".to_owned()));
    }
    let hack = match install::cargo_once(workspace, &CARGO_HACK) {
        Ok(program) => program,
        Err(reason) => return Ok(Outcome::Skipped(format!("single features: {reason}"))),
    };
    let mut command = Command::new(hack);
    command.current_dir(&workspace.root).args(["hack", "clippy", "--workspace", "--each-feature", "--no-dev-deps"]);
    succeed(command.args(deny))?;
    Ok(Outcome::Measured("default features, and each alone".to_owned()))
}

fn official_suite(workspace: &Workspace) -> Result<Outcome> {
    let mut figures = Vec::new();
    for direction in [Direction::Server, Direction::Client, Direction::Authorization] {
        if let Some(reason) = conformance::obstacle(workspace, direction) {
            return Ok(Outcome::Skipped(format!("the suite is not installed ({reason})")));
        }
        let passed = conformance::run(workspace, &conformance::Options::all(direction))?;
        figures.push(format!("{passed} as {}", direction.name()));
    }
    Ok(Outcome::Measured(figures.join(", ")))
}

fn software_of_others(workspace: &Workspace) -> Result<Outcome> {
    let missing = interop::run(workspace, &interop::Options::default())?;
    Ok(if missing.is_empty() { Outcome::Passed } else { Outcome::Skipped(missing.join("; ")) })
}

fn counts(workspace: &Workspace, length: Length) -> Result<Outcome> {
    if program("valgrind").is_none() {
        return Ok(Outcome::Skipped("valgrind is not installed".to_owned()));
    }
    bench::check(workspace, length == Length::Long).map(Outcome::from)
}

fn fuzz_targets(workspace: &Workspace, length: Length) -> Result<Outcome> {
    // The fuzzer itself is C++.
    if program("c++").is_none() {
        return Ok(Outcome::Skipped("there is no C++ compiler".to_owned()));
    }
    let seconds = length.choose(10, 300);
    fuzz::run(workspace, &fuzz::Options { seconds, targets: Vec::new() })?;
    Ok(Outcome::Measured(format!("{seconds} s for each target")))
}

fn faults(workspace: &Workspace, length: Length) -> Result<Outcome> {
    if program("cargo-nextest").is_none() {
        return Ok(Outcome::Skipped("cargo-nextest is not installed".to_owned()));
    }
    let kills = length.choose("20", "1000");
    let run = |filter: &str, variables: &[(&str, &str)]| {
        let mut command = workspace.cargo();
        command.args(["nextest", "run"]).args(EVERYTHING).args(["-E", filter]).envs(variables.iter().copied());
        succeed(&mut command)
    };
    run("package(=jackfield-testkit) & test(simulated)", &[("JACKFIELD_LONG", "1")])?;
    run("package(=jackfield-client) & test(every_death_is_noticed)", &[("JACKFIELD_KILLS", kills)])?;
    if length == Length::Long {
        // Wall-clock limits are unreliable on a busy machine, so that only `--long` asserts them.
        run("package(=jackfield-testkit) & test(redis_may_go)", &[("JACKFIELD_STRICT_TIMES", "1")])?;
    }
    Ok(Outcome::Measured(format!("200 networks, {kills} kills")))
}

fn soak_load(workspace: &Workspace, length: Length) -> Result<Outcome> {
    let (events, mixed) = length.choose(soak::Options::short(), soak::Options::long());
    soak::run(workspace, &events)?;
    soak::run(workspace, &mixed)?;
    Ok(Outcome::Measured(format!("{events}, {mixed}")))
}

fn reference_servers(workspace: &Workspace, length: Length) -> Result<Outcome> {
    if program("cargo-nextest").is_none() {
        return Ok(Outcome::Skipped("cargo-nextest is not installed".to_owned()));
    }
    let (calls, seconds) = (length.choose("1000", "10000"), length.choose("5", "30"));
    let mut command = workspace.cargo();
    let filter =
        "package(=jackfield-servers) & (test(answers_whatever_it_is_asked) | test(while_a_directory_is_swapped))";
    command.args(["nextest", "run"]).args(EVERYTHING).args(["-E", filter]);
    succeed(command.envs([("JACKFIELD_SOAK", calls), ("JACKFIELD_RACE_SECONDS", seconds)]))?;
    Ok(Outcome::Measured(format!("{calls} calls in each era, {seconds} s for each race")))
}

/// Builds the command as it is published, and says how many bytes it has without symbols.
fn size(workspace: &Workspace, length: Length) -> Result<Outcome> {
    if length == Length::Short {
        return Ok(Outcome::Skipped("it is built with --long only".to_owned()));
    }
    let arguments = [MEASURED[0], MEASURED[1], "--package", "jackfield-cli", "--features", "full"];
    let command = workspace.build_executable(&arguments)?;
    if program("strip").is_none() {
        return Ok(Outcome::Skipped("there is no strip".to_owned()));
    }
    let stripped = command.with_file_name("jackfield-stripped");
    succeed(Command::new("strip").arg("-o").arg(&stripped).arg(&command))?;
    Ok(Outcome::Measured(format!("{:.1} MB", stripped.metadata()?.len() as f64 / 1e6)))
}

fn kill_nodes(workspace: &Workspace, length: Length) -> Result<Outcome> {
    let options = length.choose(nodes::Options::short(), nodes::Options::default());
    if !install::has_redis() {
        return Ok(Outcome::Skipped("there is no Redis".to_owned()));
    }
    nodes::run(workspace, &options)?;
    Ok(Outcome::Measured(options.to_string()))
}

fn deny(workspace: &Workspace) -> Result<Outcome> {
    if program("cargo-deny").is_none() {
        let reason = "cargo-deny is not installed; `cargo install --locked cargo-deny` brings it";
        return Ok(Outcome::Skipped(reason.to_owned()));
    }
    succeed(workspace.cargo().args(["deny", "--all-features", "check", "bans", "licenses", "sources"]))?;
    // The advisories do not come from the registry, and their place cannot be reached from everywhere.
    match install::quietly(workspace.cargo().args(["deny", "fetch", "db"])) {
        Ok(()) => succeed(workspace.cargo().args(["deny", "--all-features", "check", "advisories"])).map(Outcome::from),
        Err(reason) => Ok(Outcome::Skipped(format!("the advisories only: {reason}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_depend_on_packages_that_exist() {
        let workspace = Workspace::find().unwrap();
        for part in PARTS {
            for name in part.packages.iter().filter(|_| part.packages != ANY) {
                assert!(workspace.packages.iter().any(|package| package.name == *name), "{}: {name}", part.name);
            }
            for path in part.paths {
                assert!(workspace.root.join(path).exists(), "{}: {path}", part.name);
            }
        }
    }

    #[test]
    fn an_unknown_part_is_refused_with_the_known_ones() {
        let workspace = Workspace::find().unwrap();
        let options = Options { parts: vec!["fuz".to_owned()], ..Options::default() };
        let error = run(&workspace, &options).unwrap_err().to_string();
        assert!(error.contains("\"fuz\"") && error.contains("fuzz"), "{error}");
    }
}
