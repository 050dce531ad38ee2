//! Windows has no process groups in this sense: only the child itself is ended.

use tokio::process::Command;

pub(super) fn own_group(_command: &mut Command) {}

/// Nothing: there is no group.
#[derive(Debug)]
pub(super) struct Group;

impl Group {
    pub(super) fn new(_leader: u32) -> Option<Self> {
        None
    }

    pub(super) fn ask_to_end(&self) {}

    pub(super) fn kill(&self) {}
}
