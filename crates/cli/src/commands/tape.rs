//! `jackfield tape`: what was recorded.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use jackfield::tape::{ReadError, Reader};

use crate::failure::{Class, Failure};
use crate::show::Screen;
use crate::tape::Teller;

/// The arguments of `jackfield tape`.
#[derive(Debug, Args)]
#[command(
    after_help = "A tape is written by --tape FILE, which all commands have that use a server, and `jackfield serve` and `jackfield gateway`. \
It is one line of JSON for each message, so that jq and other tools can read it too. What says that it is secret is left out when it is \
recorded.\n\n\
→ is what the client sent, ← what the server sent; then comes the connection or session.\n\n\
Examples:\n  jackfield call echo message=hi --tape run.tape -- my-server\n  jackfield tape run.tape\n  \
jq 'select(.message.error)' run.tape"
)]
pub(crate) struct Tape {
    /// The tape
    file: PathBuf,
    /// Show each message whole
    #[arg(long)]
    full: bool,
}

impl Tape {
    pub(crate) fn run(self, screen: &mut Screen) -> Result<ExitCode, Failure> {
        let name = self.file.display();
        let reader = Reader::open(&self.file)
            .map_err(|error| Failure::usage(format!("{name} cannot be opened")).why(error.to_string()))?;
        let mut teller = Teller::new(screen.style());
        let mut unreadable = 0_u64;
        for entry in reader {
            match entry {
                Ok(entry) => screen.page(&teller.tell(&entry, self.full))?,
                // Whoever recorded was stopped, or is still at work.
                Err(error @ ReadError::CutOff { .. }) => eprintln!("note: {error}"),
                Err(error @ (ReadError::Bad { .. } | ReadError::TooLong { .. })) => {
                    unreadable += 1;
                    eprintln!("warning: {error}");
                }
                Err(ReadError::Io(error)) => {
                    screen.flush()?;
                    return Err(Failure::new(Class::Failed, format!("{name} cannot be read")).why(error.to_string()));
                }
                Err(error) => {
                    screen.flush()?;
                    return Err(Failure::usage(format!("{name} cannot be shown")).why(error.to_string()));
                }
            }
        }
        screen.page(&teller.summary())?;
        screen.flush()?;
        match unreadable {
            0 => Ok(ExitCode::SUCCESS),
            1 => Err(Failure::new(Class::Failed, format!("a line of {name} could not be read"))),
            count => Err(Failure::new(Class::Failed, format!("{count} lines of {name} could not be read"))),
        }
    }
}
