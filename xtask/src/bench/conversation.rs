//! Talks to a server over its standard input and output, without depending on who is faster.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// A server under valgrind is slow, but not that slow.
const DEADLINE: Duration = Duration::from_mins(5);

/// Lines that are written at once, and how many answers are read before the next turn.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) lines: String,
    pub(super) answers: u64,
}

/// Starts the command, takes the turns, closes its input and waits for its end.
///
/// Fails when an answer is missing, is an error, or there is one too many; the server's log is in `log`.
pub(super) fn hold(command: &mut Command, turns: &[Turn], log: &Path) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(File::create(log)?).spawn();
    let mut child = spawned.with_context(|| format!("cannot start {name}"))?;
    let input = child.stdin.take().context("the input is piped")?;
    let output = BufReader::with_capacity(1 << 16, child.stdout.take().context("the output is piped")?);
    let (in_time, outcome) = within(DEADLINE, &mut child, || talk(input, output, turns));
    let status = child.wait()?;
    if !in_time {
        bail!("{name} did not finish within {} s", DEADLINE.as_secs());
    }
    outcome.with_context(|| format!("{name} does not answer as it should; its log is {}", log.display()))?;
    if !status.success() {
        bail!("{name} ended with {status}; its log is {}", log.display());
    }
    Ok(())
}

/// Runs `work`; ends the child, and so the work, when it takes too long.
pub(super) fn within<T>(deadline: Duration, child: &mut Child, work: impl FnOnce() -> T) -> (bool, T) {
    let (finished, waiting) = sync_channel::<()>(0);
    thread::scope(|scope| {
        let watch = scope.spawn(move || {
            let in_time = waiting.recv_timeout(deadline) != Err(RecvTimeoutError::Timeout);
            // A child that is already gone needs no killing.
            in_time || child.kill().is_err()
        });
        let result = work();
        drop(finished);
        (watch.join().unwrap_or(false), result)
    })
}

fn talk(mut input: ChildStdin, mut output: impl BufRead, turns: &[Turn]) -> Result<()> {
    for turn in turns {
        thread::scope(|scope| -> Result<()> {
            // Written by a thread of its own: both pipes may be full at the same time.
            let writer = scope.spawn(|| input.write_all(turn.lines.as_bytes()));
            read(&mut output, turn.answers)?;
            writer.join().map_err(|_| anyhow::anyhow!("the writer panicked"))?.context("cannot write a request")
        })?;
    }
    drop(input);
    let mut rest = Vec::new();
    output.read_to_end(&mut rest)?;
    if !rest.is_empty() {
        bail!("there are more answers than requests: {}", excerpt(&rest));
    }
    Ok(())
}

/// Reads all answers even when one is wrong: the writer ends only when somebody reads.
fn read(output: &mut impl BufRead, answers: u64) -> Result<()> {
    let mut line = Vec::new();
    let mut outcome = Ok(());
    for _ in 0..answers {
        line.clear();
        if output.read_until(b'\n', &mut line)? == 0 {
            return outcome.and(Err(anyhow::anyhow!("it ended before all requests were answered")));
        }
        outcome = outcome.and_then(|()| check(&line));
    }
    outcome
}

/// An answer is a result, and not one that reports a failed tool.
fn check(line: &[u8]) -> Result<()> {
    let holds = |needle: &str| line.windows(needle.len()).any(|window| window == needle.as_bytes());
    // The beginning of the result is enough: lists and documents are long.
    let head = &line[..line.len().min(400)];
    if !head.windows(9).any(|window| window == b"\"result\":") || holds("\"isError\":true") {
        bail!("it answered {}", excerpt(line));
    }
    Ok(())
}

fn excerpt(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned()
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn shell(script: &str, turns: &[Turn]) -> Result<()> {
        static LOGS: AtomicUsize = AtomicUsize::new(0);
        let number = LOGS.fetch_add(1, Ordering::Relaxed);
        let log = std::env::temp_dir().join(format!("xtask-{}-{number}.log", std::process::id()));
        let outcome = hold(Command::new("sh").args(["-c", script]), turns, &log);
        std::fs::remove_file(&log).unwrap();
        outcome
    }

    fn turn(lines: &str, answers: u64) -> Turn {
        Turn { lines: lines.into(), answers }
    }

    #[test]
    fn turns_are_taken_one_after_the_other() {
        let turns = [turn("{\"result\":1}\n", 1), turn("{\"result\":2}\n{\"result\":3}\n", 2)];
        shell("cat", &turns).unwrap();
    }

    #[test]
    fn more_than_the_pipes_hold_is_no_deadlock() {
        let lines = "{\"result\":1}\n".repeat(50_000);
        shell("cat", &[turn(&lines, 50_000)]).unwrap();
    }

    #[test]
    fn wrong_answers_are_refused() {
        assert!(shell("cat", &[turn("{\"error\":1}\n", 1)]).is_err());
        assert!(shell("cat", &[turn("{\"result\":{\"isError\":true}}\n", 1)]).is_err());
        assert!(shell("head -n 1", &[turn("{\"result\":1}\n{\"result\":2}\n", 2)]).is_err(), "one is missing");
        assert!(shell("cat", &[turn("{\"result\":1}\n{\"result\":2}\n", 1)]).is_err(), "one too many");
        assert!(shell("cat; exit 3", &[turn("{\"result\":1}\n", 1)]).is_err(), "a bad end");
    }

    #[test]
    fn a_child_that_hangs_is_ended() {
        let mut child = Command::new("sleep").arg("1000").stdout(Stdio::piped()).spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        let (in_time, ()) = within(Duration::from_millis(1), &mut child, || {
            output.read_to_end(&mut Vec::new()).unwrap();
        });
        assert!(!in_time);
        child.wait().unwrap();
    }
}
