//! `cargo xtask compile-errors`: what users read when they use the macros wrongly.
//!
//! Each case in `crates/jackfield/tests/ui` must be refused with the messages in the file beside it: every error with its place, and
//! the notes and hints that tell what to write. The cases are compiled against the library that the tests have built, so that nothing
//! is built twice.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde::Deserialize;

use crate::parallel;
use crate::steps::Outcome;
use crate::test_cache::{self, TestCache};
use crate::workspace::Workspace;

const CASES: &str = "crates/jackfield/tests/ui";

/// The crate that cases name. Others may be built in several ways, for our programs and for build scripts.
const LIBRARY: &str = "jackfield";

/// What to do.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Write the messages as they are now into the files beside the cases.
    #[arg(long)]
    bless: bool,
}

/// Compiles all cases; fails where the messages are not the expected ones.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let library = Library::build(workspace)?;
    let cases = cases(&workspace.root.join(CASES))?;
    let messages = parallel::map(&cases, |case| library.messages(workspace, case));
    let mut differing = 0;
    for (case, messages) in cases.iter().zip(messages) {
        let (messages, expected) = (messages?, case.with_extension("stderr"));
        if options.bless {
            std::fs::write(expected, messages)?;
        } else if std::fs::read_to_string(&expected).unwrap_or_default() != messages {
            differing += 1;
            println!("{} is refused with other messages than {}:\n{messages}", case.display(), expected.display());
        }
    }
    if differing > 0 {
        bail!("{differing} of {} cases differ; `cargo xtask compile-errors --bless` accepts the messages", cases.len());
    }
    println!("{} mistakes are explained as expected", cases.len());
    Ok(())
}

/// The same as a step: not repeated if neither the cases nor the library have changed.
pub(crate) fn check(workspace: &Workspace, cache: &mut TestCache) -> Result<Outcome> {
    const NAME: &str = "compile errors";
    let library = Library::build(workspace)?;
    let folder = workspace.root.join(CASES);
    let expected = cases(&folder)?.into_iter().flat_map(|case| [case.with_extension("stderr"), case]);
    let files: Vec<PathBuf> = expected.chain([library.path.clone()]).collect();
    let fingerprint = test_cache::artifact_fingerprint(files.iter().map(PathBuf::as_path));
    if cache.is_current(NAME, fingerprint) {
        return Ok(Outcome::Measured("unchanged since the last pass".to_owned()));
    }
    cache.forget([NAME])?;
    run(workspace, &Options { bless: false })?;
    cache.remember([(NAME.to_owned(), fingerprint)])?;
    Ok(Outcome::Passed)
}

fn cases(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = folder.read_dir().with_context(|| format!("cannot list {}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    paths.sort();
    ensure!(!paths.is_empty(), "there are no cases in {}", folder.display());
    Ok(paths)
}

/// The library that cases use, as the tests of the workspace use it.
struct Library {
    path: PathBuf,
}

impl Library {
    /// Asks cargo for it; it is built already if the tests are.
    fn build(workspace: &Workspace) -> Result<Self> {
        let artifacts = workspace.test_artifacts()?.into_iter();
        let built = artifacts.filter(|artifact| !artifact.profile.test && artifact.target.name == LIBRARY);
        let mut paths: Vec<PathBuf> = built.flat_map(|artifact| artifact.filenames).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "rlib"));
        match <[PathBuf; 1]>::try_from(paths) {
            Ok([path]) => Ok(Self { path }),
            Err(paths) => bail!("the tests use {} libraries {LIBRARY} instead of one", paths.len()),
        }
    }

    /// Compiles a case and returns what the compiler says.
    fn messages(&self, workspace: &Workspace, case: &Path) -> Result<String> {
        let dependencies = self.path.parent().context("a library lies in a folder")?;
        let folder = workspace.target.join("xtask/ui");
        std::fs::create_dir_all(&folder)?;
        let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        command.current_dir(&workspace.root).args([
            "--edition",
            "2024",
            "--error-format",
            "json",
            "--emit",
            "metadata",
        ]);
        command.arg("-L").arg(format!("dependency={}", dependencies.display())).arg("--out-dir").arg(&folder);
        command.arg("--extern").arg(format!("{LIBRARY}={}", self.path.display()));
        let output = command.arg(case).output().context("cannot run rustc")?;
        ensure!(!output.status.success(), "{} compiles, but must not", case.display());
        let stderr = String::from_utf8(output.stderr)?;
        let diagnostics = stderr.lines().map(serde_json::from_str).collect::<Result<Vec<Diagnostic>, _>>();
        let diagnostics = diagnostics.with_context(|| format!("rustc does not write JSON: {stderr}"))?;
        Ok(diagnostics.iter().filter(|diagnostic| diagnostic.is_in_case()).map(Diagnostic::to_string).collect())
    }
}

