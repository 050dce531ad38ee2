//! Credentials that are sealed with a key in a keyring.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use jackfield_auth::Secret;
use jackfield_auth::client::{
    AuthError, AuthEvent, CredentialStore as _, FileStore, Keyring, KeyringStore, Sealing, StoreError,
};
use tokio::task::JoinSet;

use crate::storing::{Place, keeps_its_promises, names};
use crate::town::Town;

/// A keyring in memory; clones are the same.
#[derive(Clone, Debug, Default)]
struct Pocket(Arc<Mutex<Inside>>);

#[derive(Debug, Default)]
struct Inside {
    keys: BTreeMap<String, Secret>,
    is_locked: bool,
    reads: usize,
    writes: usize,
}

impl Pocket {
    fn change<T>(&self, work: impl FnOnce(&mut Inside) -> T) -> T {
        work(&mut self.0.lock().unwrap())
    }

    fn open(&self) -> Result<std::sync::MutexGuard<'_, Inside>, StoreError> {
        let inside = self.0.lock().unwrap();
        if inside.is_locked { Err(StoreError::Keyring("the pocket is sewn up".to_owned())) } else { Ok(inside) }
    }
}

impl Keyring for Pocket {
    fn read(&self, account: &str) -> Result<Option<Secret>, StoreError> {
        let mut inside = self.open()?;
        inside.reads += 1;
        Ok(inside.keys.get(account).cloned())
    }

    fn write(&self, account: &str, secret: &Secret) -> Result<(), StoreError> {
        let mut inside = self.open()?;
        inside.writes += 1;
        inside.keys.insert(account.to_owned(), secret.clone());
        Ok(())
    }
}

fn files(directory: &Path) -> Vec<std::path::PathBuf> {
    let all = std::fs::read_dir(directory).unwrap().map(|file| file.unwrap().path());
    all.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect()
}

/// A keyring changes nothing about what a store does; and it is left alone until there is something to open or to seal.
#[tokio::test]
async fn sealed_stores_keep_their_promises() {
    for sealing in [Sealing::Always, Sealing::WherePossible, Sealing::AsBefore] {
        let (place, pocket) = (Place::new(), Pocket::default());
        let store = KeyringStore::new(FileStore::new(&place.0), pocket.clone()).sealing(sealing);
        assert!(store.load("a").await.unwrap().is_none() && store.names().await.unwrap().is_empty());
        assert_eq!(pocket.change(|inside| (inside.reads, inside.writes)), (0, 0));
        keeps_its_promises(&store).await;
        assert_eq!(pocket.change(|inside| (inside.keys.len(), inside.writes)), (1, 1));
        assert!(store.place().is_sealed);
    }
}

/// T-069: the files alone are of no use, and cannot be passed off for one another. AUTH-085, AUTH-100
#[tokio::test]
async fn sealed_files_tell_nothing() {
    let (place, pocket) = (Place::new(), Pocket::default());
    let plain = FileStore::new(&place.0);
    let store = KeyringStore::new(plain.clone(), pocket.clone());
    store.save("tokens https://a.example", &"token-of-a".into()).await.unwrap();
    store.save("tokens https://b.example", &"token-of-b".into()).await.unwrap();
    let key = pocket.change(|inside| inside.keys.values().next().unwrap().expose().to_owned());
    for file in files(&place.0) {
        let text = std::fs::read_to_string(file).unwrap();
        assert!(!text.contains("token-of") && !text.contains(&key), "{text}");
    }
    assert!(matches!(plain.load("tokens https://a.example").await, Err(StoreError::Sealed(_))));
    assert!(!format!("{store:?} {pocket:?}").contains(&key));
    // Another process of the same user opens them.
    let again = KeyringStore::new(plain.clone(), pocket.clone());
    assert_eq!(again.load("tokens https://b.example").await.unwrap().unwrap().expose(), "token-of-b");
    // What is sealed for one server does not open for another.
    let [one, other] = files(&place.0).try_into().unwrap();
    let (first, second) = (std::fs::read_to_string(&one).unwrap(), std::fs::read_to_string(&other).unwrap());
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["value"].clone();
    let mut mixed: serde_json::Value = serde_json::from_str(&first).unwrap();
    mixed["value"] = value(&second);
    std::fs::write(&one, mixed.to_string()).unwrap();
    let name = mixed["name"].as_str().unwrap();
    assert!(matches!(again.load(name).await, Err(StoreError::Damaged(_))));
    // Without the key everything has to begin anew.
    pocket.change(|inside| inside.keys.clear());
    let later = KeyringStore::new(plain, pocket);
    assert!(matches!(later.load(value_name(&second).as_str()).await, Err(StoreError::Damaged(_))));
}

