//! Users and their passwords, in a file.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordHasher, PasswordVerifier};
use parking_lot::RwLock;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use crate::Secret;

/// Users and the Argon2id hashes of their passwords. Clones share everything.
#[derive(Clone, Debug)]
pub struct Users(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    file: Option<PathBuf>,
    users: RwLock<BTreeMap<String, User>>,
    /// A hash of nothing, so that an unknown name takes as long as a known one.
    nobody: String,
    /// Hashing takes memory and time, so only a few passwords are checked at once.
    checks: Arc<Semaphore>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct User {
    password: String,
}

/// Users cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UsersError {
    /// The file cannot be read or written.
    #[error("the file of users cannot be used")]
    File(#[source] io::Error),
    /// The file can be read by others.
    #[error("the file of users can be read by others; make it private: chmod 600")]
    Exposed,
    /// The file is not one of users.
    #[error("the file of users makes no sense")]
    Format(#[source] serde_json::Error),
    /// The name is empty, long, or holds a colon or control characters.
    #[error("this cannot be the name of a user")]
    Name,
    /// The password is shorter than eight characters, or longer than 1024.
    #[error("a password has 8 to 1024 characters")]
    Password,
    /// The password could not be hashed.
    #[error("the password could not be hashed")]
    Hash,
}

const CHECKS_AT_ONCE: usize = 4;

impl Users {
    /// Users in memory.
    ///
    /// # Errors
    /// Passwords cannot be hashed here.
    pub fn new() -> Result<Self, UsersError> {
        Self::of(None, BTreeMap::new())
    }

    /// Reads a file; one that does not exist has no users.
    ///
    /// # Errors
    /// It cannot be read, can be read by others, or is no file of users.
    pub fn open(file: impl Into<PathBuf>) -> Result<Self, UsersError> {
        let file = file.into();
        let users = match std::fs::read(&file) {
            Ok(text) => {
                check_private(&file)?;
                let users: BTreeMap<String, User> = serde_json::from_slice(&text).map_err(UsersError::Format)?;
                users.keys().try_for_each(|name| check_name(name))?;
                users
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(UsersError::File(error)),
        };
        Self::of(Some(file), users)
    }

    fn of(file: Option<PathBuf>, users: BTreeMap<String, User>) -> Result<Self, UsersError> {
        let nobody = hash("nobody has this password")?;
        let checks = Arc::new(Semaphore::new(CHECKS_AT_ONCE));
        Ok(Self(Arc::new(Inner { file, users: RwLock::new(users), nobody, checks })))
    }

    /// Adds a user, or gives one a new password, and writes the file.
    ///
    /// # Errors
    /// Name or password are not acceptable, or the file cannot be written.
    pub fn add_user(&self, name: &str, password: &Secret) -> Result<(), UsersError> {
        check_name(name)?;
        if !(8..=1024).contains(&password.expose().chars().count()) {
            return Err(UsersError::Password);
        }
        let user = User { password: hash(password.expose())? };
        let mut users = self.0.users.write();
        let mut after = users.clone();
        after.insert(name.to_owned(), user);
        self.write(&after)?;
        *users = after;
        Ok(())
    }

    /// Removes a user and writes the file; says whether there was one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn remove_user(&self, name: &str) -> Result<bool, UsersError> {
        let mut users = self.0.users.write();
        let mut after = users.clone();
        let was_there = after.remove(name).is_some();
        self.write(&after)?;
        *users = after;
        Ok(was_there)
    }

    /// Returns the names of all users.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.0.users.read().keys().cloned().collect()
    }

    /// Whether there is a user of that name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.0.users.read().contains_key(name)
    }

    /// Checks a password. Unknown names take as long as known ones.
    pub(super) async fn check(&self, name: &str, password: Secret) -> bool {
        let known = self.0.users.read().get(name).map(|user| user.password.clone());
        let is_known = known.is_some();
        let stored = known.unwrap_or_else(|| self.0.nobody.clone());
        let Ok(permit) = self.0.checks.clone().acquire_owned().await else { return false };
        let checked = tokio::task::spawn_blocking(move || {
            // It is held until the work is done, which nobody can stop: who goes away makes no room for the next.
            let _permit = permit;
            let parsed = PasswordHash::new(&stored);
            parsed.is_ok_and(|hash| Argon2::default().verify_password(password.expose().as_bytes(), &hash).is_ok())
        });
        checked.await.unwrap_or(false) & is_known
    }

    /// Writes beside the file and moves it there, so that no reader sees half of it and nobody else sees any of it.
    fn write(&self, users: &BTreeMap<String, User>) -> Result<(), UsersError> {
        let Some(file) = &self.0.file else { return Ok(()) };
        let text = serde_json::to_vec_pretty(users).map_err(UsersError::Format)?;
        let fresh = file.with_extension(format!("{}.new", std::process::id()));
        let written = write_private(&fresh, &text).and_then(|()| std::fs::rename(&fresh, file));
        written.map_err(|error| {
            let _ = std::fs::remove_file(&fresh);
            UsersError::File(error)
        })
    }
}

/// Clients that act for themselves, and users of other issuers, have a colon in the subject of their tokens. Users of ours do
/// not, so that nobody is taken for somebody else.
fn check_name(name: &str) -> Result<(), UsersError> {
    let is_sound = !name.is_empty() && name.len() <= 256 && !name.chars().any(|c| c.is_control() || c == ':');
    if is_sound { Ok(()) } else { Err(UsersError::Name) }
}

fn hash(password: &str) -> Result<String, UsersError> {
    let hash = Argon2::default().hash_password(password.as_bytes()).map_err(|_| UsersError::Hash)?;
    Ok(hash.to_string())
}

fn write_private(file: &Path, text: &[u8]) -> io::Result<()> {
    use io::Write as _;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut open = options.open(file)?;
    open.write_all(text)?;
    open.sync_all()
}

#[cfg(unix)]
fn check_private(file: &Path) -> Result<(), UsersError> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(file).map_err(UsersError::File)?.permissions().mode();
    if mode & 0o077 == 0 { Ok(()) } else { Err(UsersError::Exposed) }
}

#[cfg(not(unix))]
fn check_private(_: &Path) -> Result<(), UsersError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mistake: whoever went away while a password was checked made room for the next check, so that there was no bound.
    #[test]
    fn a_check_that_nobody_waits_for_is_counted() {
        let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
        let users = Users::new().unwrap();
        let (release, released) = std::sync::mpsc::sync_channel::<()>(1);
        runtime.block_on(async {
            // The only thread that could check has something else to do, until it is released.
            let busy = tokio::task::spawn_blocking(move || released.recv());
            tokio::select! {
                biased;
                _ = users.check("nobody", Secret::new("a password")) => panic!("it cannot be done yet"),
                () = std::future::ready(()) => {}
            }
            assert_eq!(users.0.checks.available_permits(), CHECKS_AT_ONCE - 1);
            drop(release);
            busy.await.unwrap().unwrap_err();
            tokio::task::spawn_blocking(|| ()).await.unwrap();
            assert_eq!(users.0.checks.available_permits(), CHECKS_AT_ONCE, "the check is done");
        });
    }
}
