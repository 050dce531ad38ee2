//! Credentials in files, sealed with a key that is in a keyring.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jackfield_http::client::Boxed;
use parking_lot::Mutex;

use super::file::{Entry, FileStore};
use super::{CredentialStore, Place, StoreError, StoreLock};
use crate::seal::Sealer;
use crate::{Secret, random};

/// A place for secrets that the platform guards, such as the keychain of macOS. Its functions may take as long as a person needs to
/// unlock it, and are called where that holds up nobody.
pub trait Keyring: Send + Sync + fmt::Debug + 'static {
    /// Returns the secret of an account; none if there is none.
    ///
    /// # Errors
    /// There is no keyring, or it stays locked. Use [`StoreError::Keyring`].
    fn read(&self, account: &str) -> Result<Option<Secret>, StoreError>;

    /// Keeps the secret of an account, in place of the one before.
    ///
    /// # Errors
    /// There is no keyring, or it stays locked. Use [`StoreError::Keyring`].
    fn write(&self, account: &str, secret: &Secret) -> Result<(), StoreError>;
}

/// What is sealed with the key of the keyring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sealing {
    /// Everything; without a keyring nothing is kept.
    Always,
    /// Everything while there is a keyring; otherwise entries are in files that only their owner can read.
    #[default]
    WherePossible,
    /// Entries that were sealed before, and new ones where it is possible. So what is renewed stays as the user wanted it.
    AsBefore,
}

/// Keeps entries in the files of a [`FileStore`], sealed with a key that is in a keyring.
///
/// Keyrings hold short secrets, cannot replace several of them at once, and do not always tell what is in them. So the key is there,
/// once for each directory, and the files have all the rest: they are replaced as a whole, can be listed, and are held by one
/// process at a time. The keyring is asked when there is something to seal or to open, and not before.
#[derive(Clone, Debug)]
pub struct KeyringStore {
    files: FileStore,
    keyring: Arc<dyn Keyring>,
    sealing: Sealing,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    sealer: Option<Arc<Sealer>>,
    /// Why the last entry was not sealed.
    failure: Option<String>,
}

/// How long a person may take to unlock the keyring.
const LONGEST_PROMPT: Duration = Duration::from_secs(120);
/// The name that is held while the key is made, so that two processes do not make two.
const MAKING: &str = "key of the keyring";

impl KeyringStore {
    /// Seals the entries of these files with a key in this keyring.
    pub fn new(files: FileStore, keyring: impl Keyring) -> Self {
        Self { files, keyring: Arc::new(keyring), sealing: Sealing::default(), state: Arc::default() }
    }

    /// Says what is sealed.
    #[must_use]
    pub fn sealing(mut self, sealing: Sealing) -> Self {
        self.sealing = sealing;
        self
    }

    /// Makes sure that there is a keyring, and a key in it; a person may have to unlock it.
    ///
    /// # Errors
    /// There is none, or it stays locked.
    pub async fn unlock(&self) -> Result<(), StoreError> {
        self.made_sealer().await.map(drop)
    }

