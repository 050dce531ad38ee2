//! Runs named steps one after the other, up to the first failure, and prints how each ended and how long it took.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// How a step ended when it did not fail.
#[derive(Debug)]
pub(crate) enum Outcome {
    Passed,
    /// With a figure worth showing.
    Measured(String),
    /// With the reason.
    Skipped(String),
}

impl From<()> for Outcome {
    fn from((): ()) -> Self {
        Self::Passed
    }
}

/// The steps that have run so far.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    rows: Vec<Row>,
    failure: Option<anyhow::Error>,
}

/// One line of the summary.
#[derive(Debug)]
struct Row {
    name: String,
    result: String,
    took: Duration,
}

impl Steps {
    /// Runs a step, unless an earlier one failed.
    pub(crate) fn run<T: Into<Outcome>>(&mut self, name: &str, step: impl FnOnce() -> Result<T>) {
        if self.failure.is_some() {
            return self.push(name, "not run".to_owned(), Duration::ZERO);
        }
        println!("\n=== {name} ===");
        let start = Instant::now();
        let result = match step().map(Into::into) {
            Ok(Outcome::Passed) => "passed".to_owned(),
            Ok(Outcome::Measured(figure)) => format!("passed: {figure}"),
            Ok(Outcome::Skipped(reason)) => format!("skipped: {reason}"),
            Err(error) => {
                self.failure = Some(error.context(format!("the step `{name}` failed")));
                "FAILED".to_owned()
            }
        };
        self.push(name, result, start.elapsed());
    }

    /// Notes a step that is not run, with the reason.
    pub(crate) fn leave_out(&mut self, name: &str, reason: &str) {
        self.push(name, format!("left out: {reason}"), Duration::ZERO);
    }

    /// Prints the summary and the notes; fails if a step failed.
    pub(crate) fn finish(self, notes: &[String]) -> Result<()> {
        println!("\n{}", self.summary());
        for note in notes {
            println!("note: {note}");
        }
        self.failure.map_or(Ok(()), Err)
    }

    fn push(&mut self, name: &str, result: String, took: Duration) {
        self.rows.push(Row { name: name.to_owned(), result, took });
    }

    fn summary(&self) -> String {
        let mut text = format!("{:<16} {:>8}  result\n", "step", "seconds");
        for row in &self.rows {
            text.push_str(&format!("{:<16} {:>8.1}  {}\n", row.name, row.took.as_secs_f64(), row.result));
        }
        let total: Duration = self.rows.iter().map(|row| row.took).sum();
        text.push_str(&format!("{:<16} {:>8.1}\n", "total", total.as_secs_f64()));
        text
    }
}

/// Runs a command whose output is shown; an error names the command.
pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {}", command.get_program().display()))?;
    if !status.success() {
        let name = std::path::Path::new(command.get_program()).file_stem().unwrap_or_default().to_string_lossy();
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
        bail!("`{name} {}` ended with {status}", words.join(" "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_ends_the_run() {
        let mut steps = Steps::default();
        steps.run("format", || Ok(()));
        steps.run("count", || Ok(Outcome::Measured("12 of 12".to_owned())));
        steps.leave_out("fuzz", "nothing it reads has changed");
        steps.run("clippy", || -> Result<()> { bail!("a lint") });
        steps.run("tests", || -> Result<()> { panic!("must not run") });
        let text = steps.summary();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[1][2..], ["passed"]);
        assert_eq!(lines[2][2..], ["passed:", "12", "of", "12"]);
        assert_eq!(lines[3][2..4], ["left", "out:"]);
        assert_eq!(lines[4][2..], ["FAILED"]);
        assert_eq!(lines[5][2..], ["not", "run"]);
        assert_eq!(format!("{:#}", steps.finish(&[]).unwrap_err()), "the step `clippy` failed: a lint");
    }

    #[test]
    fn a_failing_command_is_named() {
        let error = succeed(Command::new("sh").args(["-c", "exit 3"])).unwrap_err();
        assert!(error.to_string().starts_with("`sh -c exit 3` ended with"), "{error}");
    }
}
