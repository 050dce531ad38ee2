//! The keyring of the platform.

use std::sync::Arc;

use keyring_core::{CredentialStore, Entry, Error};

use super::{Keyring, StoreError};
use crate::Secret;

/// The name under which users find our entries in their keyring.
const SERVICE: &str = "jackfield";

/// The keyring of the platform: the keychain of macOS, the credential manager of Windows, elsewhere the Secret Service, which is GNOME
/// Keyring, KWallet and their like. It is looked for each time, so that one that comes later is found.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct PlatformKeyring;

impl PlatformKeyring {
    /// Names the keyring of the platform, whether there is one or not.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl Keyring for PlatformKeyring {
    fn read(&self, account: &str) -> Result<Option<Secret>, StoreError> {
        match entry(account)?.get_password() {
            Ok(secret) => Ok(Some(Secret::new(secret))),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(failed(&error)),
        }
    }

    fn write(&self, account: &str, secret: &Secret) -> Result<(), StoreError> {
        entry(account)?.set_password(secret.expose()).map_err(|error| failed(&error))
    }
}

fn entry(account: &str) -> Result<Entry, StoreError> {
    let store = store().map_err(|error| failed(&error))?;
    store.build(SERVICE, account, None).map_err(|error| failed(&error))
}

/// Errors of some keyrings hold what could not be read, which is no business of whoever prints them.
fn failed(error: &Error) -> StoreError {
    StoreError::Keyring(match error {
        Error::BadEncoding(_) | Error::BadDataFormat(..) => "what it holds for us is no text".to_owned(),
        other => other.to_string(),
    })
}

#[cfg(target_os = "macos")]
fn store() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(apple_native_keyring_store::keychain::Store::new()?)
}

#[cfg(windows)]
fn store() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(windows_native_keyring_store::Store::new()?)
}

#[cfg(all(unix, not(target_os = "macos")))]
fn store() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(zbus_secret_service_keyring_store::Store::new()?)
}