    fn state<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.lock())
    }

    /// The account of the key: one for each directory.
    fn account(&self) -> String {
        format!("credentials in {}", self.files.directory().display())
    }

    async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Keyring, &str) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (keyring, account) = (self.keyring.clone(), self.account());
        let asked = tokio::task::spawn_blocking(move || work(&*keyring, &account));
        match tokio::time::timeout(LONGEST_PROMPT, asked).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => Err(StoreError::Keyring(error.to_string())),
            Err(_) => Err(StoreError::Keyring("it did not answer in time".to_owned())),
        }
    }

    /// Returns what opens entries; none if the keyring has no key.
    async fn sealer(&self) -> Result<Option<Arc<Sealer>>, StoreError> {
        if let Some(sealer) = self.state(|state| state.sealer.clone()) {
            return Ok(Some(sealer));
        }
        let Some(key) = self.ask(|keyring, account| keyring.read(account)).await? else { return Ok(None) };
        let broken = || StoreError::Keyring("what it holds for us is no key".to_owned());
        let key = random::decode(key.expose()).and_then(|key| key.try_into().ok()).ok_or_else(broken)?;
        let sealer = Arc::new(Sealer::new(Some(key)).map_err(|_| broken())?);
        self.state(|state| state.sealer = Some(sealer.clone()));
        Ok(Some(sealer))
    }

    /// Returns what seals entries, with a new key if there is none.
    async fn made_sealer(&self) -> Result<Arc<Sealer>, StoreError> {
        let failed = |text: &str| StoreError::Keyring(text.to_owned());
        if let Some(sealer) = self.sealer().await? {
            return Ok(sealer);
        }
        let _lock = self.files.lock(MAKING).await?;
        if let Some(sealer) = self.sealer().await? {
            return Ok(sealer);
        }
        let key = Secret::random().map_err(|error| failed(&error.to_string()))?;
        self.ask(move |keyring, account| keyring.write(account, &key)).await?;
        // What it cannot show again would be lost with this process.
        self.sealer().await?.ok_or_else(|| failed("it does not keep what it is given"))
    }

    async fn open(&self, entry: Entry) -> Result<Secret, StoreError> {
        if !entry.sealed {
            return Ok(entry.value());
        }
        let damaged = || StoreError::Damaged(entry.name.clone());
        let sealer = self.sealer().await?.ok_or_else(damaged)?;
        let opened = random::decode(entry.value().expose()).and_then(|sealed| sealer.open(&entry.name, &sealed));
        opened.and_then(|plain| String::from_utf8(plain).ok()).map(Secret::new).ok_or_else(damaged)
    }

    /// Whether an entry is to be sealed.
    async fn seals(&self, name: &str) -> Result<bool, StoreError> {
        if self.sealing != Sealing::AsBefore {
            return Ok(true);
        }
        Ok(self.files.entry(name).await?.is_none_or(|entry| entry.sealed))
    }

    async fn put(&self, name: &str, value: &Secret) -> Result<(), StoreError> {
        if !self.seals(name).await? {
            return self.files.put(Entry::plain(name, value)).await;
        }
        match self.made_sealer().await {
            Ok(sealer) => {
                self.state(|state| state.failure = None);
                let sealed = sealer.seal(name, value.expose().as_bytes());
                let sealed = sealed.map_err(|error| StoreError::Keyring(error.to_string()))?;
                self.files.put(Entry::sealed(name, random::encode(sealed))).await
            }
            Err(StoreError::Keyring(why)) if self.sealing != Sealing::Always => {
                tracing::debug!(why, "there is no keyring; a file that only its owner can read is used");
                self.state(|state| state.failure = Some(why));
                self.files.put(Entry::plain(name, value)).await
            }
            Err(error) => Err(error),
        }
    }
}

impl CredentialStore for KeyringStore {
    fn load<'a>(&'a self, name: &'a str) -> Boxed<'a, Result<Option<Secret>, StoreError>> {
        Box::pin(async move {
            match self.files.entry(name).await? {
                Some(entry) => self.open(entry).await.map(Some),
                None => Ok(None),
            }
        })
    }

    fn save<'a>(&'a self, name: &'a str, value: &'a Secret) -> Boxed<'a, Result<(), StoreError>> {
        Box::pin(self.put(name, value))
    }

    fn remove<'a>(&'a self, name: &'a str) -> Boxed<'a, Result<(), StoreError>> {
        self.files.remove(name)
    }

    fn names(&self) -> Boxed<'_, Result<Vec<Result<String, StoreError>>, StoreError>> {
        self.files.names()
    }

    fn lock<'a>(&'a self, name: &'a str) -> Boxed<'a, Result<StoreLock, StoreError>> {
        self.files.lock(name)
    }

    fn place(&self) -> Place {
        let place = self.files.place();
        self.state(|state| match (&state.failure, &state.sealer) {
            (Some(why), _) => Place { no_keyring: Some(why.clone()), ..place },
            (None, Some(_)) => Place { is_sealed: true, ..place },
            (None, None) => place,
        })
    }
}
