//! Questions of the server, asked on the terminal or answered by the command line.

mod dialogue;
mod field;
mod form;
mod host_name;
mod page;
mod sampling;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::sync::{Arc, Mutex, PoisonError};

use jackfield::protocol::{
    CreateMessageParams, CreateMessageResult, ElicitAction, ElicitFormParams, ElicitResult, ElicitUrlParams,
    ErrorObject,
};
use jackfield_client::Builder;
use tokio::sync::oneshot;

use crate::failure::Failure;
use crate::progress::Progress;
use crate::show::{one_line, style};
use dialogue::{Dialogue, Typed};

pub(crate) use page::open_in_browser;

/// Answers the questions of a server.
#[derive(Debug)]
pub(crate) struct Questions {
    /// What the person called the server.
    who: String,
    answers: BTreeMap<String, String>,
    reply: Option<String>,
    /// Whether there is a person to be asked.
    is_terminal: bool,
    progress: Arc<Progress>,
    /// One question at a time.
    turn: Mutex<()>,
}

impl Questions {
    /// Prepares answers for the server that the person calls `who`.
    pub(crate) fn new(
        who: &str,
        answers: &[String],
        reply: Option<&str>,
        progress: Arc<Progress>,
    ) -> Result<Arc<Self>, Failure> {
        let answers = crate::arguments::texts(answers).map_err(|failure| failure.hint("write --answer field=value"))?;
        let is_terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
        let (who, reply) = (who.to_owned(), reply.map(str::to_owned));
        Ok(Arc::new(Self { who, answers, reply, is_terminal, progress, turn: Mutex::new(()) }))
    }

    /// Adds the answers to a client.
    pub(crate) fn answer(self: &Arc<Self>, builder: Builder) -> Builder {
        let (forms, pages, models) = (self.clone(), self.clone(), self.clone());
        builder
            .on_form(move |form| forms.clone().form(form))
            .on_url(move |page| pages.clone().page(page))
            .on_sampling(move |request| models.clone().sampling(request))
    }

    async fn form(self: Arc<Self>, form: ElicitFormParams) -> Result<ElicitResult, ErrorObject> {
        if self.is_terminal {
            return self
                .ask(move |questions, dialogue| form::fill(dialogue, &questions.who, &form, &questions.answers))
                .await;
        }
        Ok(form::fill_silently(&form, &self.answers).unwrap_or_else(|why| {
            self.note(&format!("asks: {}", form.message));
            self.note(&format!("its form was declined: {why}"));
            ElicitResult::new(ElicitAction::Decline)
        }))
    }

    async fn page(self: Arc<Self>, page: ElicitUrlParams) -> Result<ElicitResult, ErrorObject> {
        if self.is_terminal {
            let open = open_in_browser;
            return self.ask(move |questions, dialogue| page::visit(dialogue, &questions.who, &page, &open)).await;
        }
        self.note(&format!("asks you to open {}: {}", page.url, page.message));
        self.note("this was declined: nobody is there to be asked");
        Ok(ElicitResult::new(ElicitAction::Decline))
    }

    async fn sampling(self: Arc<Self>, request: CreateMessageParams) -> Result<CreateMessageResult, ErrorObject> {
        if let Some(reply) = &self.reply {
            return Ok(sampling::reply(reply.clone()));
        }
        if self.is_terminal {
            return self.ask(move |questions, dialogue| sampling::answer(dialogue, &questions.who, &request)).await?;
        }
        self.note("asks for a model's answer; refused, because nobody is there to be asked and no --reply is given");
        Err(sampling::refusal())
    }

    /// Whether there is a person to be asked.
    pub(crate) fn has_person(&self) -> bool {
        self.is_terminal
    }

    /// Asks for a yes; `what` the server wants ends with the question.
    pub(crate) async fn confirm(self: &Arc<Self>, what: &'static str) -> bool {
        let asked = self.ask(move |questions, dialogue| {
            let prompt = format!("{} {what}", one_line(&questions.who));
            Ok(match dialogue.ask(&prompt)? {
                Typed::Line(line) => matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"),
                Typed::End => false,
            })
        });
        asked.await.unwrap_or(false)
    }

    /// Says something about the server on standard error.
    fn note(&self, what: &str) {
        eprintln!("note: {} {}", one_line(&self.who), one_line(what));
    }

    /// Talks to the person on a thread of its own, because reading a terminal cannot be interrupted. The thread ends with the
    /// process if nobody waits for the answer any more.
    async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        talk: impl FnOnce(&Self, &mut Dialogue<'_>) -> io::Result<T> + Send + 'static,
    ) -> Result<T, ErrorObject> {
        let (give, take) = oneshot::channel();
        let questions = self.clone();
        let thread = std::thread::Builder::new().name("question".to_owned()).spawn(move || {
            let _turn = questions.turn.lock().unwrap_or_else(PoisonError::into_inner);
            let _quiet = questions.progress.quiet();
            // Standard error stays open for others: an interrupted command still has to end.
            let (mut input, mut output) = (io::stdin().lock(), io::stderr());
            let mut dialogue = Dialogue::new(&mut input, &mut output, style(true));
            // Nobody waits for the answer if the command has been interrupted.
            let _ = give.send(talk(&questions, &mut dialogue));
        });
        let failed = |error: io::Error| ErrorObject::internal(format!("the user could not be asked: {error}"));
        thread.map_err(failed)?;
        take.await.map_err(|_| failed(io::ErrorKind::Interrupted.into()))?.map_err(failed)
    }
}
