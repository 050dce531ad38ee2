//! Which entries of project files a person has agreed to.
//!
//! A project's file comes with the project, so its author decides what it runs and which variables it reads. An entry of such a file is
//! used after a person has agreed to it, once: the answer is kept under a digest of the file's path, the name and the whole entry, so
//! that any change asks again.

use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The most that is read of a file of approvals: some ten thousand of them.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// What a person agrees to: one entry of one file, exactly as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryDigest {
    file: PathBuf,
    name: String,
    sha256: String,
}

impl EntryDigest {
    /// Makes the digest of an entry. The file is the one that its path leads to, through all links.
    pub(crate) fn new(file: &Path, name: &str, entry: &Value) -> Self {
        let file = file.canonicalize().or_else(|_| std::path::absolute(file)).unwrap_or_else(|_| file.to_owned());
        let mut hash = Sha256::new();
        let entry = entry.to_string();
        for part in [file.as_os_str().as_encoded_bytes(), name.as_bytes(), entry.as_bytes()] {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(part);
        }
        let sha256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Self { file, name: name.to_owned(), sha256 }
    }
}

/// A file with the entries that a person has agreed to: a line of JSON for each.
#[derive(Clone, Debug)]
pub struct Approvals {
    path: PathBuf,
}

impl Approvals {
    /// Approvals that are kept in this file. It need not exist yet.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Whether a person has agreed to exactly this entry of this file.
    ///
    /// # Errors
    /// The file cannot be read. One that does not exist has no approvals; lines that are not ours are skipped.
    pub fn contains(&self, digest: &EntryDigest) -> io::Result<bool> {
        let file = match fs::File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        for line in BufReader::new(file.take(MAX_BYTES)).split(b'\n') {
            let approval: Value = serde_json::from_slice(&line?).unwrap_or_default();
            if approval["sha256"] == digest.sha256.as_str() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Keeps an approval. Processes may do so at the same time: a line is appended by one write.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn record(&self, digest: &EntryDigest) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = fs::OpenOptions::new();
        options.create(true).append(true);
        // Nobody else may add to what is run without a question.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.path)?;
        let line = json!({ "file": digest.file.to_string_lossy(), "name": digest.name, "sha256": digest.sha256 });
        // A line that was cut off, by a full disk perhaps, ends here and spoils no other.
        file.write_all(format!("\n{line}\n").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(file: &str, name: &str, entry: &Value) -> EntryDigest {
        EntryDigest::new(Path::new(file), name, entry)
    }

    #[test]
    fn a_digest_covers_path_name_and_entry() {
        let entry = json!({"command": "a", "args": ["b"]});
        let one = digest("/p/mcp.json", "x", &entry);
        assert_eq!(one, digest("/p/mcp.json", "x", &entry));
        for other in [
            digest("/q/mcp.json", "x", &entry),
            digest("/p/mcp.json", "y", &entry),
            digest("/p/mcp.json", "x", &json!({"command": "a", "args": ["c"]})),
            digest("/p/mcp.jsonx", "", &entry),
        ] {
            assert_ne!(one.sha256, other.sha256);
        }
    }

    #[test]
    fn an_approval_is_found_again_among_broken_lines() {
        let folder = std::env::temp_dir().join(format!("jackfield-approvals-{}", std::process::id()));
        let approvals = Approvals::at(folder.join("sub/approved.jsonl"));
        let (one, other) = (digest("/p/mcp.json", "x", &json!({})), digest("/p/mcp.json", "y", &json!({})));
        assert!(!approvals.contains(&one).unwrap());
        approvals.record(&one).unwrap();
        fs::OpenOptions::new().append(true).open(&approvals.path).unwrap().write_all(b"{\"sha256\": \"cut o").unwrap();
        approvals.record(&other).unwrap();
        assert!(approvals.contains(&one).unwrap() && approvals.contains(&other).unwrap());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&approvals.path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
