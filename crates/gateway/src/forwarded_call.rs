//! Requests of callers that are under way at a server.
//!
//! The request to the server lives in a task of its own, because it may outlive the request of the caller: a caller of the modern era
//! gets the server's question as its result, and comes back with the answer in a new request, while the server still waits. What finds the
//! task again travels with the caller, sealed. Whoever does not come back is given up, which cancels the request at the server.

use std::collections::{HashMap, VecDeque};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use jackfield_client::{Behalf, Client, Error};
use jackfield_protocol::error::code;
use jackfield_protocol::{AnyResult, ErrorObject, InputRequest, LoggingMessageParams, ProgressParams, RawJson};
use jackfield_server::{CallerKey, Cx, QuestionError};
use jackfield_store::TaskId;
use tokio::sync::{Notify, oneshot, watch};
use tokio::task::{AbortHandle, JoinSet};

use crate::caller_lookup::{CURRENT, refusal};
use crate::error::ForwardError;
use crate::upstream::Upstream;

/// How long a caller may take to come back with an answer; as long as what it carries is valid.
const LIFE: Duration = Duration::from_secs(10 * 60);
/// The most requests that are under way at all servers together.
const MOST: usize = 4096;

/// The most of one caller, unless the gateway says otherwise.
pub(crate) const MOST_OF_ONE: usize = 1024;

/// All requests that are under way.
pub(crate) struct ForwardedCalls {
    /// The most of one caller.
    most_of_one: usize,
    by_id: Mutex<HashMap<String, Arc<ForwardedCall>>>,
    tasks: Mutex<JoinSet<()>>,
}

/// A request of a caller that is under way at a server.
pub(crate) struct ForwardedCall {
    /// The caller's request that listens; after a question it is the next one.
    cx: Mutex<Cx>,
    state: Mutex<State>,
    changed: Notify,
    /// Whether a request of the caller listens.
    attached: watch::Sender<bool>,
    /// By what the caller is counted; found out when it matters.
    caller: OnceLock<CallerKey>,
}

#[derive(Default)]
struct State {
    questions: VecDeque<PendingQuestion>,
    /// How many questions there have been; their numbers are their keys.
    asked: u32,
    outcome: Option<Result<AnyResult, Error>>,
    is_over: bool,
    task: Option<AbortHandle>,
}

/// A question of the server that waits for the caller.
struct PendingQuestion {
    key: String,
    question: InputRequest,
    answer: oneshot::Sender<Result<RawJson, ErrorObject>>,
}

/// What a caller hears next of its request.
enum CallEvent {
    Question(String, InputRequest),
    Over(Option<Result<AnyResult, Error>>),
}

/// Asks a server for a caller, and passes on its questions, until there is an outcome. Dropping the future cancels the request at the
/// server, unless the caller was asked something and is going to come back.
pub(crate) async fn forward<F>(
    upstream: &Arc<Upstream>,
    cx: &Cx,
    behalf: Behalf,
    ask: impl FnOnce(Client, Arc<ForwardedCall>) -> F,
) -> Result<AnyResult, ForwardError>
where
    F: Future<Output = Result<AnyResult, Error>> + Send + 'static,
{
    // A caller that comes back finds its request by what this gave the first time.
    let begun = cx.step("request", async { begin(upstream, cx, behalf, ask).map_err(Start::of) }).await;
    let id = begun.map_err(Start::into_forward_error)?;
    let Some(forwarded) = upstream.calls.find(&id) else {
        let message = "the call that this answer belongs to is over; call again without it";
        return Err(ForwardError::Refused(ErrorObject::invalid_params(message)));
    };
    let mut attached_caller = AttachedCaller::new(upstream.calls.clone(), id, forwarded.clone(), cx);
    loop {
        let (key, question) = match forwarded.next().await {
            CallEvent::Question(key, question) => (key, question),
            CallEvent::Over(Some(Ok(result))) => return Ok(result),
            CallEvent::Over(Some(Err(error))) => {
                return Err(ForwardError::Failed { server: upstream.name.clone(), error });
            }
            CallEvent::Over(None) => {
                return Err(ForwardError::Unavailable(format!("the server {} was let go", upstream.name)));
            }
        };
        if !cx.can_ask(&question) {
            forwarded.answer(&key, Err(refusal(cx, &question)));
            continue;
        }
        // In the modern era the call ends while this waits.
        attached_caller.comes_back = !cx.revision().has_server_requests();
        tokio::select! {
            // In the modern era asking ends the call. A question that the server has taken back already must not.
            biased;
            () = forwarded.until_withdrawn(&key) => {}
            answer = cx.ask_question(&key, question) => forwarded.answer(&key, answer.map_err(no_answer)),
        }
        attached_caller.comes_back = false;
    }
}

