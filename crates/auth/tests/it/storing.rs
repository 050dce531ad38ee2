//! Keeping credentials.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use jackfield_auth::Secret;
use jackfield_auth::client::{CredentialStore, FileStore, MemoryStore, StoreError, StoreLock};
use jackfield_http::client::Boxed;
use tokio::task::JoinSet;

/// A directory that is gone at the end.
pub(crate) struct Place(pub(crate) PathBuf);

impl Place {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(std::env::temp_dir().join(format!("jackfield-storing-{}-{number}", std::process::id())))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The names of what can be read.
pub(crate) async fn names(store: &dyn CredentialStore) -> Vec<String> {
    store.names().await.unwrap().into_iter().filter_map(Result::ok).collect()
}

/// A store that fails the next change of a name that begins as told.
#[derive(Debug)]
pub(crate) struct Flaky {
    inner: Arc<MemoryStore>,
    prefix: Mutex<Option<&'static str>>,
}

impl Flaky {
    pub(crate) fn new(inner: Arc<MemoryStore>) -> Self {
        Self { inner, prefix: Mutex::default() }
    }

    pub(crate) fn fail(&self, prefix: &'static str) {
        *self.prefix.lock().unwrap() = Some(prefix);
    }

    fn fails(&self, name: &str) -> Option<Boxed<'static, Result<(), StoreError>>> {
        self.prefix.lock().unwrap().take_if(|prefix| name.starts_with(*prefix))?;
        Some(Box::pin(std::future::ready(Err(StoreError::NoPlace))))
    }
}

impl CredentialStore for Flaky {
    fn load<'a>(&'a self, name: &'a str) -> Boxed<'a, Result<Option<Secret>, StoreError>> {
        self.inner.load(name)
    }

    fn save<'a>(&'a self, name: &'a str, value: &'a Secret) -> Boxed<'a, Result<(), StoreError>> {
        self.fails(name).unwrap_or_else(|| self.inner.save(name, value))
    }

    fn remove<'a>(&'a self, name: &'a str) -> Boxed<'a, Result<(), StoreError>> {
        self.fails(name).unwrap_or_else(|| self.inner.remove(name))
    }

    fn names(&self) -> Boxed<'_, Result<Vec<Result<String, StoreError>>, StoreError>> {
        self.inner.names()
    }

    fn lock<'a>(&'a self, name: &'a str) -> Boxed<'a, Result<StoreLock, StoreError>> {
        self.inner.lock(name)
    }
}

/// What every store does.
pub(crate) async fn keeps_its_promises(store: &dyn CredentialStore) {
    assert!(store.load("a").await.unwrap().is_none() && store.names().await.unwrap().is_empty());
    store.save("b c/../d", &"two".into()).await.unwrap();
    store.save("a", &"one".into()).await.unwrap();
    store.save("a", &"new".into()).await.unwrap();
    assert_eq!(store.load("a").await.unwrap().unwrap().expose(), "new");
    assert_eq!(names(store).await, ["a", "b c/../d"]);
    let lock = store.lock("a").await.unwrap();
    drop(store.lock("other").await.unwrap());
    tokio::select! {
        biased;
        _ = store.lock("a") => panic!("two hold the same name"),
        () = std::future::ready(()) => {}
    }
    drop(lock);
    drop(store.lock("a").await.unwrap());
    store.remove("a").await.unwrap();
    store.remove("a").await.unwrap();
    assert!(store.load("a").await.unwrap().is_none());
}

#[tokio::test]
async fn stores_keep_their_promises() {
    let place = Place::new();
    keeps_its_promises(&MemoryStore::default()).await;
    keeps_its_promises(&FileStore::new(&place.0)).await;
}

/// T-069: whoever writes at the same time, a reader sees one whole value. AUTH-100
#[tokio::test]
async fn concurrent_writers_do_not_mix() {
    let place = Place::new();
    let store = FileStore::new(&place.0);
    let mut writers = JoinSet::new();
    for number in 0..16 {
        let store = store.clone();
        writers.spawn(async move {
            let value = Secret::new(number.to_string().repeat(4000));
            for _ in 0..8 {
                store.save("a", &value).await.unwrap();
                let seen = store.load("a").await.unwrap().unwrap();
                let length = seen.expose().len();
                assert!(length == 4000 || length == 8000, "{length}");
            }
        });
    }
    writers.join_all().await;
    // Nothing half-made is left.
    let endings: Vec<_> = std::fs::read_dir(&place.0).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(endings.iter().all(|path| path.extension().unwrap() == "json"), "{endings:?}");
}

/// T-069: only the owner can read the files, whatever the umask is; files that others could read or that lead elsewhere are refused.
/// AUTH-085, AUTH-100
#[cfg(unix)]
#[tokio::test]
async fn files_are_for_their_owner_only() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let place = Place::new();
    let store = FileStore::new(&place.0);
    let old = rustix::process::umask(rustix::fs::Mode::empty());
    store.save("a", &"secret".into()).await.unwrap();
    drop(store.lock("a").await.unwrap());
    rustix::process::umask(old);
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place.0), 0o700);
    let files: Vec<_> = std::fs::read_dir(&place.0).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.len() == 2 && files.iter().all(|file| mode(file) == 0o600), "{files:?}");
    let file = files.into_iter().find(|file| file.extension().unwrap() == "json").unwrap();

    for bad in [0o640, 0o604, 0o620, 0o666] {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(bad)).unwrap();
        assert!(matches!(store.load("a").await, Err(StoreError::Unsafe(..))), "{bad:o}");
    }
    std::fs::remove_file(&file).unwrap();
    let elsewhere = place.0.join("elsewhere");
    std::fs::write(&elsewhere, "{}").unwrap();
    symlink(&elsewhere, &file).unwrap();
    assert!(store.load("a").await.is_err());
    // Writing replaces the link and does not follow it.
    store.save("a", &"secret".into()).await.unwrap();
    assert_eq!(std::fs::read_to_string(&elsewhere).unwrap(), "{}");
    assert_eq!(store.load("a").await.unwrap().unwrap().expose(), "secret");
    std::fs::write(&file, "not JSON").unwrap();
    assert!(matches!(store.load("a").await, Err(StoreError::Damaged(_))));
}

/// A file that nobody can read hides none of the others, and is named.
#[tokio::test]
async fn a_damaged_file_is_named_beside_the_others() {
    let place = Place::new();
    let store = FileStore::new(&place.0);
    for name in ["a", "b", "c"] {
        store.save(name, &name.into()).await.unwrap();
    }
    let mut files: Vec<_> = std::fs::read_dir(&place.0).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    std::fs::write(&files[0], "half of it").unwrap();
    std::fs::write(&files[1], b"\xff\xfe").unwrap();
    let listed = store.names().await.unwrap();
    assert!(matches!(listed.as_slice(), [Ok(_), Err(_), Err(_)]), "{listed:?}");
    for (error, file) in listed.iter().skip(1).zip(&files) {
        let Err(StoreError::DamagedFile(named)) = error else { panic!("{error:?}") };
        assert_eq!(named, &file.display().to_string());
    }
    // Who asks for one of them by its name is told the name.
    let mut damaged = Vec::new();
    for name in ["a", "b", "c"] {
        if let Err(StoreError::Damaged(named)) = store.load(name).await {
            assert_eq!(named, name);
            damaged.push(named);
        }
    }
    assert_eq!(damaged.len(), 2);
}
