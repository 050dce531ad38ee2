//! Where logins are kept.

use std::path::PathBuf;

use clap::ValueEnum;
use jackfield::auth::client::{AuthError, FileStore, OAuth};

/// Names the directory of the credentials, in place of the usual one.
pub(super) const DIRECTORY: &str = "JACKFIELD_CREDENTIALS";

/// How a login is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Credentials {
    /// Sealed with a key in the keyring of the platform, or not at all
    Keyring,
    /// In a file that only you can read
    File,
}

/// How this command keeps what others asked for already: as it is.
pub(crate) fn oauth() -> Result<OAuth, AuthError> {
    Ok(sealed_as_before(OAuth::new("Jackfield"), files()?))
}

/// How this command keeps a new login: as the user wants it, or else with the keyring where there is one.
pub(crate) async fn oauth_keeping(wanted: Option<Credentials>) -> Result<OAuth, AuthError> {
    let oauth = OAuth::new("Jackfield");
    match wanted {
        Some(Credentials::File) => Ok(oauth.store(files()?)),
        Some(Credentials::Keyring) => sealed(oauth, files()?, true).await,
        None => sealed(oauth, files()?, false).await,
    }
}

/// The directory that all runs of this command find.
fn files() -> Result<FileStore, AuthError> {
    match std::env::var_os(DIRECTORY).filter(|directory| !directory.is_empty()) {
        Some(directory) => Ok(FileStore::new(PathBuf::from(directory))),
        None => Ok(FileStore::of_user()?),
    }
}

#[cfg(feature = "keyring")]
async fn sealed(oauth: OAuth, files: FileStore, always: bool) -> Result<OAuth, AuthError> {
    use jackfield::auth::client::{KeyringStore, PlatformKeyring, Sealing};
    let store = KeyringStore::new(files, PlatformKeyring::new());
    if !always {
        return Ok(oauth.store(store.sealing(Sealing::WherePossible)));
    }
    // Nobody should log in for a token that cannot be kept.
    store.unlock().await?;
    Ok(oauth.store(store.sealing(Sealing::Always)))
}

#[cfg(feature = "keyring")]
fn sealed_as_before(oauth: OAuth, files: FileStore) -> OAuth {
    use jackfield::auth::client::{KeyringStore, PlatformKeyring, Sealing};
    oauth.store(KeyringStore::new(files, PlatformKeyring::new()).sealing(Sealing::AsBefore))
}

#[cfg(not(feature = "keyring"))]
async fn sealed(oauth: OAuth, files: FileStore, always: bool) -> Result<OAuth, AuthError> {
    use jackfield::auth::client::StoreError;
    if always {
        return Err(StoreError::Keyring("this program was built without it".to_owned()).into());
    }
    Ok(oauth.store(files))
}

#[cfg(not(feature = "keyring"))]
fn sealed_as_before(oauth: OAuth, files: FileStore) -> OAuth {
    oauth.store(files)
}
