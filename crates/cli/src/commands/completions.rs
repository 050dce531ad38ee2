//! `jackfield completions`: what a shell needs to complete our commands.

use std::process::ExitCode;

use clap::Args;
use clap_complete::Shell;

use crate::failure::Failure;
use crate::show::Screen;

/// The arguments of `jackfield completions`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
jackfield completions bash > ~/.local/share/bash-completion/completions/jackfield\n  \
jackfield completions zsh > \"${fpath[1]}/_jackfield\"\n  \
jackfield completions fish > ~/.config/fish/completions/jackfield.fish")]
pub(crate) struct Completions {
    /// Which shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, mut command: clap::Command, screen: &mut Screen) -> Result<ExitCode, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "jackfield", &mut script);
        screen.bytes(&script)?;
        screen.flush()?;
        Ok(ExitCode::SUCCESS)
    }
}
