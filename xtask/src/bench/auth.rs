//! `cargo xtask bench --auth`: what a bearer check adds to a call, and whether the time of a refusal tells something.
//!
//! Each is a program that compares two things in one run, because times mean nothing by themselves on a shared machine.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::workspace::{MEASURED, Workspace};

const PROGRAMS: &[&str] = &["auth_cost", "auth_timing"];

/// Builds and runs the programs; fails when one does.
pub(super) fn run(workspace: &Workspace) -> Result<()> {
    for name in PROGRAMS {
        let words = [MEASURED[0], MEASURED[1], "--package", "jackfield", "--features", "auth", "--example", name];
        let program = workspace.build_executable(&words)?;
        println!("{name}");
        ensure!(Command::new(program).status()?.success(), "{name} failed");
    }
    Ok(())
}
