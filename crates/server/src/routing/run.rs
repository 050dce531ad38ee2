//! Running a handler: its questions, its progress, its end.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use jackfield_peer::{Answering, Reply};
use jackfield_protocol::{AnyResult, ErrorObject, Outcome};
use tokio::time::Sleep;

use crate::questions::round;
use crate::{Cx, Work, routing::scope, tasks};

/// Begins a call, and lets it go on until its handler is done or asks. `finish` turns the handler's result into the answer.
pub(crate) fn run<T, F>(cx: Cx, begin: impl FnOnce(&Cx) -> Work<T>, finish: F) -> Answering
where
    T: Send + 'static,
    F: FnOnce(T, &Cx) -> Result<AnyResult, ErrorObject> + Send + Unpin + 'static,
{
    match scope::enter(&cx, || begin(&cx)) {
        Work::Ready(done) => {
            cx.end();
            Answering::Ready(done.and_then(|outcome| conclude(&cx, outcome, finish)))
        }
        Work::Later(work) => {
            Answering::Later(Box::pin(Running { work: Some(work), cx, finish: Some(finish), timer: None }))
        }
    }
}

/// A handler that is not done yet.
struct Running<T, F> {
    /// None when it goes on elsewhere, as a task.
    work: Option<Pin<Box<dyn Future<Output = crate::Done<T>> + Send>>>,
    cx: Cx,
    finish: Option<F>,
    /// Fires when a notice of progress that was kept back may go.
    timer: Option<Pin<Box<Sleep>>>,
}

/// In the modern era a question ends the call, although the handler is in the middle of its work and knows nothing of it:
///
/// 1. The handler awaits `cx.elicit` or the like. If the answer did not come with the call, the question is noted in the call's `Round`, and
///    the future that the handler awaits is `pending()`: it never completes.
/// 2. The handler returns `Pending`, and this `poll` looks at the round. Where questions wait, the call is ready: its result is
///    `input_required` with all of them and the sealed state. Several that were asked at once (`join!`, `ask_all`) are all noted by then,
///    because a handler returns `Pending` only when nothing in it can go on.
/// 3. The result drops this future, and with it the handler where it stands. That is what cancellation does too, so a handler that
///    survives one survives the other.
/// 4. The client calls again with the answers, and the handler runs from its beginning. The same question finds its answer and goes on.
///
/// A question that is asked from another task is noted while nobody polls; therefore the round has the waker of the last `poll`. While a
/// `step` is under way the call does not end, because its result would be lost and its work done twice. A round that cannot go on, such
/// as one whose state was forged, ends the call in the same way with an error.
///
/// In the legacy era a question is a request, and its future completes like any other; the round then holds answers only.
impl<T, F> Future for Running<T, F>
where
    T: Send + 'static,
    F: FnOnce(T, &Cx) -> Result<AnyResult, ErrorObject> + Send + Unpin + 'static,
{
    type Output = Reply;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Reply> {
        let this = &mut *self;
        if !this.cx.is_legacy() {
            this.cx.call().round.watch(task.waker());
        }
        let Some(work) = &mut this.work else { return Poll::Pending };
        if let Poll::Ready(done) = scope::enter(&this.cx, || work.as_mut().poll(task)) {
            this.cx.end();
            let finish = this.finish.take();
            return Poll::Ready(done.and_then(|outcome| {
                let finish = finish.ok_or_else(|| ErrorObject::internal("a call was polled after its end"))?;
                conclude(&this.cx, outcome, finish)
            }));
        }
        if let Some(reply) = round::end(&this.cx) {
            this.cx.end();
            return Poll::Ready(reply);
        }
        if this.cx.call().task.is_moving() {
            return Poll::Ready(this.move_out());
        }
        this.send_late_progress(task);
        Poll::Pending
    }
}

impl<T, F> Running<T, F>
where
    T: Send + 'static,
    F: FnOnce(T, &Cx) -> Result<AnyResult, ErrorObject> + Send + Unpin + 'static,
{
    /// Lets the work go on as a task, which is the answer of the call.
    fn move_out(&mut self) -> Reply {
        let (work, finish, timer) = (self.work.take(), self.finish.take(), self.timer.take());
        tasks::move_out(&self.cx, Box::pin(Self { work, cx: self.cx.clone(), finish, timer }))
    }
}

impl<T, F> Running<T, F> {
    fn send_late_progress(&mut self, task: &mut Context<'_>) {
        while let Some(due) = self.cx.call().progress.due() {
            let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(due)));
            if timer.deadline() != due {
                timer.as_mut().reset(due);
            }
            if timer.as_mut().poll(task).is_pending() {
                return;
            }
            self.cx.flush_progress();
        }
    }
}

/// Dropping the work on a call means that it was cancelled.
impl<T, F> Drop for Running<T, F> {
    fn drop(&mut self) {
        if self.work.is_some() {
            self.cx.cancel();
        }
    }
}

/// Turns how a handler ended into the answer.
fn conclude<T>(cx: &Cx, outcome: Outcome<T>, finish: impl FnOnce(T, &Cx) -> Result<AnyResult, ErrorObject>) -> Reply {
    match outcome {
        Outcome::Complete(result) => finish(result, cx).map(Outcome::Complete),
        Outcome::InputRequired(questions) => {
            if !round::may_ask(cx) {
                return Err(ErrorObject::internal("only tools, prompts and resources can ask for input"));
            }
            if questions.input_requests.is_none() && questions.request_state.is_none() {
                return Err(ErrorObject::internal("the handler asks for input, but has neither questions nor state"));
            }
            Ok(Outcome::InputRequired(questions))
        }
        Outcome::Task(task) => Ok(Outcome::Task(task)),
        _ => Err(ErrorObject::internal("the handler ended in a way that is not known here")),
    }
}
