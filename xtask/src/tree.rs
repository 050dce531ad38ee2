//! What a small server costs those who build it: `cargo xtask tree` counts the crates, `cargo xtask rebuild` measures the
//! processor time of a release build after an edit.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;

/// Most crates of others in the tree of a server with one tool.
const MOST_BY_DEFAULT: usize = 110;
const MOST_WITHOUT_VALIDATION: usize = 60;

/// Most seconds of processor time for a release build after an edit.
const LONGEST_REBUILD: f64 = 10.0;

/// A server with one tool.
const SERVER: &str = r#"use jackfield::{Server, tool, tools};

/// Add two numbers.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[tokio::main]
async fn main() -> jackfield::Result {
    Server::new("small").tools(tools![add]).run_cli().await
}
"#;

/// Prints how many crates a small server depends on; fails when there are too many.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let mut broken = Vec::new();
    for (features, most) in [("default", MOST_BY_DEFAULT), ("without validation", MOST_WITHOUT_VALIDATION)] {
        let server = SmallServer::write(workspace, features == "default")?;
        let crates = third_party(&server.tree()?);
        let verdict = if crates.len() <= most { "ok" } else { "TOO MANY" };
        println!("features {features:<18} {:>4} crates of others, at most {most:>3}: {verdict}", crates.len());
        if crates.len() > most {
            broken.push(format!("features {features}: {}", crates.into_iter().collect::<Vec<_>>().join(", ")));
        }
    }
    if !broken.is_empty() {
        bail!("a server with one tool depends on too many crates\n{}", broken.join("\n"));
    }
    Ok(())
}

/// Prints how long a small server builds after an edit; fails when it is too long.
pub(crate) fn rebuild(workspace: &Workspace) -> Result<()> {
    let server = SmallServer::write(workspace, true)?;
    server.build()?;
    let before = processor_seconds()?;
    std::fs::write(server.folder.join("src/main.rs"), SERVER.replace("a + b", "b + a"))?;
    server.build()?;
    let seconds = processor_seconds()? - before;
    println!("an edit rebuilds in {seconds:.1} s of processor time, at most {LONGEST_REBUILD:.0} s");
    if seconds > LONGEST_REBUILD {
        bail!("a release build after an edit takes too long");
    }
    Ok(())
}

/// A crate outside the workspace, as a user would have it.
struct SmallServer {
    folder: PathBuf,
    cargo: Command,
}

impl SmallServer {
    fn write(workspace: &Workspace, default_features: bool) -> Result<Self> {
        let folder = workspace.target.join("small-server");
        let library = workspace.root.join("crates/jackfield");
        let manifest = format!(
            "[package]\nname = \"small-server\"\nedition = \"2024\"\npublish = false\n\n\
             [dependencies]\n\
             jackfield = {{ path = {library:?}, default-features = {default_features}, features = [\"server\"] }}\n\
             tokio = {{ version = \"1\", default-features = false, features = [\"macros\", \"rt-multi-thread\"] }}\n\n\
             [workspace]\n"
        );
        std::fs::create_dir_all(folder.join("src"))?;
        std::fs::write(folder.join("Cargo.toml"), manifest)?;
        std::fs::write(folder.join("src/main.rs"), SERVER)?;
        // The same versions as in the workspace, so that the count changes with our own changes only.
        std::fs::copy(workspace.root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
        let mut cargo = workspace.cargo();
        cargo.current_dir(&folder).stderr(Stdio::inherit());
        Ok(Self { folder, cargo })
    }

    fn tree(mut self) -> Result<String> {
        let arguments = ["tree", "--quiet", "--edges", "normal,build", "--prefix", "none", "--no-dedupe"];
        let output = self.cargo.args(arguments).output().context("cannot run cargo tree")?;
        if !output.status.success() {
            bail!("cargo tree failed");
        }
        Ok(String::from_utf8(output.stdout)?)
    }

    fn build(&self) -> Result<()> {
        let mut command = Command::new(self.cargo.get_program());
        command.current_dir(&self.folder).args(["build", "--release", "--target-dir", "target"]);
        if !command.status().context("cannot run cargo build")?.success() {
            bail!("the small server does not build");
        }
        Ok(())
    }
}

/// Returns the crates of others in what `cargo tree --prefix none` prints: those that do not lie in a folder of ours.
fn third_party(tree: &str) -> BTreeSet<String> {
    tree.lines()
        .filter(|line| !line.contains(" (/") && !line.contains(":\\"))
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let (name, version) = (words.next()?, words.next()?);
            version.starts_with('v').then(|| format!("{name} {version}"))
        })
        .collect()
}

/// Returns the processor time of all children that have ended, as Linux counts it.
fn processor_seconds() -> Result<f64> {
    /// Ticks per second in `/proc`, the same on every Linux.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").context("processor time is counted on Linux only")?;
    let ticks = children_ticks(&stat).context("cannot read /proc/self/stat")?;
    Ok(ticks as f64 / TICKS)
}

/// Returns `cutime + cstime`, the 16th and 17th field; the second one is in brackets and may hold anything.
fn children_ticks(stat: &str) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut times = after_name.split_whitespace().skip(13).map(|field| field.parse::<u64>().ok());
    Some(times.next()?? + times.next()??)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_are_counted_once_and_ours_are_not() {
        let tree = "small-server v0.0.0 (/tmp/target/small-server)\n\
            jackfield v0.1.0 (/tmp/crates/jackfield)\n\
            jackfield-macros v0.1.0 (proc-macro) (/tmp/crates/macros)\n\
            syn v2.0.119\n\
            serde_derive v1.0.229 (proc-macro)\n\
            syn v2.0.119\n\
            syn v3.0.0\n\
            \n\
            [build-dependencies]\n";
        let names: Vec<_> = third_party(tree).into_iter().collect();
        assert_eq!(names, ["serde_derive v1.0.229", "syn v2.0.119", "syn v3.0.0"]);
    }

    #[test]
    fn ticks_are_found_behind_a_strange_name() {
        let stat = "1 (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 40 2 20 0 1";
        assert_eq!(children_ticks(stat), Some(42));
        assert_eq!(children_ticks("1 (a) S 1"), None);
    }
}