fn value_name(text: &str) -> String {
    serde_json::from_str::<serde_json::Value>(text).unwrap()["name"].as_str().unwrap().to_owned()
}

/// Without a keyring files that only their owner can read do, if the user lets them, and it is told; what is renewed stays as it was.
#[tokio::test]
async fn without_a_keyring_files_do() {
    let (place, pocket) = (Place::new(), Pocket::default());
    let plain = FileStore::new(&place.0);
    let store = |sealing| KeyringStore::new(plain.clone(), pocket.clone()).sealing(sealing);
    pocket.change(|inside| inside.is_locked = true);
    let strict = store(Sealing::Always).save("a", &"one".into()).await.unwrap_err();
    assert!(strict.to_string().contains("the pocket is sewn up"), "{strict}");
    assert!(plain.names().await.unwrap().is_empty());

    let usual = store(Sealing::WherePossible);
    usual.save("a", &"one".into()).await.unwrap();
    let told = usual.place();
    assert_eq!((told.is_sealed, told.no_keyring.as_deref()), (false, Some("the pocket is sewn up")));
    assert_eq!(told.name, place.0.display().to_string());
    assert_eq!(plain.load("a").await.unwrap().unwrap().expose(), "one");

    pocket.change(|inside| inside.is_locked = false);
    let renewing = store(Sealing::AsBefore);
    renewing.save("a", &"two".into()).await.unwrap();
    assert_eq!(plain.load("a").await.unwrap().unwrap().expose(), "two", "it was not sealed before");
    store(Sealing::WherePossible).save("a", &"three".into()).await.unwrap();
    assert!(matches!(plain.load("a").await, Err(StoreError::Sealed(_))));
    renewing.save("a", &"four".into()).await.unwrap();
    assert!(matches!(plain.load("a").await, Err(StoreError::Sealed(_))), "it was sealed before");
    assert_eq!(usual.load("a").await.unwrap().unwrap().expose(), "four");

    // A keyring that is locked later is no reason to take what is sealed for nothing.
    pocket.change(|inside| inside.is_locked = true);
    assert!(matches!(store(Sealing::WherePossible).load("a").await, Err(StoreError::Keyring(_))));
}

/// A login that cannot be read at the moment cannot be revoked either, so it is not forgotten; and where it is kept is told.
#[tokio::test]
async fn a_locked_keyring_forgets_no_login() {
    let (place, pocket, town) = (Place::new(), Pocket::default(), Town::new().await);
    let server = || {
        let store = KeyringStore::new(FileStore::new(&place.0), pocket.clone());
        town.oauth().store(store).server(town.url("/mcp")).unwrap()
    };
    server().login().await.unwrap();
    let is_sealed = |event: &AuthEvent| matches!(event, AuthEvent::Kept { place } if place.is_sealed);
    assert!(town.events.lock().unwrap().iter().any(is_sealed));
    pocket.change(|inside| inside.is_locked = true);
    assert!(matches!(server().logout().await, Err(AuthError::Store(StoreError::Keyring(_)))));
    pocket.change(|inside| inside.is_locked = false);
    assert!(server().logout().await.unwrap());
    assert!(server().account().await.unwrap().is_none());
}

