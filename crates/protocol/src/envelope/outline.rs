//! What the envelope of a message looked like before.

use bytes::Bytes;

use super::lexer::{Fault, Lexer};
use super::members::Span;
use super::message::{Message, MethodName, ParamsFound, RawResponse, Request, read_id};
use super::meta_memo::MetaMemo;
use super::params::Params;
use super::result_text::ResultFound;
use crate::{Method, RequestId};

/// The envelope of an earlier message: all of its text but for its id and for its parameters or its result.
///
/// A peer writes one message like the other, only with other values in these two places. Where all the rest is the same to the
/// letter, and the two are what they have to be, the whole is a message of the same kind; it need not be looked for what stands where.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// What stood before, between and behind the two places.
    before: Vec<u8>,
    between: Vec<u8>,
    behind: Vec<u8>,
    kind: Option<Kind>,
    id_first: bool,
}

/// What a message is.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Request(Method),
    Answer,
}

/// Parameters, or a result.
enum Value {
    Params(Params),
    Result(Box<ResultFound>),
}

/// More is not remembered.
const MAX_BYTES: usize = 512;

impl Outline {
    /// Reads a message whose envelope is the remembered one. If it is not, or if anything is wrong with the message, it has to be
    /// read as if it were the first one.
    pub(super) fn read(&self, text: &Bytes, mut lexer: Lexer<'_>, meta: &mut MetaMemo) -> Option<Message> {
        let kind = self.kind?;
        lexer.literally(&self.before)?;
        lexer.enter().ok()?;
        let (id, value);
        if self.id_first {
            id = lexer.value().ok()?;
            lexer.literally(&self.between)?;
            value = kind.value(text, &mut lexer, meta)?;
        } else {
            value = kind.value(text, &mut lexer, meta)?;
            lexer.literally(&self.between)?;
            id = lexer.value().ok()?;
        }
        if lexer.rest() != self.behind {
            return None;
        }
        Some(match (kind, value) {
            (Kind::Request(method), Value::Params(params)) => {
                Message::Request(Request { id: read_id(text, id)?, method: MethodName::Known(method), params })
            }
            (_, Value::Result(result)) => {
                let id = Some(RequestId::from_json(id.of(text))?);
                Message::Answer(RawResponse { id, outcome: Ok(result.into_text(text)) })
            }
            _ => return None,
        })
    }

    /// Remembers the envelope of a message that has been read, with the places of its id and of its parameters or its result.
    pub(super) fn remember(&mut self, text: &[u8], id: Span, value: Span, message: &Message) {
        let kind = match message {
            Message::Request(Request { method: MethodName::Known(method), .. }) => Kind::Request(*method),
            Message::Answer(RawResponse { id: Some(_), outcome: Ok(_) }) => Kind::Answer,
            _ => return,
        };
        let id_first = id.range().start < value.range().start;
        let (first, second) = if id_first { (id, value) } else { (value, id) };
        let parts = (
            text.get(..first.range().start),
            text.get(first.range().end..second.range().start),
            text.get(second.range().end..),
        );
        let (Some(before), Some(between), Some(behind)) = parts else { return };
        if before.len().saturating_add(between.len()).saturating_add(behind.len()) > MAX_BYTES {
            return;
        }
        for (kept, part) in [(&mut self.before, before), (&mut self.between, between), (&mut self.behind, behind)] {
            kept.clear();
            kept.extend_from_slice(part);
        }
        (self.kind, self.id_first) = (Some(kind), id_first);
    }
}

impl Kind {
    #[inline]
    fn value(self, text: &Bytes, lexer: &mut Lexer<'_>, meta: &mut MetaMemo) -> Option<Value> {
        let read: Result<Option<Value>, Fault> = match self {
            Self::Request(_) => ParamsFound::read(lexer, text, meta).map(|found| found.sound(text).map(Value::Params)),
            Self::Answer => ResultFound::read(lexer, text, meta).map(|found| Some(Value::Result(found))),
        };
        read.ok()?
    }
}
