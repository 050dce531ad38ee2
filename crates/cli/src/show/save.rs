//! Saving what a server sent as files. Names are ours: a server has no say in where a file goes.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::failure::{Class, Failure};

/// A folder for files that a server sends.
#[derive(Clone, Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Saves a file under a name made of `stem` and the MIME type. Nothing is ever overwritten: a number is added instead.
    pub(crate) fn save(&self, stem: &str, mime_type: Option<&str>, bytes: &[u8]) -> Result<PathBuf, Failure> {
        let cause = |path: &Path, error: &io::Error| {
            Failure::new(Class::Failed, format!("{} cannot be written", path.display())).why(error.to_string())
        };
        fs::create_dir_all(&self.0).map_err(|error| cause(&self.0, &error))?;
        let (stem, own) = harmless(stem);
        let extension = mime_type.and_then(extension).or(own.as_deref()).unwrap_or("bin").to_owned();
        for number in 1..10_000 {
            let number = if number == 1 { String::new() } else { format!("-{number}") };
            let path = self.0.join(format!("{stem}{number}.{extension}"));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    file.write_all(bytes).map_err(|error| cause(&path, &error))?;
                    return Ok(path);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(cause(&path, &error)),
            }
        }
        Err(Failure::new(Class::Failed, format!("{} has too many files of that name", self.0.display())))
    }
}

/// Splits the last part of a name or URI into a stem and an extension of harmless characters.
fn harmless(name: &str) -> (String, Option<String>) {
    let last = name.split(['?', '#']).next().unwrap_or(name).trim_end_matches('/');
    let last = last.rsplit(['/', '\\', ':']).next().unwrap_or(last);
    let clean = |text: &str| -> String {
        let kept = text.chars().map(|c| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' });
        kept.take(60).collect()
    };
    let (stem, extension) = match last.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && (1..=8).contains(&extension.len()) => (stem, Some(extension)),
        _ => (last, None),
    };
    let stem = clean(stem);
    let stem = if stem.trim_matches('_').is_empty() { "file".to_owned() } else { stem };
    (stem, extension.map(clean))
}

/// The usual extension of a MIME type.
fn extension(mime_type: &str) -> Option<&'static str> {
    let essence = mime_type.split(';').next().unwrap_or(mime_type).trim().to_ascii_lowercase();
    Some(match essence.as_str() {
        "image/png" => "png",
        "image/jpeg" | "image/jpg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        "audio/wav" | "audio/x-wav" | "audio/wave" => "wav",
        "audio/mpeg" | "audio/mp3" => "mp3",
        "audio/ogg" => "ogg",
        "audio/flac" => "flac",
        "video/mp4" => "mp4",
        "application/json" => "json",
        "application/pdf" => "pdf",
        "application/gzip" | "application/x-gzip" => "gz",
        "application/zip" => "zip",
        "text/plain" => "txt",
        "text/markdown" => "md",
        "text/html" => "html",
        "text/csv" => "csv",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_servers_lead_nowhere() {
        for (name, stem, own) in [
            ("get-tiny-image", "get-tiny-image", None),
            ("../../etc/passwd", "passwd", None),
            ("file:///etc/cron.d/x.sh", "x", Some("sh")),
            ("demo://a/b/notes.tar.gz?x=/../y", "notes_tar", Some("gz")),
            ("..", "file", None),
            ("C:\\Windows\\con", "con", None),
            ("a\u{202e}b\n", "a_b_", None),
            ("", "file", None),
        ] {
            assert_eq!(harmless(name), (stem.to_owned(), own.map(str::to_owned)), "{name:?}");
        }
    }
}