/// However many begin at once, there is one key.
#[tokio::test]
async fn one_key_is_made() {
    let (place, pocket) = (Place::new(), Pocket::default());
    let mut beginning = JoinSet::new();
    for number in 0..16 {
        let store = KeyringStore::new(FileStore::new(&place.0), pocket.clone());
        beginning.spawn(async move { store.save(&format!("entry {number}"), &"x".into()).await.unwrap() });
    }
    beginning.join_all().await;
    assert_eq!(pocket.change(|inside| inside.writes), 1);
    let store = KeyringStore::new(FileStore::new(&place.0), pocket);
    for name in names(&store).await {
        assert_eq!(store.load(&name).await.unwrap().unwrap().expose(), "x");
    }
}

#[cfg(target_os = "linux")]
mod of_the_kernel {
    use jackfield_auth::Secret;
    use jackfield_auth::client::{FileStore, Keyring, KeyringStore, OAuth, Sealing, StoreError};
    use keyring_core::Entry;
    use keyring_core::api::CredentialStoreApi as _;

    use crate::renewing::{SERVER, STORE, fifty_calls, one_of_three_processes_renews};
    use crate::storing::{Place, keeps_its_promises};

    /// The keyring of the kernel, which the processes of a session share.
    #[derive(Debug)]
    struct Kernel;

    fn entry(account: &str) -> keyring_core::Result<Entry> {
        linux_keyutils_keyring_store::Store::new()?.build("jackfield-tests", account, None)
    }

    impl Keyring for Kernel {
        fn read(&self, account: &str) -> Result<Option<Secret>, StoreError> {
            match entry(account).and_then(|entry| entry.get_password()) {
                Ok(secret) => Ok(Some(Secret::new(secret))),
                Err(keyring_core::Error::NoEntry) => Ok(None),
                Err(error) => Err(StoreError::Keyring(error.to_string())),
            }
        }

        fn write(&self, account: &str, secret: &Secret) -> Result<(), StoreError> {
            let written = entry(account).and_then(|entry| entry.set_password(secret.expose()));
            written.map_err(|error| StoreError::Keyring(error.to_string()))
        }
    }

    /// A directory, and an entry in the keyring for it; both are gone in the end.
    struct Sealed(Place);

    impl Sealed {
        fn new() -> Option<Self> {
            let name = format!("probe {}", std::process::id());
            let probed = Kernel.write(&name, &"x".into());
            // Something may be left even if it cannot be used.
            let _ = entry(&name).and_then(|entry| entry.delete_credential());
            match probed {
                Ok(()) => Some(Self(Place::new())),
                Err(error) => {
                    eprintln!("skipped: no keyring of the kernel ({error}); `keyctl session - COMMAND` makes one");
                    None
                }
            }
        }

        fn store(directory: impl Into<std::path::PathBuf>) -> KeyringStore {
            KeyringStore::new(FileStore::new(directory), Kernel).sealing(Sealing::Always)
        }
    }

    impl Drop for Sealed {
        fn drop(&mut self) {
            let account = format!("credentials in {}", self.0.0.display());
            let _ = entry(&account).and_then(|entry| entry.delete_credential());
        }
    }

    #[tokio::test]
    async fn it_keeps_the_promises_of_a_store() {
        let Some(sealed) = Sealed::new() else { return };
        keeps_its_promises(&Sealed::store(&sealed.0.0)).await;
    }

    /// What the other processes of the next test do; by itself it does nothing.
    #[tokio::test]
    async fn fifty_calls_of_another_process() {
        let (Ok(directory), Ok(server)) = (std::env::var(STORE), std::env::var(SERVER)) else { return };
        fifty_calls(OAuth::new("Another").store(Sealed::store(directory)), server).await;
    }

    /// T-072: processes that share a keyring renew a token once, as they do without.
    #[tokio::test]
    async fn processes_with_a_keyring_renew_once() {
        let Some(sealed) = Sealed::new() else { return };
        let directory = sealed.0.0.clone();
        let test = "keyrings::of_the_kernel::fifty_calls_of_another_process";
        one_of_three_processes_renews(&directory, Sealed::store(&directory), test).await;
    }
}
