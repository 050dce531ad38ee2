//! Which processors servers and those who send to them have.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::workspace::program;

/// The processors that this process may use.
///
/// Servers have one and the sender has another: where they move from one to the other, that is all that can be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Processors {
    Apart {
        servers: String,
        sender: String,
        /// All of them, in the form of the kernel.
        allowed: String,
    },
    /// There is only one, or nobody here can say who has which.
    Shared,
}

impl Processors {
    /// Asks the kernel.
    pub(super) fn find() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let found = if program("taskset").is_some() { Self::of(&status) } else { Self::Shared };
        if found == Self::Shared {
            println!("servers and sender share their processors; the rates say little");
        }
        found
    }

    fn of(status: &str) -> Self {
        let allowed =
            status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap_or_default().trim();
        match listed(allowed).as_slice() {
            [servers, sender, ..] => {
                Self::Apart { servers: servers.to_string(), sender: sender.to_string(), allowed: allowed.to_owned() }
            }
            _ => Self::Shared,
        }
    }

    /// Returns the command of a server.
    pub(super) fn server(&self, program: &Path) -> Command {
        match self {
            Self::Shared => Command::new(program),
            Self::Apart { servers, .. } => {
                let mut command = Command::new("taskset");
                command.args(["--cpu-list", servers]).arg(program);
                command
            }
        }
    }

    /// Keeps the sender, which is this thread, on its processor until what is returned is dropped.
    pub(super) fn stay(&self) -> Result<Stay<'_>> {
        if let Self::Apart { sender, .. } = self {
            pin(sender)?;
        }
        Ok(Stay(self))
    }
}

/// Somebody stays on one processor.
#[derive(Debug)]
pub(super) struct Stay<'a>(&'a Processors);

impl Drop for Stay<'_> {
    fn drop(&mut self) {
        if let Processors::Apart { allowed, .. } = self.0
            && let Err(error) = pin(allowed)
        {
            println!("this process stays on one processor: {error}");
        }
    }
}

fn pin(processors: &str) -> Result<()> {
    let mut command = Command::new("taskset");
    command.args(["--cpu-list", "--pid", processors, &std::process::id().to_string()]).stdout(Stdio::null());
    ensure!(command.status().context("taskset could not be started")?.success(), "taskset failed");
    Ok(())
}

/// Reads a list such as `0-2,5`. What cannot be read is not there.
fn listed(list: &str) -> Vec<u32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
    };
    list.split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(list: &str, expected: Option<(&str, &str)>) {
        let expected = expected.map_or(Processors::Shared, |(servers, sender)| Processors::Apart {
            servers: servers.into(),
            sender: sender.into(),
            allowed: list.into(),
        });
        let status = format!("Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t{list}\nMems_allowed:\t1\n");
        assert_eq!(Processors::of(&status), expected, "{list}");
    }

    #[test]
    fn servers_and_senders_are_apart_where_there_are_two() {
        check("0-1", Some(("0", "1")));
        check("3,7-9", Some(("3", "7")));
        check("0-63,128", Some(("0", "1")));
        check("5", None);
        check("", None);
        assert_eq!(Processors::of("Name:\tx\n"), Processors::Shared);
    }

    #[test]
    fn a_server_is_started_on_its_processor() {
        let apart = Processors::Apart { servers: "3".into(), sender: "7".into(), allowed: "3,7".into() };
        let command = apart.server(Path::new("x"));
        assert_eq!(command.get_args().collect::<Vec<_>>(), ["--cpu-list", "3", "x"]);
        assert_eq!(Processors::Shared.server(Path::new("x")).get_program(), "x");
    }
}
