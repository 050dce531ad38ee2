//! The requests about tasks.

use jackfield_peer::{Answering, Incoming, Reply};
use jackfield_protocol::{AnyResult, ErrorObject, ListTasksResult, Outcome, Revision, TaskStatus, UpdateTaskParams};
use jackfield_store::{StoreError, TaskChange, TaskEnd, TaskRecord, Updated};

use super::call::related;
use super::delivery::Delivery;
use super::questions::Answered;
use super::runtime::{not_found, refusal};
use super::{missing_extension, results, speaks_extension, view};
use crate::routing::router::{Router, empty};

/// Refuses clients that did not say that they know the extension, with each request anew.
fn check_extension(incoming: &Incoming) -> Result<(), ErrorObject> {
    let revision = incoming.caller.revision;
    if revision.has_core_tasks() || speaks_extension(&incoming.caller) { Ok(()) } else { Err(missing_extension()) }
}

/// Answers `tasks/get`.
pub(crate) fn get(router: &Router, incoming: Incoming) -> Answering {
    let runtime = router.tasks.clone();
    Answering::later(async move {
        check_extension(&incoming)?;
        let record = runtime.find(&incoming).await?;
        told(&record, incoming.caller.revision)
    })
}

fn told(record: &TaskRecord, revision: Revision) -> Reply {
    Ok(Outcome::Complete(match revision.has_core_tasks() {
        true => view::task_of(record).into(),
        false => view::detailed(record)?.into(),
    }))
}

/// Answers `tasks/cancel`. The work is dropped by its worker, which watches the task.
pub(crate) fn cancel(router: &Router, incoming: Incoming) -> Answering {
    let runtime = router.tasks.clone();
    Answering::later(async move {
        check_extension(&incoming)?;
        let record = runtime.find(&incoming).await?;
        let cancelled = TaskChange::end(TaskEnd::Cancelled).with_message("the task was cancelled by request");
        let updated = runtime.store.update(record.id.as_str(), cancelled).await.map_err(refusal)?;
        // In the newer form asking is enough, whatever comes of it.
        if !incoming.caller.revision.has_core_tasks() {
            return empty();
        }
        match updated {
            Updated::Applied(record) => told(&record, incoming.caller.revision),
            Updated::Ended(record) => Err(over(view::task_of(&record).status)),
            Updated::Gone => Err(not_found()),
        }
    })
}

fn over(status: TaskStatus) -> ErrorObject {
    ErrorObject::invalid_params(format!("the task cannot be cancelled: its status is {} for ever", status.as_str()))
}

/// Answers `tasks/update`: takes answers to questions of a task. Those that nobody waits for are ignored.
pub(crate) fn update(router: &Router, incoming: Incoming) -> Answering {
    let runtime = router.tasks.clone();
    Answering::later(async move {
        check_extension(&incoming)?;
        let asked: UpdateTaskParams = incoming.params.decode()?;
        let record = runtime.find(&incoming).await?;
        let answers = asked.input_responses.0.into_iter();
        let answers = answers.map(|(key, answer)| (key, Answered::Result(answer).encode())).collect();
        runtime.store.answer(record.id.as_str(), answers).await.map_err(refusal)?;
        empty()
    })
}

/// Answers `tasks/list`.
pub(crate) fn list(router: &Router, incoming: Incoming) -> Answering {
    let (runtime, core, page_size) = (router.tasks.clone(), router.core.clone(), router.page_size);
    Answering::later(async move {
        let owner = runtime.owner(&incoming)?;
        let bad_cursor = || refusal(StoreError::BadCursor);
        let after = match incoming.params.optional_string("cursor")? {
            None => None,
            Some(cursor) => {
                let opened = core.fixed().sealer.open_lasting(&cursor, &owner.binding()).ok_or_else(bad_cursor)?;
                Some(String::from_utf8(opened).map_err(|_| bad_cursor())?)
            }
        };
        let page = runtime.store.list(&owner.name, after.as_deref(), page_size).await.map_err(refusal)?;
        let mut tasks = Vec::with_capacity(page.tasks.len());
        for task in page.tasks {
            // What nobody works on any more has failed, and is told so here as everywhere.
            let ended = if task.abandoned { runtime.look(task.id.as_str()).await? } else { None };
            tasks.push(view::task_of(ended.as_ref().unwrap_or(&task)));
        }
        let mut result = ListTasksResult::new(tasks);
        result.next_cursor =
            page.next.and_then(|next| core.fixed().sealer.seal_lasting(next.as_bytes(), &owner.binding()));
        Ok(Outcome::Complete(result.into()))
    })
}

/// Answers `tasks/result`: waits until the task has ended, and meanwhile takes its questions to the client.
pub(crate) fn result(router: &Router, incoming: Incoming) -> Answering {
    let runtime = router.tasks.clone();
    Answering::later(async move {
        let mut record = runtime.find(&incoming).await?;
        let gone = || ErrorObject::invalid_params("the task has expired");
        let id = record.id.to_string();
        let mut watch = runtime.store.watch(&id).await.map_err(refusal)?.ok_or_else(gone)?;
        let mut delivery = Delivery::new(&runtime, &incoming);
        loop {
            if let Some(end) = &record.end {
                return ended(end, &id);
            }
            delivery.begin(&record);
            tokio::select! {
                _ = watch.changed() => {}
                delivered = delivery.next() => delivered?,
                // A worker on another node may have died; then nobody tells.
                () = tokio::time::sleep(runtime.config.lease) => {}
            }
            record = runtime.look(&id).await?.ok_or_else(gone)?;
        }
    })
}

fn ended(end: &TaskEnd, id: &str) -> Reply {
    match end {
        TaskEnd::Completed(bytes) | TaskEnd::Unsuccessful(bytes) => {
            let mut result = results::read_result(bytes)?;
            result.meta.get_or_insert_default().extend(related(id));
            Ok(Outcome::Complete(AnyResult::from(result)))
        }
        TaskEnd::Failed(bytes) => Err(results::read_error(bytes)),
        _ => Err(ErrorObject::internal("the task was cancelled; it has no result")),
    }
}
