//! The answers of one POST, until they go back.

use jackfield_peer::{BatchText, RequestKey};

use crate::response::written;

/// The answers of one POST, and which of its requests have none yet.
#[derive(Debug)]
pub(super) struct Answers {
    open: Open,
    /// More requests may still be added.
    filling: bool,
    text: Text,
    /// The error code of the only answer.
    code: Option<i64>,
}

#[derive(Debug)]
enum Text {
    One(Vec<u8>),
    Batch(BatchText),
}

/// Requests that have not been answered. Mostly there is one, which needs no allocation.
#[derive(Debug, Default)]
struct Open {
    first: Option<RequestKey>,
    more: Vec<RequestKey>,
}

impl Answers {
    /// Those of several requests, which are added before they are answered.
    pub(super) fn filling(batch: bool) -> Self {
        let text = if batch { Text::Batch(BatchText::default()) } else { Text::One(Vec::new()) };
        Self { open: Open::default(), filling: true, text, code: None }
    }

    /// The only one.
    pub(super) fn single(key: RequestKey) -> Self {
        Self {
            open: Open { first: Some(key), more: Vec::new() },
            filling: false,
            text: Text::One(Vec::new()),
            code: None,
        }
    }

    /// Adds a request that will be answered.
    pub(super) fn expect(&mut self, key: RequestKey) {
        match self.open.first {
            None => self.open.first = Some(key),
            Some(_) => self.open.more.push(key),
        }
    }

    /// Notes that no more requests will be added.
    pub(super) fn filled(&mut self) {
        self.filling = false;
    }

    /// Takes a request out that is answered now, or never; says whether it was there.
    pub(super) fn remove(&mut self, key: RequestKey) -> bool {
        if self.open.first == Some(key) {
            self.open.first = None;
            return true;
        }
        let place = self.open.more.iter().position(|open| *open == key);
        place.is_some_and(|at| self.open.more.swap_remove(at) == key)
    }

    /// Whether a request has not been answered.
    pub(super) fn is_open(&self, key: RequestKey) -> bool {
        self.open.first == Some(key) || self.open.more.contains(&key)
    }

    /// Takes out all requests that have not been answered.
    pub(super) fn take_open(&mut self) -> Vec<RequestKey> {
        let Open { first, more } = std::mem::take(&mut self.open);
        first.into_iter().chain(more).collect()
    }

    /// Whether nothing is missing.
    pub(super) fn are_complete(&self) -> bool {
        !self.filling && self.open.first.is_none() && self.open.more.is_empty()
    }

    /// Writes an answer. Returns how many bytes it holds back until the others of its batch are there.
    pub(super) fn write(&mut self, code: Option<i64>, write: impl FnOnce(&mut Vec<u8>)) -> usize {
        self.code = code;
        match &mut self.text {
            Text::One(text) => {
                *text = written(write);
                0
            }
            Text::Batch(text) => text.add(write),
        }
    }

    pub(super) fn is_batch(&self) -> bool {
        matches!(self.text, Text::Batch(_))
    }

    /// Returns the error code, if there is one answer only, and it is an error.
    pub(super) fn code(&self) -> Option<i64> {
        self.code.filter(|_| !self.is_batch())
    }

    /// Takes the text; `None` if nothing was answered.
    pub(super) fn take_text(&mut self) -> Option<Vec<u8>> {
        match &mut self.text {
            Text::One(text) => Some(std::mem::take(text)).filter(|text| !text.is_empty()),
            Text::Batch(text) => std::mem::take(text).finish(),
        }
    }

    /// Whether there is no text.
    pub(super) fn are_empty(&self) -> bool {
        match &self.text {
            Text::One(text) => text.is_empty(),
            Text::Batch(text) => text.is_empty(),
        }
    }
}
