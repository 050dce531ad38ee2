//! The folders that a client lets a server work in, as folders.

use std::io;
use std::path::{Component, Path, PathBuf};

use jackfield_protocol::Root;

use crate::{Cx, QuestionError};

/// The folders and files that a client lets a server work in.
///
/// Paths are looked at as the file system has them: `..` and symbolic links lead nowhere else, and a root that has gone away since the
/// client named it holds nothing. A check is true for the moment in which it is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roots {
    folders: Vec<PathBuf>,
}

/// Why a path must not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutsideRoots {
    /// It is in none of the roots.
    #[error("the path is outside of the folders that the client allows")]
    Outside,
    /// There is no root that exists any more.
    #[error("the folders that the client allows do not exist any more")]
    Gone,
    /// It cannot be looked at.
    #[error("the path cannot be looked at")]
    Unreadable(#[source] io::Error),
}

impl Roots {
    /// Takes the roots that a client named. Those that are no files of this machine hold nothing.
    #[must_use]
    pub fn new(roots: &[Root]) -> Self {
        Self { folders: roots.iter().filter_map(|root| path_of(&root.uri)).collect() }
    }

    /// Returns the real path of a file or folder in one of the roots; a relative path is meant from the first of them. The last parts of
    /// a path need not exist yet.
    ///
    /// # Errors
    /// It leads out of the roots, or they are gone.
    pub fn resolve(&self, path: impl AsRef<Path>) -> Result<PathBuf, OutsideRoots> {
        let real: Vec<PathBuf> = self.folders.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
        let first =
            real.first().ok_or(if self.folders.is_empty() { OutsideRoots::Outside } else { OutsideRoots::Gone })?;
        let found = real_path(&first.join(path)).map_err(OutsideRoots::Unreadable)?;
        if real.iter().any(|root| found.starts_with(root)) { Ok(found) } else { Err(OutsideRoots::Outside) }
    }

    /// Returns the real path of a `file://` URI in one of the roots.
    ///
    /// # Errors
    /// It is no such URI, leads out of the roots, or they are gone.
    pub fn resolve_uri(&self, uri: &str) -> Result<PathBuf, OutsideRoots> {
        self.resolve(path_of(uri).ok_or(OutsideRoots::Outside)?)
    }

    /// Returns the folders that exist.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(PathBuf::as_path).filter(|folder| folder.exists())
    }

    /// Returns the folders that the client named and that do not exist any more.
    pub fn gone(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(PathBuf::as_path).filter(|folder| !folder.exists())
    }
}

impl Cx {
    /// Asks for the folders that the client lets this server work in, to check paths by them. The client may change them, so they
    /// are asked for in each call.
    ///
    /// # Errors
    /// The client has none, or did not answer.
    pub async fn root_folders(&self) -> Result<Roots, QuestionError> {
        self.roots().await.map(|roots| Roots::new(&roots))
    }
}

/// Resolves the part of a path that exists, and appends the rest, which must not lead anywhere else.
fn real_path(path: &Path) -> io::Result<PathBuf> {
    let mut rest = Vec::new();
    let mut existing = path;
    loop {
        match existing.canonicalize() {
            Ok(mut real) => {
                real.extend(rest.iter().rev());
                return Ok(real);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && existing.symlink_metadata().is_err() => {
                let last = existing.components().next_back();
                // `..` of a folder that does not exist would be decided by whoever makes the folder.
                let (Some(Component::Normal(name)), Some(parent)) = (last, existing.parent()) else {
                    return Err(error);
                };
                rest.push(name.to_owned());
                existing = parent;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Returns the path of a `file://` URI of this machine.
fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let decoded = decoded(path.starts_with('/').then_some(path)?)?;
    // `file:///C:/x` names `C:/x` where there are drives.
    let decoded = if cfg!(windows) { decoded.trim_start_matches('/').to_owned() } else { decoded };
    Some(PathBuf::from(decoded))
}

/// Replaces `%20` and the like; none if it is not text, or hides a separator or the end of a text.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut parts = path.split('%');
    bytes.extend_from_slice(parts.next()?.as_bytes());
    for part in parts {
        let byte = u8::from_str_radix(part.get(..2)?, 16).ok()?;
        if matches!(byte, 0 | b'/' | b'\\') {
            return None;
        }
        bytes.push(byte);
        bytes.extend_from_slice(part.get(2..)?.as_bytes());
    }
    String::from_utf8(bytes).ok()
}
