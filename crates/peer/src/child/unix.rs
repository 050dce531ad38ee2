//! Process groups: signals reach the child and what it started.

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::Command;

pub(super) fn own_group(command: &mut Command) {
    command.process_group(0);
}

/// The process group that a child leads.
#[derive(Debug)]
pub(super) struct Group(Pid);

impl Group {
    pub(super) fn new(leader: u32) -> Option<Self> {
        i32::try_from(leader).ok().and_then(Pid::from_raw).map(Self)
    }

    // Either fails only if nobody is left in the group.
    pub(super) fn ask_to_end(&self) {
        let _ = kill_process_group(self.0, Signal::TERM);
    }

    pub(super) fn kill(&self) {
        let _ = kill_process_group(self.0, Signal::KILL);
    }
}
