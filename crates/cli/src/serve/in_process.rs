//! Reference servers of a configuration file that need no process of their own.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::Parser;
use jackfield::Server;
use jackfield_host::CommandTarget;

use super::Serve;

/// Looks a variable up for the options of a server.
pub(super) type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

#[derive(Debug, Parser)]
#[command(name = "jackfield serve", disable_version_flag = true)]
struct CommandLine {
    #[command(flatten)]
    serve: Serve,
}

/// Returns what makes the server that a configured command would start, if that is a reference server of this program which works the
/// same way in this process. It does not if the entry sets a directory or a variable that is not an option of the server, or wants a
/// transport, store or tape of its own.
pub(crate) fn in_process(
    target: &CommandTarget,
) -> Option<impl Fn() -> Result<Server, String> + Send + Sync + 'static> {
    let [serve, words @ ..] = target.arguments.as_slice() else { return None };
    if serve != "serve" || !is_this_program(&target.program) {
        return None;
    }
    if target.directory.is_some() || !target.inherited.is_empty() {
        return None;
    }
    let (words, variables) = (words.to_vec(), target.variables.clone());
    // A command line that is wrong is explained by the process.
    let serve = parsed(&words).ok().filter(Serve::is_plain)?;
    if variables.iter().any(|(name, _)| !serve.variables().iter().any(|own| name == own)) {
        return None;
    }
    Some(move || {
        let environment = |name: &str| variables.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
        let serve = parsed(&words).map_err(|error| error.to_string())?;
        serve.server(&environment)
    })
}

fn parsed(words: &[OsString]) -> Result<Serve, clap::Error> {
    let name = OsString::from("serve");
    CommandLine::try_parse_from(std::iter::once(&name).chain(words)).map(|line| line.serve)
}

/// Whether a command starts this program: by its name, or by its path.
fn is_this_program(program: &OsStr) -> bool {
    if program == "jackfield" || program == "jackfield.exe" {
        return true;
    }
    let path = Path::new(program);
    let own = std::env::current_exe().and_then(|own| own.canonicalize());
    path.is_absolute() && own.is_ok_and(|own| path.canonicalize().is_ok_and(|path| path == own))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(program: &str, words: &[&str]) -> CommandTarget {
        let mut target = CommandTarget::new(program.into());
        target.arguments = words.iter().map(OsString::from).collect();
        target
    }

    #[cfg(feature = "time")]
    #[test]
    fn a_reference_server_needs_no_process() {
        let own = std::env::current_exe().unwrap();
        for program in ["jackfield", "jackfield.exe", own.to_str().unwrap()] {
            let make = in_process(&target(program, &["serve", "time", "--local-timezone", "UTC"]));
            assert!(make.unwrap()().is_ok(), "{program}");
        }
        let wrong = in_process(&target("jackfield", &["serve", "time", "--local-timezone", "Mars/Phobos"]));
        assert!(wrong.unwrap()().unwrap_err().contains("Mars/Phobos"));
    }

    #[test]
    fn all_else_is_started() {
        for (program, words) in [
            ("other", &["serve", "everything"][..]),
            ("./jackfield", &["serve", "everything"]),
            ("/nowhere/jackfield", &["serve", "everything"]),
            ("jackfield", &[]),
            ("jackfield", &["gateway"]),
            ("jackfield", &["serve"]),
            ("jackfield", &["serve", "everything", "--help"]),
            ("jackfield", &["serve", "everything", "--no-such-option"]),
            ("jackfield", &["serve", "everything", "--tape", "x"]),
            ("jackfield", &["serve", "everything", "--http", "127.0.0.1:0"]),
            ("jackfield", &["serve", "everything", "sse"]),
            ("jackfield", &["serve", "everything", "--show-all-env"]),
            ("jackfield", &["serve", "no-such-server"]),
        ] {
            assert!(in_process(&target(program, words)).is_none(), "{program} {words:?}");
        }
    }

    #[cfg(all(feature = "everything", feature = "memory"))]
    #[test]
    fn directories_and_variables_are_for_a_process_unless_they_are_options() {
        let with = |server: &str, name: &str, value: &str| {
            let mut target = target("jackfield", &["serve", server]);
            target.variables.push((name.into(), value.into()));
            in_process(&target).is_some()
        };
        assert!(with("memory", "MEMORY_FILE_PATH", "/data/memory.jsonl"));
        assert!(!with("memory", "HOME", "/data"));
        assert!(!with("everything", "MEMORY_FILE_PATH", "/data/memory.jsonl"));
        let mut elsewhere = target("jackfield", &["serve", "everything"]);
        elsewhere.directory = Some("/".into());
        assert!(in_process(&elsewhere).is_none());
    }
}
