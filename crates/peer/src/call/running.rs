//! What runs on a connection or in a session.

use std::collections::HashMap;

use jackfield_protocol::envelope::{MethodName, RawId};
use jackfield_protocol::error::code;
use jackfield_protocol::{ErrorObject, Method, RequestId};
use tokio::task::AbortHandle;

use crate::RequestKey;

/// The requests and notifications of one connection or session whose handlers were not ready at once, and what a transport keeps with
/// each of them.
#[derive(Debug)]
pub struct Running<T> {
    entries: HashMap<RequestKey, RunningEntry<T>>,
    /// Notifications have no id.
    keys: HashMap<RequestId, RequestKey>,
}

/// A request or notification that was taken out of [`Running`].
#[derive(Debug)]
pub struct RunningEntry<T> {
    id: Option<RequestId>,
    abort: Option<AbortHandle>,
    /// What the transport keeps with it.
    pub value: T,
}

impl<T> Running<T> {
    /// Whether nothing runs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether a request or notification still runs.
    #[must_use]
    pub fn contains(&self, key: RequestKey) -> bool {
        self.entries.contains_key(&key)
    }

    /// Checks whether a request may start beside `most - 1` others. A client could not tell the answers to two requests of one id apart.
    ///
    /// # Errors
    /// The error to answer with.
    pub fn check_request(&self, id: &RawId, most: usize) -> Result<(), ErrorObject> {
        if self.keys.is_empty() {
            return Ok(());
        }
        if id.decode().is_some_and(|id| self.keys.contains_key(&id)) {
            return Err(still_running());
        }
        if self.keys.len() >= most {
            return Err(ErrorObject::new(code::TOO_MANY_REQUESTS, format!("more than {most} requests are running")));
        }
        Ok(())
    }

    /// Whether a notification may start. As many may run as requests, and beside them; further ones are dropped, which is logged,
    /// because a notification has no answer that could say so.
    #[must_use]
    pub fn has_room_for_notification(&self, method: &MethodName, most: usize) -> bool {
        let has_room = self.entries.len().saturating_sub(self.keys.len()) < most;
        if !has_room {
            tracing::debug!(method = method.as_str(), "dropped: too many notifications are running");
        }
        has_room
    }

    /// Adds what is about to run, or does already if `abort` is known.
    ///
    /// # Errors
    /// A request with the same id has begun since [`check_request`](Self::check_request).
    pub fn insert(
        &mut self,
        key: RequestKey,
        id: Option<RequestId>,
        abort: Option<AbortHandle>,
        value: T,
    ) -> Result<(), ErrorObject> {
        if let Some(id) = &id {
            if self.keys.contains_key(id) {
                return Err(still_running());
            }
            self.keys.insert(id.clone(), key);
        }
        self.entries.insert(key, RunningEntry { id, abort, value });
        Ok(())
    }

    /// Notes how to end what has begun. If it is not here any more, it has ended, or was to be ended before it began.
    pub fn started(&mut self, key: RequestKey, abort: Option<AbortHandle>) {
        match self.entries.get_mut(&key) {
            Some(entry) => entry.abort = abort,
            None => abort.iter().for_each(AbortHandle::abort),
        }
    }

    /// Takes out what has ended.
    pub fn remove(&mut self, key: RequestKey) -> Option<RunningEntry<T>> {
        let entry = self.entries.remove(&key)?;
        if let Some(id) = &entry.id {
            self.keys.remove(id);
        }
        Some(entry)
    }

    /// Takes out a request that is to be cancelled.
    pub fn remove_request(&mut self, id: &RequestId) -> Option<(RequestKey, RunningEntry<T>)> {
        let key = self.keys.remove(id)?;
        Some((key, self.entries.remove(&key)?))
    }

    /// Takes out all there is.
    pub fn take_all(&mut self) -> Vec<RunningEntry<T>> {
        self.keys.clear();
        self.entries.drain().map(|(_, entry)| entry).collect()
    }
}

impl<T> Default for Running<T> {
    fn default() -> Self {
        Self { entries: HashMap::new(), keys: HashMap::new() }
    }
}

impl<T> RunningEntry<T> {
    /// Drops the work. Work that has not begun yet is dropped when it does. Not to be called under a lock that the work takes when it is
    /// dropped: a runtime that has ended drops it here.
    pub fn abort(&self) {
        self.abort.iter().for_each(AbortHandle::abort);
    }
}

/// Checks whether a request may stand in a batch, while other batches hold back `held` bytes of answers.
///
/// # Errors
/// The error to answer with.
pub fn check_batch_entry(method: &MethodName, held: usize, most_held: usize) -> Result<(), ErrorObject> {
    if *method == MethodName::Known(Method::Initialize) {
        return Err(ErrorObject::invalid_request("initialize must not be part of a batch"));
    }
    if held >= most_held {
        return Err(ErrorObject::new(code::TOO_MANY_REQUESTS, "too many answers wait for the rest of their batch"));
    }
    Ok(())
}

fn still_running() -> ErrorObject {
    ErrorObject::invalid_request("a request with this id is still running")
}