/// Why a request did not begin, in a form that can travel.
#[derive(serde::Serialize, serde::Deserialize)]
enum Start {
    Unavailable(String),
    Refused(ErrorObject),
}

impl Start {
    fn of(error: ForwardError) -> Self {
        match error {
            ForwardError::Unavailable(words) => Self::Unavailable(words),
            other => Self::Refused(other.into_error_object()),
        }
    }

    fn into_forward_error(self) -> ForwardError {
        match self {
            Self::Unavailable(words) => ForwardError::Unavailable(words),
            Self::Refused(error) => ForwardError::Refused(error),
        }
    }
}

fn begin<F>(
    upstream: &Upstream,
    cx: &Cx,
    behalf: Behalf,
    ask: impl FnOnce(Client, Arc<ForwardedCall>) -> F,
) -> Result<String, ForwardError>
where
    F: Future<Output = Result<AnyResult, Error>> + Send + 'static,
{
    let client = upstream.client().map_err(ForwardError::Unavailable)?.on_behalf(behalf);
    let id = TaskId::random().to_string();
    let forwarded = Arc::new(ForwardedCall {
        cx: Mutex::new(cx.clone()),
        state: Mutex::default(),
        changed: Notify::new(),
        attached: watch::Sender::new(true),
        caller: OnceLock::new(),
    });
    upstream
        .calls
        .insert(&id, &forwarded)
        .map_err(|why| ForwardError::Refused(ErrorObject::new(code::TOO_MANY_REQUESTS, why)))?;
    upstream.callers.add(&forwarded);
    let asking = ask(client, forwarded.clone());
    upstream.calls.run(id.clone(), forwarded, asking);
    Ok(id)
}

impl ForwardedCalls {
    pub(crate) fn new(most_of_one: usize) -> Self {
        Self { most_of_one, by_id: Mutex::default(), tasks: Mutex::default() }
    }

    fn find(&self, id: &str) -> Option<Arc<ForwardedCall>> {
        lock(&self.by_id).get(id).cloned()
    }

    /// Takes in a request; the error says why there is no room for it.
    fn insert(&self, id: &str, forwarded: &Arc<ForwardedCall>) -> Result<(), &'static str> {
        let mut by_id = lock(&self.by_id);
        if by_id.len() >= MOST {
            return Err("too many requests are under way; try again later");
        }
        // While all callers together have no more than one may have, nobody is counted.
        if by_id.len() >= self.most_of_one {
            let caller = forwarded.caller();
            if by_id.values().filter(|other| other.caller() == caller).count() >= self.most_of_one {
                return Err("too many requests of this caller are under way; try again when some of them have ended");
            }
        }
        by_id.insert(id.to_owned(), forwarded.clone());
        Ok(())
    }

    fn remove(&self, id: &str) {
        let removed = lock(&self.by_id).remove(id);
        if let Some(forwarded) = removed {
            forwarded.stop();
        }
    }

    fn run<F>(self: &Arc<Self>, id: String, forwarded: Arc<ForwardedCall>, asking: F)
    where
        F: Future<Output = Result<AnyResult, Error>> + Send + 'static,
    {
        let all: Weak<Self> = Arc::downgrade(self);
        let work = CURRENT.scope(forwarded.clone(), {
            let forwarded = forwarded.clone();
            async move {
                let mut abandoned = pin!(forwarded.abandoned());
                tokio::select! {
                    biased;
                    outcome = asking => {
                        forwarded.end(Some(outcome));
                        // A caller that comes back takes the outcome and ends this task; the others must not fill the table.
                        abandoned.await;
                    }
                    () = &mut abandoned => forwarded.end(None),
                }
                if let Some(all) = all.upgrade() {
                    all.remove(&id);
                }
            }
        });
        let mut tasks = lock(&self.tasks);
        while tasks.try_join_next().is_some() {}
        let task = tasks.spawn(work);
        drop(tasks);
        lock(&forwarded.state).task = Some(task);
    }

    /// Gives up everything that is under way.
    pub(crate) fn end(&self) {
        lock(&self.tasks).abort_all();
        let all = std::mem::take(&mut *lock(&self.by_id));
        all.values().for_each(|forwarded| forwarded.end(None));
    }
}

impl ForwardedCall {
    /// Returns the caller's request that listens.
    pub(crate) fn cx(&self) -> Cx {
        lock(&self.cx).clone()
    }

    /// Returns by what the caller is counted. It is the same for all requests that belong to the forwarded call.
    fn caller(&self) -> &CallerKey {
        self.caller.get_or_init(|| self.cx().caller_key())
    }

    pub(crate) fn is_over(&self) -> bool {
        lock(&self.state).is_over
    }

