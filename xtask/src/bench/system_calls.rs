//! System calls per request, counted by strace.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::figure::Figure;
use super::scenario::ECHO;
use super::{Program, conversation, per_request};

/// Requests under way at once, and most system calls per request.
const DEPTHS: &[(u64, Option<f64>)] = &[(1, None), (64, Some(0.1))];

/// Rounds of the short and the long run.
const ROUNDS: (u64, u64) = (50, 550);

/// Counts the system calls of a server that answers with several requests under way.
pub(super) fn figures(server: &Program, folder: &Path) -> Result<Vec<Figure>> {
    let figure = |(depth, limit): &(u64, Option<f64>)| {
        let run = |rounds| count(server, *depth, rounds, folder);
        let requests = (ROUNDS.1 - ROUNDS.0) * depth;
        let value = per_request(run(ROUNDS.0)?, run(ROUNDS.1)?, requests);
        let name = format!("system calls, {} with {depth} under way", ECHO.name);
        Ok(Figure { name, value, limit: *limit, must_not_grow: false, fixed: None, ideal: None })
    };
    DEPTHS.iter().map(figure).collect()
}

fn count(server: &Program, depth: u64, rounds: u64, folder: &Path) -> Result<u64> {
    let report = folder.join(format!("depth-{depth}-{rounds}.strace"));
    let mut command = Command::new("strace");
    command.args(["-f", "-c", "-o"]).arg(&report).arg("--").arg(&server.path).args(&server.arguments);
    conversation::hold(&mut command, &ECHO.turns(rounds, depth), &report.with_extension("log"))?;
    let text = std::fs::read_to_string(&report).with_context(|| format!("cannot read {}", report.display()))?;
    total(&text).with_context(|| format!("{} has no table", report.display()))
}

/// Adds up the column `calls`, the fourth, between the two rulers of the table.
fn total(report: &str) -> Option<u64> {
    let rows = report.lines().skip_while(|line| !line.starts_with("------")).skip(1);
    let rows: Vec<&str> = rows.take_while(|line| !line.starts_with("------")).collect();
    if rows.is_empty() {
        return None;
    }
    rows.into_iter().map(|row| row.split_whitespace().nth(3)?.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_added_up_with_and_without_errors() {
        let report = "% time     seconds  usecs/call     calls    errors syscall\n\
            ------ ----------- ----------- --------- --------- ----------------\n\
             60.00    0.000226           7        29         1 read\n\
             40.00    0.000100           7        11           write\n\
            ------ ----------- ----------- --------- --------- ----------------\n\
            100.00    0.000326           7        40         1 total\n";
        assert_eq!(total(report), Some(40));
        assert_eq!(total("strace: attach: Operation not permitted\n"), None);
    }
}
