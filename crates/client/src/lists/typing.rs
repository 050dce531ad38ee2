//! Proposals for an argument while a person types it.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use jackfield_protocol::{Completion, Reference};

use crate::{Client, Error};

/// The most answers that are kept.
const MOST: usize = 100;

/// Proposals for an argument while a person types it: the server is asked when the typing pauses, and once for each text.
///
/// ```no_run
/// # async fn example(client: jackfield_client::Client) -> Result<(), jackfield_client::Error> {
/// # use jackfield_protocol::Reference;
/// let mut typing = client.typing(Reference::prompt("review"), "language");
/// // On each key: drop the future that still waits, and ask for the new text.
/// let proposals = typing.proposals("ru").await?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Typing {
    client: Client,
    what: Reference,
    argument: String,
    chosen: BTreeMap<String, String>,
    pause: Duration,
    answers: HashMap<String, Completion>,
}

impl Client {
    /// Begins to propose values for an argument of a prompt or resource template.
    #[must_use]
    pub fn typing(&self, what: Reference, argument: impl Into<String>) -> Typing {
        let pause = Duration::from_millis(200);
        Typing {
            client: self.clone(),
            what,
            argument: argument.into(),
            chosen: BTreeMap::new(),
            pause,
            answers: HashMap::new(),
        }
    }
}

impl Typing {
    /// Says which other arguments have been chosen. They may change what is proposed.
    #[must_use]
    pub fn chosen(mut self, arguments: BTreeMap<String, String>) -> Self {
        self.chosen = arguments;
        self.answers.clear();
        self
    }

    /// Sets how long the typing has to pause before the server is asked; 200 milliseconds at first.
    #[must_use]
    pub fn pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// Returns proposals for what was typed. There may be more of them than the server tells, and none if it proposes nothing.
    ///
    /// # Errors
    /// See [`Error`].
    ///
    /// # Cancellation
    /// A future that is dropped before the pause is over asks nothing.
    pub async fn proposals(&mut self, typed: &str) -> Result<Completion, Error> {
        if let Some(answer) = self.answers.get(typed) {
            return Ok(answer.clone());
        }
        tokio::time::sleep(self.pause).await;
        let asked = self.client.complete(self.what.clone(), self.argument.as_str(), typed, self.chosen.clone()).await;
        let found = match asked {
            Ok(result) => result.completion,
            Err(error) if error.is_not_offered() => Completion::new(Vec::new()),
            Err(error) => return Err(error),
        };
        if self.answers.len() >= MOST {
            self.answers.clear();
        }
        self.answers.insert(typed.to_owned(), found.clone());
        Ok(found)
    }
}
