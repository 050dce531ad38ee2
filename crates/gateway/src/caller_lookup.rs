//! Whom a question or a message of a server is for.

use std::sync::{Arc, Mutex, Weak};

use jackfield_client::Builder;
use jackfield_protocol::error::code;
use jackfield_protocol::{ElicitParams, EmptyParams, ErrorObject, InputRequest};
use jackfield_server::Cx;
use serde::de::DeserializeOwned;

use crate::forwarded_call::{ForwardedCall, lock};

tokio::task_local! {
    /// The request that the task is about. A server of the modern era asks in its answer, so that the question comes up in the very task
    /// that waits for it.
    pub(crate) static CURRENT: Arc<ForwardedCall>;
}

/// Knows the requests that are under way at one server.
///
/// A server of the legacy era asks by a request of its own, which does not say what it is about; the same goes for log messages. They go
/// to the caller if all that is under way is of one caller, and to nobody otherwise: better no answer than one of the wrong person.
#[derive(Default)]
pub(crate) struct CallerLookup(Mutex<Vec<Weak<ForwardedCall>>>);

impl CallerLookup {
    /// Adds a request; it is forgotten when it is over.
    pub(crate) fn add(&self, forwarded: &Arc<ForwardedCall>) {
        let mut all = lock(&self.0);
        all.retain(|known| known.upgrade().is_some_and(|forwarded| !forwarded.is_over()));
        all.push(Arc::downgrade(forwarded));
    }

    /// Has all questions and messages of a server go to its callers.
    pub(crate) fn connect(self: &Arc<Self>, server: &str, builder: Builder) -> Builder {
        let [form, url, sampling, roots, log] = std::array::from_fn(|_| self.clone());
        let server = server.to_owned();
        builder
            .on_form(move |params| form.clone().ask(ElicitParams::Form(params).into()))
            .on_url(move |params| url.clone().ask(ElicitParams::Url(params).into()))
            .on_sampling_with_tools(move |params| sampling.clone().ask(params.into()))
            .on_roots(move || roots.clone().ask(InputRequest::ListRoots(EmptyParams::default())))
            .on_log(move |message| match log.find() {
                Ok(forwarded) => forwarded.log(&server, message),
                Err(_) => tracing::debug!(
                    server,
                    level = message.level.as_str(),
                    "a log message of a server is for nobody in particular"
                ),
            })
    }

    async fn ask<T: DeserializeOwned>(self: Arc<Self>, question: InputRequest) -> Result<T, ErrorObject> {
        let answer = self.find()?.ask(question).await?;
        answer.read().map_err(|error| ErrorObject::internal(format!("the caller's answer cannot be read: {error}")))
    }

    fn find(&self) -> Result<Arc<ForwardedCall>, ErrorObject> {
        if let Ok(forwarded) = CURRENT.try_with(Clone::clone) {
            return Ok(forwarded);
        }
        let mut under_way: Vec<Arc<ForwardedCall>> = lock(&self.0).iter().filter_map(Weak::upgrade).collect();
        under_way.retain(|forwarded| !forwarded.is_over());
        let newest = under_way.pop().ok_or_else(|| unclear("nobody has asked for anything, so nobody can be asked"))?;
        let caller = newest.cx();
        if under_way.iter().all(|other| other.cx().has_caller_of(&caller)) {
            return Ok(newest);
        }
        Err(unclear("several callers are being served, and it is not clear which of them is meant"))
    }
}

fn unclear(what: &'static str) -> ErrorObject {
    ErrorObject::new(code::INTERNAL_ERROR, what)
}

/// What a server is told that asks something the caller cannot answer: the same as if it had asked the caller itself.
pub(crate) fn refusal(cx: &Cx, question: &InputRequest) -> ErrorObject {
    let capabilities = &cx.caller().capabilities;
    let knows_it_in_part = match question {
        InputRequest::Elicit(_) => capabilities.elicitation.is_some() && cx.revision().has_elicitation(),
        InputRequest::CreateMessage(_) => capabilities.sampling.is_some(),
        _ => false,
    };
    if knows_it_in_part {
        return ErrorObject::invalid_params("the caller did not declare this form of the question");
    }
    ErrorObject::method_not_found(question.method().name())
}
