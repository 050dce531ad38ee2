//! Handles: what a caller may come back to.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jackfield_peer::Principal;
use jackfield_store::TaskId;
use tokio::time::Instant;

use crate::Cx;
use crate::callers::owner::Owner;

/// Keeps values for callers that come back: a tool returns a handle, and later calls name it as an argument.
///
/// A handle has 192 random bits, expires, and is worth nothing to anyone but the user whom it was given to, or, where nobody is
/// authenticated, the session. Where there is neither, whoever knows it can use it; keep such values for a short time.
///
/// ```
/// # use jackfield_server::{Cx, Handles, Result};
/// # use std::sync::Arc;
/// struct Basket(Vec<String>);
///
/// async fn open(baskets: Arc<Handles<Basket>>, cx: &Cx) -> Result<String> {
///     Ok(baskets.insert(cx, Basket(Vec::new()))?)
/// }
///
/// async fn count(baskets: Arc<Handles<Basket>>, basket: String, cx: &Cx) -> Result<usize> {
///     Ok(baskets.get(cx, &basket)?.0.len())
/// }
/// ```
pub struct Handles<T> {
    shelf: Mutex<Shelf<T>>,
    life: Duration,
    per_owner: usize,
    total: usize,
}

/// All values, and in which order they expire.
struct Shelf<T> {
    kept: HashMap<String, Kept<T>>,
    /// How many each owner has.
    counts: HashMap<String, usize>,
    by_expiry: BTreeSet<(Instant, String)>,
}

struct Kept<T> {
    owner: String,
    /// Issuer and name of the user, whatever program they came through.
    user: Option<(String, String)>,
    value: Arc<T>,
    expires: Instant,
}

impl<T> Shelf<T> {
    fn insert(&mut self, handle: String, kept: Kept<T>) {
        let count = self.counts.entry(kept.owner.clone()).or_default();
        *count = count.saturating_add(1);
        self.by_expiry.insert((kept.expires, handle.clone()));
        self.kept.insert(handle, kept);
    }

    fn remove(&mut self, handle: &str) -> Option<Kept<T>> {
        let (handle, kept) = self.kept.remove_entry(handle)?;
        if let Some(count) = self.counts.get_mut(&kept.owner) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.counts.remove(&kept.owner);
            }
        }
        self.by_expiry.remove(&(kept.expires, handle));
        Some(kept)
    }

    fn remove_expired(&mut self, now: Instant) {
        while let Some((_, handle)) = self.by_expiry.first().filter(|(expires, _)| *expires <= now) {
            let handle = handle.clone();
            self.remove(&handle);
        }
    }
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { kept: HashMap::new(), counts: HashMap::new(), by_expiry: BTreeSet::new() }
    }
}

/// The caller has too many handles already, or all callers together have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are {0} handles already; use one of them, or wait until they expire")]
pub struct NoRoom(pub usize);

/// The handle was never given out, has expired, or belongs to somebody else; which of these is not told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the handle is not known or has expired; begin anew")]
pub struct UnknownHandle;

impl<T> Default for Handles<T> {
    fn default() -> Self {
        Self { shelf: Mutex::default(), life: Duration::from_secs(3600), per_owner: 256, total: 65_536 }
    }
}

impl<T> Handles<T> {
    /// Keeps values for an hour after their last use, 256 for each user or session, and 65,536 for all together.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps values for this long after their last use.
    #[must_use]
    pub fn lasting(self, life: Duration) -> Self {
        Self { life, ..self }
    }

    /// Keeps at most so many values for each user or session.
    #[must_use]
    pub fn per_owner(self, limit: usize) -> Self {
        Self { per_owner: limit, ..self }
    }

    /// Keeps at most so many values for all users and sessions together.
    #[must_use]
    pub fn total(self, limit: usize) -> Self {
        Self { total: limit, ..self }
    }

    /// Keeps a value for the caller, and returns its handle.
    ///
    /// # Errors
    /// The caller has too many already, or all callers together have.
    pub fn insert(&self, cx: &Cx, value: T) -> Result<String, NoRoom> {
        let (owner, now) = (Owner::of(&cx.call().incoming).name, Instant::now());
        let mut shelf = self.shelf();
        shelf.remove_expired(now);
        if shelf.counts.get(&owner).is_some_and(|count| *count >= self.per_owner) || self.per_owner == 0 {
            return Err(NoRoom(self.per_owner));
        }
        if shelf.kept.len() >= self.total {
            return Err(NoRoom(self.total));
        }
        let handle = TaskId::random().to_string();
        let user = cx.auth().map(|user| (user.issuer.clone(), user.subject.clone()));
        shelf.insert(handle.clone(), Kept { owner, user, value: Arc::new(value), expires: now + self.life });
        Ok(handle)
    }

    /// Finds the value of a handle, and keeps it for longer.
    ///
    /// # Errors
    /// There is none for this caller.
    pub fn get(&self, cx: &Cx, handle: &str) -> Result<Arc<T>, UnknownHandle> {
        let now = Instant::now();
        let mut shelf = self.shelf();
        let mut kept = take(&mut shelf, cx, handle, now)?;
        let value = kept.value.clone();
        kept.expires = now + self.life;
        shelf.insert(handle.to_owned(), kept);
        Ok(value)
    }

    /// Finds the value of a handle for a person who comes another way than by a call: by a page that [`Cx::elicit_url`] or
    /// [`Cx::require_url`] sent them to, whose URL has the handle in it. Whoever opens the URL may be somebody else than the one it was
    /// made for, so the page finds out by itself who it is, by a login of its own at the same issuer, and says so here; nothing in the
    /// URL does. A handle that no user was authenticated for is not found.
    ///
    /// # Errors
    /// There is none for this person.
    pub fn visit(&self, visitor: &Principal, handle: &str) -> Result<Arc<T>, UnknownHandle> {
        let now = Instant::now();
        let shelf = self.shelf();
        let is_theirs = |kept: &&Kept<T>| {
            let user = kept.user.as_ref();
            user.is_some_and(|(issuer, subject)| *issuer == visitor.issuer && *subject == visitor.subject)
        };
        let found = shelf.kept.get(handle).filter(is_theirs).filter(|kept| kept.expires > now);
        found.map(|kept| kept.value.clone()).ok_or(UnknownHandle)
    }

    /// Gives up a handle, and returns its value.
    ///
    /// # Errors
    /// There is none for this caller.
    pub fn remove(&self, cx: &Cx, handle: &str) -> Result<Arc<T>, UnknownHandle> {
        take(&mut self.shelf(), cx, handle, Instant::now()).map(|kept| kept.value)
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf<T>> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes what a handle of the caller stands for from the shelf.
fn take<T>(shelf: &mut Shelf<T>, cx: &Cx, handle: &str, now: Instant) -> Result<Kept<T>, UnknownHandle> {
    let owner = Owner::of(&cx.call().incoming).name;
    let is_theirs = |kept: &&Kept<T>| kept.owner == owner && kept.expires > now;
    shelf.kept.get(handle).filter(is_theirs).ok_or(UnknownHandle)?;
    shelf.remove(handle).ok_or(UnknownHandle)
}

/// Shows neither handles nor values.
impl<T> fmt::Debug for Handles<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handles").field("count", &self.shelf().kept.len()).finish_non_exhaustive()
    }
}