    /// Asks the caller, and waits for its answer.
    pub(crate) async fn ask(&self, question: InputRequest) -> Result<RawJson, ErrorObject> {
        // A server that takes its question back drops this while it waits.
        let _withdrawn = NotifyWhenDropped(&self.changed);
        let (answer, answered) = oneshot::channel();
        {
            let mut state = lock(&self.state);
            state.asked = state.asked.saturating_add(1);
            let key = format!("question-{}", state.asked);
            state.questions.push_back(PendingQuestion { key, question, answer });
        }
        self.changed.notify_one();
        answered.await.unwrap_or_else(|_| Err(ErrorObject::internal("the caller has gone")))
    }

    /// Tells the caller how far the server is.
    pub(crate) fn progress(&self, notice: &ProgressParams) {
        self.cx().progress(notice.progress, notice.total, notice.message.as_deref());
    }

    /// Tells the caller what the server logs.
    pub(crate) fn log(&self, server: &str, message: LoggingMessageParams) {
        let logger = match &message.logger {
            Some(logger) => format!("{server}/{logger}"),
            None => server.to_owned(),
        };
        self.cx().log(message.level, Some(&logger), message.data);
    }

    async fn next(&self) -> CallEvent {
        loop {
            {
                let mut state = lock(&self.state);
                // A server that no longer waits for an answer has asked nothing.
                state.questions.retain(|waiting| !waiting.answer.is_closed());
                if state.is_over {
                    return CallEvent::Over(state.outcome.take());
                }
                if let Some(first) = state.questions.front() {
                    return CallEvent::Question(first.key.clone(), first.question.clone());
                }
            }
            self.changed.notified().await;
        }
    }

    fn answer(&self, key: &str, answer: Result<RawJson, ErrorObject>) {
        let mut state = lock(&self.state);
        let place = state.questions.iter().position(|waiting| waiting.key == key);
        if let Some(waiting) = place.and_then(|place| state.questions.remove(place)) {
            // If the server no longer waits, there is nobody to tell.
            let _ = waiting.answer.send(answer);
        }
    }

    fn end(&self, outcome: Option<Result<AnyResult, Error>>) {
        let mut state = lock(&self.state);
        if !state.is_over {
            (state.is_over, state.outcome) = (true, outcome);
            state.questions.clear();
        }
        drop(state);
        // Both the one who waits for the next thing and the one who waits for an answer have to hear of it.
        self.changed.notify_one();
        self.changed.notify_waiters();
    }

    /// Waits until nobody waits for the answer to a question: the server has taken it back, or all is over.
    async fn until_withdrawn(&self, key: &str) {
        loop {
            let changed = self.changed.notified();
            let is_asked = |waiting: &PendingQuestion| waiting.key == key && !waiting.answer.is_closed();
            if !lock(&self.state).questions.iter().any(is_asked) {
                return;
            }
            changed.await;
        }
    }

    /// Cancels the request at the server.
    fn stop(&self) {
        let task = lock(&self.state).task.take();
        if let Some(task) = task {
            task.abort();
        }
        self.end(None);
    }

    /// Waits until the caller has been away for too long.
    async fn abandoned(&self) {
        let mut attached = self.attached.subscribe();
        loop {
            // The sender is our own, so it is there.
            let _ = attached.wait_for(|attached| !attached).await;
            if tokio::time::timeout(LIFE, attached.wait_for(|attached| *attached)).await.is_err() {
                return;
            }
        }
    }
}

/// A request of the caller that listens. When it ends so does the request at the server, unless the caller comes back.
struct AttachedCaller {
    calls: Arc<ForwardedCalls>,
    id: String,
    forwarded: Arc<ForwardedCall>,
    comes_back: bool,
}

impl AttachedCaller {
    fn new(calls: Arc<ForwardedCalls>, id: String, forwarded: Arc<ForwardedCall>, cx: &Cx) -> Self {
        *lock(&forwarded.cx) = cx.clone();
        forwarded.attached.send_replace(true);
        Self { calls, id, forwarded, comes_back: false }
    }
}

impl Drop for AttachedCaller {
    fn drop(&mut self) {
        if self.comes_back {
            self.forwarded.attached.send_replace(false);
        } else {
            self.calls.remove(&self.id);
        }
    }
}

/// Tells those who wait for a change, at the end of whatever holds it.
struct NotifyWhenDropped<'a>(&'a Notify);

impl Drop for NotifyWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.notify_waiters();
    }
}

/// What a server is told when the caller did not answer.
fn no_answer(error: QuestionError) -> ErrorObject {
    match error {
        QuestionError::Refused(error) => error,
        QuestionError::BadQuestion { problem, .. } => ErrorObject::invalid_params(problem),
        other => ErrorObject::internal(other.to_string()),
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