/// What the compiler says about one mistake.
#[derive(Debug, Deserialize)]
struct Diagnostic {
    level: String,
    message: String,
    code: Option<Code>,
    spans: Vec<Span>,
    children: Vec<Diagnostic>,
}

#[derive(Debug, Deserialize)]
struct Code {
    code: String,
}

#[derive(Debug, Deserialize)]
struct Span {
    file_name: String,
    line_start: usize,
    column_start: usize,
    is_primary: bool,
    label: Option<String>,
    suggested_replacement: Option<String>,
}

impl Diagnostic {
    /// The compiler ends with a count of errors, which is about no place.
    fn is_in_case(&self) -> bool {
        self.spans.iter().any(Span::is_in_case)
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let code = self.code.as_ref().map_or_else(String::new, |code| format!("[{}]", code.code));
        writeln!(f, "{}{code}: {}", self.level, self.message)?;
        for span in self.spans.iter().filter(|span| span.is_in_case()) {
            writeln!(f, "  {span}")?;
        }
        for child in &self.children {
            // Places in the library change with every edit there, and lists of types with every new type.
            let is_elsewhere = !child.spans.is_empty() && !child.is_in_case();
            if is_elsewhere || child.message.starts_with("the following other types implement") {
                continue;
            }
            let mut text = format!("{}: {}", child.level, child.message);
            for span in child.spans.iter().filter(|span| span.is_in_case()) {
                let _ = write!(text, "\n{span}");
            }
            for line in text.lines() {
                writeln!(f, "  {line}")?;
            }
        }
        writeln!(f)
    }
}

impl Span {
    fn is_in_case(&self) -> bool {
        self.file_name.contains(CASES)
    }
}

impl std::fmt::Display for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mark = if self.is_primary { "-->" } else { "..." };
        write!(f, "{mark} line {}, column {}", self.line_start, self.column_start)?;
        if let Some(text) = self.label.as_ref().or(self.suggested_replacement.as_ref()) {
            write!(f, ": {text}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_place_and_the_hints() {
        let span = |file: &str, label: &str| {
            format!(
                r#"{{"file_name":"{file}","line_start":6,"column_start":44,"is_primary":true,"label":"{label}","suggested_replacement":null}}"#
            )
        };
        let child = |message: &str, spans: &str| {
            format!(r#"{{"level":"note","message":"{message}","code":null,"spans":[{spans}],"children":[]}}"#)
        };
        let children = [
            child("implement `FromCx`", ""),
            child("required by a bound", &span("crates/server/src/convert.rs", "here")),
            child("the following other types implement trait `FromCx`", ""),
        ];
        let text = format!(
            r#"{{"level":"error","message":"no","code":{{"code":"E0277"}},"spans":[{}],"children":[{}]}}"#,
            span("x/crates/jackfield/tests/ui/a.rs", "not an extractor"),
            children.join(",")
        );
        let diagnostic: Diagnostic = serde_json::from_str(&text).unwrap();
        assert!(diagnostic.is_in_case());
        let expected = "error[E0277]: no\n  --> line 6, column 44: not an extractor\n  note: implement `FromCx`\n\n";
        assert_eq!(diagnostic.to_string(), expected);
    }
}
