//! Configuration files that are written.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use jackfield_host::{ConfigError, ConfigFile, with_server, without_server};
use serde_json::Value;

use super::config::usual_places;
use crate::failure::{Class, Failure};

/// The file that gets new servers: the first of the usual ones that is there, or else a new one in the working directory.
pub(crate) fn file_for_new_servers() -> PathBuf {
    let places = usual_places(&|name| std::env::var(name).ok());
    places.into_iter().find(|place| place.is_file()).unwrap_or_else(|| PathBuf::from("mcp.json"))
}

/// Returns the text of a file with one more server in it. Nothing is written.
pub(crate) fn add_to_file(file: &Path, name: &str, server: &Value) -> Result<String, Failure> {
    let text = text_of(file)?.unwrap_or_default();
    with_server(&text, name, server).map_err(|why| {
        let failure = Failure::usage(format!("{name:?} cannot be added to {}", file.display())).why(why.to_string());
        if matches!(why, ConfigError::Known(_)) { failure.hint(format!("jackfield remove {name}")) } else { failure }
    })
}

/// Returns the file that has a server, in `file` or in the usual places, and its text without it. Nothing is written.
pub(crate) fn remove_from_file(name: &str, file: Option<&Path>) -> Result<(PathBuf, String), Failure> {
    let places = match file {
        Some(file) => vec![file.to_owned()],
        None => usual_places(&|name| std::env::var(name).ok()),
    };
    for place in places {
        let text = match text_of(&place)? {
            Some(text) => text,
            None if file.is_none() => continue,
            None => return Err(absent(&place)),
        };
        let without = without_server(&text, name)
            .map_err(|why| Failure::usage(format!("{} cannot be used", place.display())).why(why.to_string()))?;
        if let Some(text) = without {
            return Ok((place, text));
        }
    }
    Err(Failure::usage(format!("there is no server named {name:?}")))
}

/// Replaces a file as a whole: whoever reads it meanwhile sees the old text or the new one, and nothing is lost if we are stopped. A text
/// that could not be read again is not written.
pub(crate) fn write_file(file: &Path, text: &str) -> Result<(), Failure> {
    ConfigFile::parse(text).map_err(|why| {
        let failure = Failure::new(Class::Failed, format!("{} stays as it is", file.display()));
        failure.why(format!("what would be written could not be read again: {why}"))
    })?;
    let written = replace(file, text);
    written.map_err(|error| {
        Failure::new(Class::Failed, format!("{} cannot be written", file.display())).why(error.to_string())
    })
}

fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    // A link stays a link.
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.{}.new", std::process::id()));
    let outcome = write_beside(&beside, &file, text).and_then(|()| fs::rename(&beside, &file));
    if outcome.is_err() {
        // What could not be finished is of no use to anyone; if it cannot be removed either, the first error says enough.
        let _ = fs::remove_file(&beside);
    }
    outcome
}

fn write_beside(beside: &Path, file: &Path, text: &str) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    // Variables of servers are often secret, so a new file is for its owner only.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut out = options.open(beside)?;
    if let Ok(known) = fs::metadata(file) {
        out.set_permissions(known.permissions())?;
    }
    out.write_all(text.as_bytes())?;
    out.sync_all()
}

/// Returns the text of a file; `None` if there is no such file. One that is there and cannot be read is not taken for absent.
pub(super) fn text_of(file: &Path) -> Result<Option<String>, Failure> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(unreadable(file, error.to_string())),
    }
}

/// What is said of a file that was named and is not there.
pub(super) fn absent(file: &Path) -> Failure {
    unreadable(file, "there is no such file")
}

fn unreadable(file: &Path, why: impl Into<String>) -> Failure {
    Failure::usage(format!("{} cannot be read", file.display())).why(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_can_not_be_read_again_is_not_written() {
        let file = std::env::temp_dir().join(format!("jackfield-file-{}.json", std::process::id()));
        fs::write(&file, "{\"servers\": {}}").unwrap();
        for bad in ["{\"servers\": {,,}}", "{}", ""] {
            assert!(write_file(&file, bad).is_err_and(|failure| failure.message().contains("stays as it is")));
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "{\"servers\": {}}");
        fs::remove_file(&file).unwrap();
    }
}
