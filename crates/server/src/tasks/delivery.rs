//! Questions of a task on their way to a client of 2025-11-25, which takes them while it waits for the result.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use jackfield_peer::{AskError, Incoming};
use jackfield_protocol::error::code;
use jackfield_protocol::{ErrorObject, InputRequest, RawJson};
use jackfield_store::{TaskInput, TaskRecord};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

use super::call::related;
use super::questions::Answered;
use super::runtime::{TaskRuntime, refusal};
use crate::questions::{READY_LIMIT, as_request};

/// The questions that one request takes to its client. Dropping it takes them back.
pub(super) struct Delivery<'a> {
    runtime: &'a Arc<TaskRuntime>,
    incoming: &'a Incoming,
    asking: JoinSet<Result<(), ErrorObject>>,
    under_way: HashMap<String, AbortHandle>,
    released: watch::Receiver<u64>,
}

impl<'a> Delivery<'a> {
    pub(super) fn new(runtime: &'a Arc<TaskRuntime>, incoming: &'a Incoming) -> Self {
        let released = runtime.claims.released.subscribe();
        Self { runtime, incoming, asking: JoinSet::new(), under_way: HashMap::new(), released }
    }

    /// Asks what nobody asks yet, and takes back what has been answered by another way.
    pub(super) fn begin(&mut self, record: &TaskRecord) {
        self.released.mark_unchanged();
        let open: HashSet<&str> = record.outstanding().map(|input| input.key.as_str()).collect();
        self.under_way.retain(|key, asking| {
            let wanted = open.contains(key.as_str());
            if !wanted {
                asking.abort();
            }
            wanted
        });
        for input in record.outstanding() {
            if self.under_way.contains_key(&input.key) {
                continue;
            }
            let claim = Claim::take(self.runtime, record.id.as_str(), &input.key);
            if let Some(claim) = claim {
                let asking = self.asking.spawn(ask(claim, self.incoming.clone(), input.clone()));
                self.under_way.insert(input.key.clone(), asking);
            }
        }
    }

    /// Waits until a question has been answered, or another request gave one back.
    pub(super) async fn next(&mut self) -> Result<(), ErrorObject> {
        tokio::select! {
            Some(asked) = self.asking.join_next() => match asked {
                Ok(asked) => asked,
                // It was taken back.
                Err(error) if error.is_cancelled() => Ok(()),
                Err(_) => Err(ErrorObject::internal("a question of the task could not be asked")),
            },
            // The runtime lives as long as the request does.
            _ = self.released.changed() => Ok(()),
        }
    }
}

/// Asks the client, and keeps what it says.
async fn ask(claim: Claim, incoming: Incoming, input: TaskInput) -> Result<(), ErrorObject> {
    let question: InputRequest = serde_json::from_slice(&input.request)
        .map_err(|error| ErrorObject::internal(format!("a question of the task cannot be read: {error}")))?;
    if let Some(session) = &incoming.session
        && !session.ready(READY_LIMIT).await
    {
        return Err(ErrorObject::internal("the client never said that it is ready to be asked"));
    }
    let (method, params) = as_request(question, incoming.caller.revision, Some(related(&claim.task)));
    let answer = match incoming.outlet.ask(method.name(), params).await {
        Ok(answer) => answered(&answer),
        Err(AskError::Refused(error)) => Answered::Refused(error),
        Err(AskError::TimedOut) => Answered::TimedOut,
        Err(AskError::TooMany) => return Err(ErrorObject::new(code::TOO_MANY_REQUESTS, "too many questions wait")),
        Err(_) => return Err(ErrorObject::internal("the connection closed before the client answered")),
    };
    let answers = vec![(input.key, answer.encode())];
    claim.runtime.store.answer(&claim.task, answers).await.map_err(refusal)?;
    Ok(())
}

fn answered(text: &Bytes) -> Answered {
    match std::str::from_utf8(text).ok().and_then(|text| RawJson::from_text(text).ok()) {
        Some(raw) => Answered::Result(raw),
        None => Answered::Refused(ErrorObject::invalid_request("the answer is not JSON")),
    }
}

/// Which questions are being asked, so that two requests that wait for one task do not ask the same.
#[derive(Debug, Default)]
pub(super) struct Claims {
    taken: Mutex<HashSet<(String, String)>>,
    /// Changes whenever a question is no longer being asked.
    released: watch::Sender<u64>,
}

impl Claims {
    fn taken(&self) -> MutexGuard<'_, HashSet<(String, String)>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to ask a question, until it is dropped.
struct Claim {
    runtime: Arc<TaskRuntime>,
    task: String,
    key: String,
}

impl Claim {
    fn take(runtime: &Arc<TaskRuntime>, task: &str, key: &str) -> Option<Self> {
        let (task, key) = (task.to_owned(), key.to_owned());
        let free = runtime.claims.taken().insert((task.clone(), key.clone()));
        free.then(|| Self { runtime: runtime.clone(), task, key })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let claims = &self.runtime.claims;
        claims.taken().remove(&(std::mem::take(&mut self.task), std::mem::take(&mut self.key)));
        claims.released.send_modify(|count| *count = count.wrapping_add(1));
    }
}
