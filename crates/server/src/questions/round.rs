//! One run of a handler that asks: what earlier runs left, and what this one wants to know.

use std::future::{Future, pending};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use jackfield_peer::Reply;
use jackfield_protocol::envelope::MethodName;
use jackfield_protocol::{
    ErrorObject, InputRequest, InputRequests, InputRequired, InputResponses, Method, Outcome, RawJson,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::request_state::{self, RequestState, digest_of};
use super::{QuestionError, by_request, check, in_task};
use crate::Cx;

/// What a run of a handler asks and knows.
#[derive(Debug, Default)]
pub(crate) struct Round(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// What earlier rounds left; read when the handler first asks.
    past: Option<Box<RequestState>>,
    /// Held by the one who reads it; others wait.
    reading: Option<Arc<tokio::sync::Mutex<()>>>,
    /// What this run asks.
    asked: InputRequests,
    /// How the call must end, if the handler cannot go on.
    failure: Option<Box<ErrorObject>>,
    /// Steps that must not be dropped half-way.
    steps_under_way: usize,
    waker: Option<Waker>,
}

impl Round {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes the call, if it waits.
    pub(crate) fn wake(&self) {
        self.lock().wake();
    }

    /// Ends the call with an error, because the handler cannot go on.
    pub(super) fn fail(&self, error: ErrorObject) {
        self.lock().fail(error);
    }

    /// Returns the answer to a question that was asked before, and remembers the question.
    pub(super) fn recall(&self, key: &str, question: &InputRequest) -> Result<Option<RawJson>, QuestionError> {
        let digest = digest_of(question);
        let mut inner = self.lock();
        let past = inner.past.get_or_insert_default();
        past.check(key, digest)?;
        past.questions.insert(key.to_owned(), digest);
        Ok(past.answers.get(key).cloned())
    }

    /// Remembers an answer.
    pub(super) fn remember(&self, key: &str, answer: &RawJson) {
        self.lock().past.get_or_insert_default().answers.insert(key.to_owned(), answer.clone());
    }

    /// Wakes the call when a question is asked outside of its own polling.
    pub(crate) fn watch(&self, waker: &Waker) {
        self.lock().waker = Some(waker.clone());
    }
}

impl Inner {
    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    fn fail(&mut self, error: ErrorObject) {
        self.failure.get_or_insert_with(|| Box::new(error));
        self.wake();
    }
}

/// Returns how a call ends whose handler waits: with its questions, or with an error. `None` if it waits for something else.
pub(crate) fn end(cx: &Cx) -> Option<Reply> {
    let mut inner = cx.call().round.lock();
    if let Some(error) = inner.failure.take() {
        return Some(Err(*error));
    }
    if inner.asked.is_empty() || inner.steps_under_way > 0 {
        return None;
    }
    let asked = std::mem::take(&mut inner.asked);
    let past = inner.past.clone().unwrap_or_default();
    drop(inner);
    Some(request_state::seal(cx, &past).map(|state| {
        let mut questions = InputRequired::default();
        questions.input_requests = Some(asked);
        questions.request_state = Some(state);
        Outcome::InputRequired(questions)
    }))
}

/// Asks a question, or finds the answer of an earlier round.
pub(super) async fn ask(cx: &Cx, key: &str, mut question: InputRequest) -> Result<RawJson, QuestionError> {
    if let Some(task) = cx.task() {
        let answers = in_task::ask(cx, task, vec![(key.to_owned(), question)]).await?;
        return answers.into_iter().next().ok_or(QuestionError::Closed);
    }
    check::question(cx.caller(), &mut question)
        .map_err(|problem| QuestionError::BadQuestion { key: key.to_owned(), problem })?;
    if cx.revision().has_server_requests() {
        ask_by_request(cx, key, question).await
    } else {
        ask_by_result(cx, key, question).await
    }
}

async fn ask_by_result(cx: &Cx, key: &str, question: InputRequest) -> Result<RawJson, QuestionError> {
    if !may_ask(cx) {
        return Err(QuestionError::NotHere);
    }
    open_past(cx).await;
    let digest = digest_of(&question);
    {
        let mut inner = cx.call().round.lock();
        let past = inner.past.get_or_insert_default();
        past.check(key, digest)?;
        if let Some(answer) = past.answers.get(key) {
            return Ok(answer.clone());
        }
        match check::missing_capability(cx.caller(), &question) {
            Some(missing) => {
                inner.fail(ErrorObject::missing_capability(
                    format!("the client does not support {}", missing.name),
                    missing.required,
                ));
            }
            None => {
                past.questions.insert(key.to_owned(), digest);
                inner.asked.insert(key.to_owned(), question);
                inner.wake();
            }
        }
    }
    // The call ends here: `Running::poll` finds the question, and drops the handler while it waits. See there.
    pending().await
}

async fn ask_by_request(cx: &Cx, key: &str, question: InputRequest) -> Result<RawJson, QuestionError> {
    if let Some(missing) = check::missing_capability(cx.caller(), &question) {
        return Err(QuestionError::NotSupported(missing.name));
    }
    let session = cx.peer_session().ok_or(QuestionError::NotHere)?;
    if let Some(answer) = cx.call().round.recall(key, &question)? {
        return Ok(answer);
    }
    let answer = by_request::ask(session, &cx.call().incoming.outlet, question).await?;
    cx.call().round.remember(key, &answer);
    Ok(answer)
}

/// An answer that cannot be used: the request was wrong in the modern era, the client in the legacy era. The request that brought an
/// answer to a task is over.
pub(super) async fn bad_answer<T>(cx: &Cx, key: &str, problem: String) -> Result<T, QuestionError> {
    if cx.revision().has_server_requests() || cx.is_task() {
        return Err(QuestionError::BadAnswer { key: key.to_owned(), problem });
    }
    let message = format!("the answer to the question `{key}` does not fit it: {problem}");
    cx.call().round.lock().fail(ErrorObject::invalid_params(message));
    pending().await
}

pub(super) async fn step<T, F>(cx: &Cx, key: &str, work: F) -> T
where
    T: Serialize + DeserializeOwned,
    F: Future<Output = T>,
{
    // A task is not run again, so nothing in it happens twice.
    if cx.revision().has_server_requests() || !may_ask(cx) || cx.is_task() {
        return work.await;
    }
    open_past(cx).await;
    let known = cx.call().round.lock().past.get_or_insert_default().steps.get(key).cloned();
    if let Some(known) = known {
        match known.read() {
            Ok(result) => return result,
            Err(error) => return fail_step(cx, key, &error).await,
        }
    }
    let guard = StepGuard::new(cx);
    let result = work.await;
    match RawJson::new(&result) {
        Ok(raw) => drop(cx.call().round.lock().past.get_or_insert_default().steps.insert(key.to_owned(), raw)),
        Err(error) => return fail_step(cx, key, &error).await,
    }
    drop(guard);
    result
}

async fn fail_step<T>(cx: &Cx, key: &str, error: &serde_json::Error) -> T {
    let message = format!("the result of the step `{key}` cannot be kept: {error}");
    cx.call().round.lock().fail(ErrorObject::internal(message));
    pending().await
}

/// Keeps the call from ending with questions while a step is under way.
struct StepGuard<'a>(&'a Cx);

