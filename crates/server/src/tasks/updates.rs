//! Notices about tasks on a listen stream.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use jackfield_peer::Incoming;
use jackfield_protocol::{DetailedTask, ErrorObject};
use jackfield_store::{TaskStage, TaskWatch};
use tokio::time::{Duration, Instant, timeout_at};

use super::runtime::{TaskRuntime, refusal};
use super::view;

/// How long is waited before the store is asked again.
const PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// The tasks that a listen stream is about.
#[derive(Default)]
pub(crate) struct Updates {
    runtime: Option<Arc<TaskRuntime>>,
    watches: Vec<(String, Watching)>,
    /// When to look whether someone still works on the tasks: one who died does not tell.
    check_at: Option<Instant>,
    /// The tasks whose state has to be told.
    due: VecDeque<String>,
    /// How often in a row the store did not say what it is.
    failures: u32,
}

/// Waits for the next change of a task, and gives the watch back with it.
type Watching = Pin<Box<dyn Future<Output = (TaskWatch, Option<TaskStage>)> + Send + Sync>>;

/// What a stream agreed to.
pub(crate) struct Subscribed {
    pub(crate) updates: Updates,
    pub(crate) ids: Vec<String>,
}

impl Updates {
    /// Begins to watch those of the tasks that are the caller's. What is not there, or not the caller's, is left out.
    pub(crate) async fn subscribe(
        runtime: &Arc<TaskRuntime>,
        incoming: &Incoming,
        wanted: Vec<String>,
    ) -> Result<Subscribed, ErrorObject> {
        let owner = runtime.owner(incoming)?.name;
        let mut updates = Self { runtime: Some(runtime.clone()), ..Self::default() };
        let mut ids: Vec<String> = Vec::new();
        for id in wanted {
            if ids.contains(&id) {
                continue;
            }
            // The watch begins before the look, so that nothing is lost between them.
            let Some(watch) = runtime.store.watch(&id).await.map_err(refusal)? else { continue };
            let Some(record) = runtime.look(&id).await?.filter(|record| record.owner == owner) else { continue };
            // A client that listens after the task has ended would wait for ever.
            if record.stage() != TaskStage::Working {
                updates.due.push_back(id.clone());
            }
            if record.stage() != TaskStage::Ended {
                updates.watches.push((id.clone(), watching(watch)));
            }
            ids.push(id);
        }
        Ok(Subscribed { updates, ids })
    }

    /// Waits for a change, and returns the task as it is then. It never returns if there is nothing to watch.
    ///
    /// # Cancellation
    /// Nothing is lost.
    pub(crate) async fn next(&mut self) -> DetailedTask {
        loop {
            self.changed_or_checked().await;
            let (Some(runtime), Some(id)) = (&self.runtime, self.due.front()) else { continue };
            let record = match runtime.look(id).await {
                Ok(record) => record,
                Err(error) => {
                    if self.failures == 0 {
                        tracing::warn!(%error, "a change of a task cannot be told yet");
                    }
                    // Others may have more luck, and are looked at first the next time.
                    self.due.rotate_left(1);
                    self.failures = self.failures.saturating_add(1);
                    tokio::time::sleep(PAUSE.saturating_mul(self.failures).min(LONGEST_PAUSE)).await;
                    continue;
                }
            };
            self.failures = 0;
            self.due.pop_front();
            // One that has expired is none to tell of.
            match record.map(|record| view::detailed(&record)).transpose() {
                Ok(Some(task)) => return task,
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "a task in the store makes no sense"),
            }
        }
    }

    /// Waits until there is something to tell; from time to time, tasks whose worker died are ended meanwhile.
    async fn changed_or_checked(&mut self) {
        let Some(runtime) = self.runtime.clone().filter(|_| !self.watches.is_empty()) else {
            return self.changed().await;
        };
        loop {
            let at = *self.check_at.get_or_insert_with(|| Instant::now() + runtime.config.lease);
            if timeout_at(at, self.changed()).await.is_ok() {
                return;
            }
            for (id, _) in &self.watches {
                // Looking is enough: an end is noticed like any other.
                if let Err(error) = runtime.look(id).await {
                    tracing::warn!(%error, "whether a task is worked on is not known");
                }
            }
            self.check_at = None;
        }
    }

    /// Waits until there is something to tell. What has ended or expired is not watched any more.
    async fn changed(&mut self) {
        poll_fn(|cx| {
            let mut at = 0;
            while let Some((id, watch)) = self.watches.get_mut(at) {
                let Poll::Ready((next, stage)) = watch.as_mut().poll(cx) else {
                    at += 1;
                    continue;
                };
                if !self.due.contains(id) {
                    self.due.push_back(id.clone());
                }
                match stage {
                    None | Some(TaskStage::Ended) => drop(self.watches.swap_remove(at)),
                    // It is polled again at once, so that it wakes this stream.
                    Some(_) => *watch = watching(next),
                }
            }
            if self.due.is_empty() { Poll::Pending } else { Poll::Ready(()) }
        })
        .await;
    }
}

fn watching(mut watch: TaskWatch) -> Watching {
    Box::pin(async move {
        let stage = watch.changed().await;
        (watch, stage)
    })
}
