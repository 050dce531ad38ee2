//! What is said about a server that this build does not have.

use std::ffi::{OsStr, OsString};

use crate::failure::{Failure, likely};

/// Every server, and whether this build has it.
const SERVERS: [(&str, bool); 8] = [
    ("everything", cfg!(feature = "everything")),
    ("fetch", cfg!(feature = "fetch")),
    ("filesystem", cfg!(feature = "filesystem")),
    ("git", cfg!(feature = "git")),
    ("memory", cfg!(feature = "memory")),
    ("sequentialthinking", cfg!(feature = "sequentialthinking")),
    ("sqlite", cfg!(feature = "sqlite")),
    ("time", cfg!(feature = "time")),
];

/// Says why the server named by the first of `words` is not run.
pub(super) fn failure(words: &[OsString]) -> Failure {
    let name = words.first().map(OsString::as_os_str).unwrap_or_else(|| OsStr::new("")).to_string_lossy();
    if SERVERS.iter().any(|(known, _)| *known == name) {
        return Failure::usage(format!("this build has no server {name}"))
            .why("each server is a feature of the crate `jackfield-cli`, and this one was off")
            .hint(format!("build it in: cargo install jackfield-cli --features {name} (or servers, for all of them)"));
    }
    let built = SERVERS.iter().filter(|(_, is_built)| *is_built).map(|(known, _)| *known);
    let built: Vec<&str> = built.collect();
    let meant = likely(&name, SERVERS.iter().map(|(known, _)| *known));
    Failure::usage(format!("there is no server {name}"))
        .hint_if(meant.map(|meant| format!("did you mean `jackfield serve {meant}`?")))
        .hint(format!("use one of those in this build: {}", built.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_was_not_built_in_names_its_feature() {
        let message = failure(&["git".into()]).message();
        assert!(message.contains("--features git"), "{message}");
        let message = failure(&["gti".into()]).message();
        assert!(message.contains("there is no server gti"), "{message}");
        assert!(failure(&["memroy".into()]).message().contains("did you mean `jackfield serve memory`?"));
    }
}
