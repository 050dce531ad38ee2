//! Which directories a caller may touch: those given at the start, or what the roots of its client make of them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use jackfield::protocol::Root;
use jackfield::{Cx, Error};

use super::directories::Directories;
use super::options::Options;
use super::roots::RootsPolicy;

/// The directories of all callers of one server.
#[derive(Debug)]
pub(super) struct CallerDirectories {
    given: Arc<Directories>,
    policy: RootsPolicy,
    /// A session can have several servers of this kind, mounted in one.
    id: u64,
}

/// What a session remembers for each server: the directories, once its client was asked.
#[derive(Default)]
struct SessionDirectories(Mutex<Vec<(u64, Arc<Directories>)>>);

impl CallerDirectories {
    pub(super) fn new(options: &Options) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let id = COUNT.fetch_add(1, Ordering::Relaxed);
        Self { given: Arc::new(options.directories.clone()), policy: options.roots, id }
    }

    /// Returns the directories of a caller. A client that has roots and was not asked for them yet is asked now.
    ///
    /// In the modern era nothing is remembered between calls, so that roots count only if no directory was given.
    pub(super) async fn of(&self, cx: &Cx) -> Result<Arc<Directories>, Error> {
        if self.policy == RootsPolicy::Ignore || !cx.has_roots() || (!cx.is_legacy() && !self.given.is_empty()) {
            return Ok(self.given.clone());
        }
        if let Some(known) = self.remembered(cx) {
            return Ok(known);
        }
        self.remember(cx, self.given.clone());
        let roots = match cx.roots().await {
            Ok(roots) => roots,
            Err(error) if self.given.is_empty() => return Err(error.into()),
            Err(_) => return Ok(self.given.clone()),
        };
        let directories = self.with_roots(&roots);
        self.remember(cx, directories.clone());
        Ok(directories)
    }

    /// Asks a client of the legacy era for its roots, at its start and when they changed.
    pub(super) async fn ask(&self, cx: &Cx) {
        if self.policy == RootsPolicy::Ignore {
            return;
        }
        if !cx.has_roots() {
            if self.given.is_empty() {
                tracing::warn!(
                    "no directory can be used: none was given, and the client has no roots; name one on the command line"
                );
            }
            return;
        }
        if self.remembered(cx).is_none() {
            self.remember(cx, self.given.clone());
        }
        match cx.roots().await {
            Ok(roots) => match self.given.with_roots(&uris(&roots), self.policy) {
                Some(directories) => self.remember(cx, Arc::new(directories)),
                None => tracing::warn!("the client names no root that can be used"),
            },
            Err(error) => tracing::warn!("the client did not name its roots: {error}"),
        }
    }

    fn with_roots(&self, roots: &[Root]) -> Arc<Directories> {
        self.given.with_roots(&uris(roots), self.policy).map_or_else(|| self.given.clone(), Arc::new)
    }

    fn remembered(&self, cx: &Cx) -> Option<Arc<Directories>> {
        let known = cx.session()?.extensions().get::<SessionDirectories>()?;
        let known = known.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|(id, _)| *id == self.id).map(|(_, directories)| directories.clone())
    }

    fn remember(&self, cx: &Cx, directories: Arc<Directories>) {
        let Some(session) = cx.session() else { return };
        let mut extensions = session.extensions();
        let known = extensions.get::<SessionDirectories>().unwrap_or_else(|| {
            let new = Arc::new(SessionDirectories::default());
            extensions.insert_shared(new.clone());
            new
        });
        let mut known = known.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(id, _)| *id != self.id);
        known.push((self.id, directories));
    }
}

fn uris(roots: &[Root]) -> Vec<String> {
    roots.iter().map(|root| root.uri.clone()).collect()
}