impl<'a> StepGuard<'a> {
    fn new(cx: &'a Cx) -> Self {
        let mut inner = cx.call().round.lock();
        inner.steps_under_way = inner.steps_under_way.saturating_add(1);
        Self(cx)
    }
}

impl Drop for StepGuard<'_> {
    fn drop(&mut self) {
        let mut inner = self.0.call().round.lock();
        inner.steps_under_way = inner.steps_under_way.saturating_sub(1);
        inner.wake();
    }
}

/// Only these requests may be answered with questions.
pub(crate) fn may_ask(cx: &Cx) -> bool {
    matches!(cx.call().incoming.method, MethodName::Known(Method::CallTool | Method::GetPrompt | Method::ReadResource))
}

/// Reads what earlier rounds left, once. If it cannot be trusted the call ends and this never returns.
async fn open_past(cx: &Cx) {
    let is_open = || cx.call().round.lock().past.is_some();
    if is_open() {
        return;
    }
    // Several questions may be asked at once, and what came with the call must not be shown to hooks more than once.
    let reading = cx.call().round.lock().reading.get_or_insert_default().clone();
    let _turn = reading.lock().await;
    if is_open() {
        return;
    }
    match read_past(cx).await {
        Ok(past) => drop(cx.call().round.lock().past.get_or_insert(Box::new(past))),
        Err(error) => {
            cx.call().round.lock().fail(error);
            pending().await
        }
    }
}

/// Opens the state that came with the call, and adds the answers that came beside it. An answer that is in the state wins: it was checked
/// before, and the handler has acted on it.
async fn read_past(cx: &Cx) -> Result<RequestState, ErrorObject> {
    let fresh: InputResponses = cx.params().member("inputResponses")?.unwrap_or_default();
    // Without state nothing was asked, so there is nothing that could have been answered.
    let Some(state) = cx.params().optional_string("requestState")? else { return Ok(RequestState::default()) };
    let mut past: RequestState = request_state::open(cx, &state)?;
    let single_use = cx.call().outer.fixed().single_use.clone();
    if let Some(first_use) = single_use
        && !first_use(state.into_owned()).await
    {
        return Err(ErrorObject::invalid_params("`requestState` has been used already"));
    }
    let known = fresh.0.into_iter().filter(|(key, _)| past.questions.contains_key(key));
    for (key, answer) in known.collect::<Vec<_>>() {
        past.answers.entry(key).or_insert(answer);
    }
    Ok(past)
}
