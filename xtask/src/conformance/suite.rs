//! The official suite: how it is installed, asked and read.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::verdict::{Check, Verdict, judge};
use super::{Direction, Subject};
use crate::pinned::CONFORMANCE;
use crate::workspace::Workspace;
use crate::{child, install, node};

/// The suite does not start on older ones.
const NODE: u32 = 22;

/// How long all scenarios of a leg, or one scenario, may take.
pub(super) const LIMIT: Duration = Duration::from_secs(300);

/// Scenarios that never have a verdict.
const NEVER_EVALUATED: &[&str] = &["tasks-status-notifications"];

/// A set of scenarios that run on the same wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leg {
    Revision(&'static str),
    /// They belong to no revision and choose their wire themselves.
    Extensions,
}

/// One leg alone is not complete: the suite runs each scenario on one wire only.
pub(super) const LEGS: &[Leg] = &[
    Leg::Revision("2025-03-26"),
    Leg::Revision("2025-06-18"),
    Leg::Revision("2025-11-25"),
    Leg::Revision("2026-07-28"),
    Leg::Extensions,
];

impl Leg {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Revision(revision) => revision,
            Self::Extensions => "extensions",
        }
    }

    fn arguments(self) -> Vec<&'static str> {
        match self {
            Self::Revision(revision) => vec!["--spec-version", revision],
            Self::Extensions => Vec::new(),
        }
    }
}

/// The suite, installed.
#[derive(Debug)]
pub(super) struct Suite {
    node: PathBuf,
    script: PathBuf,
    results: PathBuf,
}

impl Suite {
    /// Installs the suite below `target/conformance`; an error says why that is not possible.
    pub(super) fn install(workspace: &Workspace, direction: Direction) -> Result<Self, String> {
        let node = node::at_least(NODE, workspace)?;
        let folder = workspace.target.join("conformance");
        install::npm_once(&folder, &CONFORMANCE)?;
        let script = folder.join("node_modules").join(CONFORMANCE.name).join("dist/index.js");
        Ok(Self { node, script, results: folder.join("results").join(direction.name()) })
    }

    /// Where the results of the last run are.
    pub(super) fn results(&self) -> &Path {
        &self.results
    }

    /// Removes the results of the last run.
    pub(super) fn clear(&self) -> Result<()> {
        if self.results.exists() {
            std::fs::remove_dir_all(&self.results)?;
        }
        Ok(std::fs::create_dir_all(&self.results)?)
    }

    /// Returns the scenarios of a leg.
    pub(super) fn scenarios(&self, direction: Direction, leg: Leg) -> Result<Vec<String>> {
        let mut command = self.command();
        command.args(["list", &format!("--{}", direction.name())]).args(leg.arguments());
        let listed = child::run(&mut command, LIMIT, &self.results.join("list.log"))?;
        let scenarios = scenarios(&listed.output, leg);
        if scenarios.is_empty() {
            bail!("the suite lists no scenario for {}", leg.name());
        }
        Ok(scenarios)
    }

    /// Runs all scenarios of a leg in one go. They belong to a revision and are those that [`Self::scenarios`] lists.
    pub(super) fn run_all(&self, subject: &Subject, leg: Leg, scenarios: &[String]) -> Result<Vec<Verdict>> {
        let folder = self.results.join(leg.name());
        if let Subject::Authorization(address) = subject {
            super::authorization::run(self.command(), &leg.arguments(), *address, &folder)?;
            return scenarios.iter().map(|scenario| self.verdict(&folder, subject.direction(), scenario)).collect();
        }
        let mut command = self.on(subject, &folder);
        command.args(["--suite", "all"]).args(leg.arguments());
        child::run(&mut command, LIMIT, &self.results.join(format!("{}.log", leg.name())))?;
        scenarios.iter().map(|scenario| self.verdict(&folder, subject.direction(), scenario)).collect()
    }

    /// Runs one scenario.
    pub(super) fn run_one(&self, subject: &Subject, leg: Leg, scenario: &str) -> Result<Verdict> {
        let folder = self.results.join(leg.name());
        std::fs::create_dir_all(&folder)?;
        let mut command = self.on(subject, &folder);
        command.args(["--scenario", scenario]).args(leg.arguments());
        let log = folder.join(format!("{}.log", scenario.replace('/', "-")));
        let finished = child::run(&mut command, LIMIT, &log)?;
        let verdict = self.verdict(&folder, subject.direction(), scenario)?;
        if subject.direction() != Direction::Client || !verdict.has_passed() {
            return Ok(verdict);
        }
        // Only the suite knows how the client ended, and where it may end badly.
        let is_success = finished.status.is_some_and(|status| status.success());
        let complaint = "the client took too long or ended with an exit code other than 0".to_owned();
        Ok(verdict.refuse((!is_success).then_some(complaint)))
    }

    fn on(&self, subject: &Subject, folder: &Path) -> Command {
        let mut command = self.command();
        match subject {
            Subject::Server(url) => command.args(["server", "--url", url]),
            Subject::Client(words) => command.args(["client", "--command", words]),
            Subject::Authorization(address) => command.args(["authorization", "--url", &format!("http://{address}")]),
        };
        command.arg("-o").arg(folder);
        command
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.node);
        command.arg(&self.script);
        command
    }

    fn verdict(&self, folder: &Path, direction: Direction, scenario: &str) -> Result<Verdict> {
        let Some(result) = newest_result(folder, direction, scenario)? else {
            return Ok(Verdict::without_result("the suite left no result"));
        };
        let file = result.join("checks.json");
        // A scenario that breaks the suite leaves an empty folder.
        let Ok(text) = std::fs::read(&file) else {
            return Ok(Verdict::without_result("the scenario broke the suite"));
        };
        let checks: Vec<Check> =
            serde_json::from_slice(&text).with_context(|| format!("cannot read {}", file.display()))?;
        Ok(judge(&checks))
    }
}

/// Returns the scenarios in what `list` prints, lines such as `  - ping [2025-06-18,2025-11-25]`.
fn scenarios(listed: &str, leg: Leg) -> Vec<String> {
    let entries = listed.lines().filter_map(|line| line.trim_start().strip_prefix("- "));
    let entries = entries.map(|entry| entry.split_once(' ').unwrap_or((entry, "")));
    let of_leg = entries.filter(|(_, tag)| leg != Leg::Extensions || tag.trim() == "[extension]");
    of_leg.map(|(name, _)| name.to_owned()).filter(|name| !NEVER_EVALUATED.contains(&name.as_str())).collect()
}

/// Returns the folder of a scenario, `server-NAME-TIME` or `NAME-TIME`. A name may hold slashes: then it is a nested folder.
fn newest_result(folder: &Path, direction: Direction, scenario: &str) -> Result<Option<PathBuf>> {
    let path = match direction {
        Direction::Server => folder.join(format!("server-{scenario}-")),
        Direction::Client => folder.join(format!("{scenario}-")),
        Direction::Authorization => folder.join(format!("authorization-server-{scenario}-")),
    };
    let (Some(parent), Some(prefix)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Ok(None);
    };
    if !parent.is_dir() {
        return Ok(None);
    }
    let mut found = Vec::new();
    for entry in parent.read_dir()? {
        let entry = entry?;
        let name = entry.file_name();
        let time = name.to_str().and_then(|name| name.strip_prefix(prefix));
        if time.is_some_and(is_time) && entry.file_type()?.is_dir() {
            found.push(entry.path());
        }
    }
    Ok(found.into_iter().max())
}

/// Tells the time behind a name, such as `2026-11-15T22-35-34-079Z`, from the rest of a longer name.
fn is_time(text: &str) -> bool {
    text.len() == 24 && text.ends_with('Z') && text.bytes().take(4).all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "Server scenarios (test against a server):\n  \
        - ping [2025-06-18,2025-11-25]\n  \
        - tasks-lifecycle [extension]\n  \
        - tasks-status-notifications [extension]\n";

    #[test]
    fn extensions_are_told_from_the_rest() {
        assert_eq!(scenarios(LISTED, Leg::Extensions), ["tasks-lifecycle"]);
        assert_eq!(scenarios("  - ping [2025-06-18]\n", Leg::Revision("2025-06-18")), ["ping"]);
        assert_eq!(scenarios("Client scenarios:\n", Leg::Extensions), [""; 0]);
    }

    #[test]
    fn a_result_is_found_by_its_whole_name() {
        let folder = std::env::temp_dir().join(format!("xtask-conformance-{}", std::process::id()));
        let of = |direction, scenario: &str| {
            let found = newest_result(&folder, direction, scenario).unwrap();
            found.map(|path| path.strip_prefix(&folder).unwrap().display().to_string())
        };
        assert_eq!(of(Direction::Server, "ping"), None);
        for name in [
            "server-tools-list-2026-11-15T22-35-34-079Z",
            "server-tools-list-2026-11-15T22-40-00-000Z",
            "server-tools-list-long-2026-11-15T22-35-34-079Z",
            "auth/basic-2026-11-15T22-35-34-079Z",
        ] {
            std::fs::create_dir_all(folder.join(name)).unwrap();
        }
        assert_eq!(of(Direction::Server, "tools-list"), Some("server-tools-list-2026-11-15T22-40-00-000Z".into()));
        assert_eq!(of(Direction::Client, "auth/basic"), Some("auth/basic-2026-11-15T22-35-34-079Z".into()));
        assert_eq!(of(Direction::Server, "tools"), None);
        assert_eq!(of(Direction::Client, "auth/other"), None);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
