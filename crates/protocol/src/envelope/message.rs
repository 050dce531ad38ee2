//! One JSON-RPC message, found in a text.

use std::borrow::Cow;

use bytes::Bytes;

use super::lexer::{Fault, Lexer};
use super::members::{Member, MetaMembers, Span};
use super::memo::Memo;
use super::meta_memo::MetaMemo;
use super::params::{Found, Params, decode_str};
use super::raw_id::RawId;
use super::rejected::{About, Rejected};
use super::result_text::{ResultFound, ResultText};
use crate::{ErrorObject, Method, RequestId};

/// One JSON-RPC message.
#[derive(Clone, Debug)]
pub enum Message {
    /// It wants an answer.
    Request(Request),
    /// It wants none.
    Notification(RawNotification),
    /// It is an answer to a request of ours.
    Answer(RawResponse),
    /// Several messages in an array, each still unread.
    Batch(Vec<Bytes>),
}

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its id, as it stands in the text.
    pub id: RawId,
    /// What it wants.
    pub method: MethodName,
    /// Its parameters.
    pub params: Params,
}

impl Request {
    /// Copies what it needs of the text, so that the buffer it was received in can be given back: for what is kept for long.
    pub fn detach(&mut self) {
        self.id.detach();
        self.params.detach();
    }
}

/// A notification.
#[derive(Clone, Debug)]
pub struct RawNotification {
    /// What happened.
    pub method: MethodName,
    /// Its parameters.
    pub params: Params,
}

/// An answer to a request of ours.
#[derive(Clone, Debug)]
pub struct RawResponse {
    /// The id of our request; an error may lack it.
    pub id: Option<RequestId>,
    /// The result, or the error.
    pub outcome: Result<ResultText, ResponseError>,
}

/// Why a response carries no result.
#[derive(Clone, Debug)]
pub enum ResponseError {
    /// The peer answered with this error.
    Peer(ErrorObject),
    /// The peer's response cannot be read; this text, which is ours, says why.
    Malformed(Cow<'static, str>),
}

impl ResponseError {
    /// Returns the peer's error, or an internal error of ours for a response that cannot be read.
    #[must_use]
    pub fn into_error_object(self) -> ErrorObject {
        match self {
            Self::Peer(error) => error,
            Self::Malformed(what) => ErrorObject::internal(what),
        }
    }
}

/// The name of a method: one of the protocol, or an unknown one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MethodName {
    /// A method of the protocol, in some revision.
    Known(Method),
    /// Any other name.
    Other(Box<str>),
}

impl MethodName {
    /// Reads the JSON text of a name; `None` if it is not a string.
    fn read(json: &[u8]) -> Option<Self> {
        // The names of the protocol have no escapes.
        let plain = json.strip_prefix(b"\"").and_then(|json| json.strip_suffix(b"\""));
        if let Some(method) = plain.and_then(Method::from_bytes) {
            return Some(Self::Known(method));
        }
        let name = decode_str(json)?;
        Some(Method::from_name(&name).map_or_else(|| Self::Other(name.as_ref().into()), Self::Known))
    }

    /// Returns the name on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(method) => method.name(),
            Self::Other(name) => name,
        }
    }
}

impl Message {
    /// Reads one message, or the outline of a batch of at most `max_batch` entries.
    ///
    /// # Errors
    /// The text is not JSON, is no message, or could be understood in two ways. The error to answer with is inside,
    /// together with what it is about, if that can be seen.
    pub fn read(text: &Bytes, max_batch: usize) -> Result<Self, Rejected> {
        Self::read_with(text, max_batch, &mut Memo::default())
    }

    /// Reads like [`Message::read`], faster if much of the message is what it was in the one before.
    ///
    /// # Errors
    /// As [`Message::read`].
    pub fn read_with(text: &Bytes, max_batch: usize, memo: &mut Memo) -> Result<Self, Rejected> {
        let mut lexer = Lexer::new(text).ok_or_else(Rejected::not_utf8)?;
        if let Some(message) = memo.outline.read(text, lexer.clone(), &mut memo.meta) {
            return Ok(message);
        }
        match lexer.next_token() {
            Ok(b'{') => {
                let mut envelope = Envelope::default();
                envelope.read(text, lexer, &mut memo.meta)?;
                let places = envelope.id.zip(envelope.value());
                let message = envelope.classify(text)?;
                if let Some((id, value)) = places {
                    memo.outline.remember(text, id, value, &message);
                }
                Ok(message)
            }
            Ok(b'[') => read_batch(text, lexer, max_batch).map(Self::Batch),
            Ok(_) => match lexer.value().and_then(|_| lexer.end()) {
                Ok(()) => Err(Rejected::new(ErrorObject::invalid_request("a message is a JSON object"))),
                Err(fault) => Err(Rejected::from_fault(fault, About::Unknown)),
            },
            Err(fault) => Err(Rejected::from_fault(fault, About::Unknown)),
        }
    }
}

fn read_batch(text: &Bytes, mut lexer: Lexer<'_>, max_batch: usize) -> Result<Vec<Bytes>, Rejected> {
    let mut entries = Vec::new();
    let mut too_many = false;
    let outcome = lexer.array(|lexer| {
        let span = lexer.value()?;
        too_many |= entries.len() >= max_batch;
        if !too_many {
            entries.push(text.slice(span.range()));
        }
        Ok(())
    });
    match outcome.and_then(|()| lexer.end()) {
        Err(fault) => Err(Rejected::from_fault(fault, About::Unknown)),
        Ok(()) if too_many => {
            Err(Rejected::new(ErrorObject::invalid_request(format!("a batch has at most {max_batch} entries"))))
        }
        Ok(()) if entries.is_empty() => Err(Rejected::new(ErrorObject::invalid_request("a batch must not be empty"))),
        Ok(()) => Ok(entries),
    }
}

/// Reads a text that is an object of parameters and nothing else.
pub(super) fn read_params(text: &Bytes) -> Result<Params, Rejected> {
    let mut lexer = Lexer::new(text).ok_or_else(Rejected::not_utf8)?;
    let found =
        ParamsFound::read(&mut lexer, text, &mut MetaMemo::default()).and_then(|found| lexer.end().map(|()| found));
    match found {
        Ok(ParamsFound::Object(found)) => match found.duplicate {
            Some(name) => Err(Rejected::duplicate(name, text, About::Unknown)),
            None => Ok(Params::new(found.object, text)),
        },
        Ok(_) => Err(Rejected::new(ErrorObject::invalid_params("parameters must be an object"))),
        Err(fault) => Err(Rejected::from_fault(fault, About::Unknown)),
    }
}

/// The parameters of a message, as far as they have been looked at.
pub(super) enum ParamsFound {
    Object(ObjectFound),
    Null,
    Other,
}

pub(super) struct ObjectFound {
    object: Box<Found>,
    duplicate: Option<Span>,
}

impl ParamsFound {
    /// Takes the parameters, if they are an object without a member that stands twice.
    pub(super) fn sound(self, text: &Bytes) -> Option<Params> {
        match self {
            Self::Object(ObjectFound { object, duplicate: None }) => Some(Params::new(object, text)),
            _ => None,
        }
    }

    pub(super) fn read(lexer: &mut Lexer<'_>, text: &[u8], memo: &mut MetaMemo) -> Result<Self, Fault> {
        match lexer.next_token()? {
            b'{' => {}
            b'n' => return lexer.value().map(|_| Self::Null),
            _ => return lexer.value().map(|_| Self::Other),
        }
        let start = lexer.position();
        // It is filled where it stays: from here on it is handed from one to the other.
        let mut object = Box::<Found>::default();
        let mut duplicate = None;
        lexer.object(|lexer, key| {
            let opens_object = lexer.next_token()? == b'{';
            let named = |name| opens_object && Member { key, value: Span::default() }.is_named(text, name);
            let start = lexer.position();
            let value = if named(b"arguments") {
                let members = lexer.members()?;
                let span = Span::new(start, lexer.position());
                object.arguments = Some((span, members));
                span
            } else if named(b"_meta") {
                let found = match memo.recall(text, start) {
                    Some((found, length)) => {
                        lexer.skip(length);
                        found
                    }
                    None => {
                        let found = lexer.members()?;
                        duplicate = found.duplicate(text);
                        if duplicate.is_none() {
                            memo.remember(Span::new(start, lexer.position()).of(text), start, &found);
                        }
                        found
                    }
                };
                object.meta = Some(found);
                Span::new(start, lexer.position())
            } else {
                lexer.value()?
            };
            object.members.push(Member { key, value });
            Ok(())
        })?;
        object.span = Span::new(start, lexer.position());
        let duplicate = object.members.duplicate(text).or(duplicate);
        Ok(Self::Object(ObjectFound { object, duplicate }))
    }
}

/// Takes an id if it is a string or a 64-bit integer.
#[inline]
pub(super) fn read_id(text: &Bytes, span: Span) -> Option<RawId> {
    let json = span.of(text);
    let fits = match json.first() {
        Some(b'"') => true,
        Some(b'0'..=b'9') if json.len() <= 18 => json.iter().all(u8::is_ascii_digit),
        _ => RequestId::from_json(json).is_some(),
    };
    fits.then(|| RawId::new(text, span))
}

/// The members of the envelope, as far as they have been found.
#[derive(Default)]
struct Envelope {
    version: Option<Span>,
    id: Option<Span>,
    method: Option<Span>,
    params: Option<ParamsFound>,
    result: Option<Box<ResultFound>>,
    error: Option<Span>,
    /// Unknown members, which are seldom.
    others: Option<Box<MetaMembers>>,
    duplicate: Option<Span>,
}

impl Envelope {
    fn read(&mut self, text: &Bytes, mut lexer: Lexer<'_>, memo: &mut MetaMemo) -> Result<(), Rejected> {
        // The member in which the text went wrong is not in its slot, but its name says what was meant.
        let mut broken = None;
        let outcome = lexer.object(|lexer, key| {
            let member = Member { key, value: Span::default() };
            self.member(lexer, text, member, memo).inspect_err(|_| broken = Some(member))
        });
        // A member that stands twice is reported only at the end, so that the id can still be read.
        match outcome.and_then(|()| lexer.end()) {
            Ok(()) => match self.duplicate.or_else(|| self.others.as_ref()?.duplicate(text)) {
                Some(name) => Err(Rejected::duplicate(name, text, self.about(text, None))),
                None => Ok(()),
            },
            Err(fault) => Err(Rejected::from_fault(fault, self.about(text, broken))),
        }
    }

    fn member(
        &mut self,
        lexer: &mut Lexer<'_>,
        text: &[u8],
        mut member: Member,
        memo: &mut MetaMemo,
    ) -> Result<(), Fault> {
        let written_with_escapes;
        let name = if member.key.escaped {
            written_with_escapes = member.name(text);
            written_with_escapes.as_bytes()
        } else {
            member.key.span.of(text)
        };
        let slot = match name {
            b"jsonrpc" => &mut self.version,
            b"id" => &mut self.id,
            b"method" => &mut self.method,
            b"error" => &mut self.error,
            b"params" => {
                let params = ParamsFound::read(lexer, text, memo)?;
                if let ParamsFound::Object(ObjectFound { duplicate: Some(name), .. }) = params {
                    self.duplicate = Some(name);
                }
                if self.params.replace(params).is_some() {
                    self.duplicate = Some(member.key.span);
                }
                return Ok(());
            }
            b"result" => {
                if self.result.replace(ResultFound::read(lexer, text, memo)?).is_some() {
                    self.duplicate = Some(member.key.span);
                }
                return Ok(());
            }
            _ => {
                member.value = lexer.value()?;
                self.others.get_or_insert_default().push(member);
                return Ok(());
            }
        };
        if slot.replace(lexer.value()?).is_some() {
            self.duplicate = Some(member.key.span);
        }
        Ok(())
    }

    /// Says what a message that cannot be served is about.
    fn about(&self, text: &Bytes, broken: Option<Member>) -> About {
        let is_broken = |name: &[u8]| broken.is_some_and(|member| member.is_named(text, name));
        let Ok(id) = self.id(text) else { return About::Unknown };
        let asks = self.method.is_some() || is_broken(b"method");
        let answers = self.result.is_some() || self.error.is_some() || is_broken(b"result") || is_broken(b"error");
        match (asks, answers, id.decode()) {
            (true, false, _) => About::Request(id),
            (false, true, Some(id)) => About::Answer(id),
            _ => About::Either(id),
        }
    }

    fn id(&self, text: &Bytes) -> Result<RawId, ErrorObject> {
        let span = self.id.ok_or_else(|| ErrorObject::invalid_request("the message has no id"))?;
        read_id(text, span)
            .ok_or_else(|| ErrorObject::invalid_request("an id is a string or an integer of at most 64 bits"))
    }

    /// Returns where the parameters or the result stand, if there is one of them.
    fn value(&self) -> Option<Span> {
        match (&self.params, &self.result) {
            (Some(ParamsFound::Object(found)), None) => Some(found.object.span),
            (None, Some(result)) => Some(result.span()),
            _ => None,
        }
    }

    fn classify(&mut self, text: &Bytes) -> Result<Message, Rejected> {
        let reject = |message: &'static str| {
            Err(Rejected { about: self.about(text, None), error: ErrorObject::invalid_request(message) })
        };
        if self.version.map(|span| span.of(text)) != Some(b"\"2.0\"") {
            return reject("`jsonrpc` must be \"2.0\"");
        }
        let Some(method) = self.method else { return self.classify_answer(text) };
        if self.result.is_some() || self.error.is_some() {
            return reject("a message has either a method or an answer, not both");
        }
        let Some(method) = MethodName::read(method.of(text)) else { return reject("`method` must be a string") };
        let id = match self.id {
            Some(_) => Some(self.id(text).map_err(Rejected::new)?),
            None => None,
        };
        let params = match self.params.take() {
            None | Some(ParamsFound::Null) => Params::default(),
            Some(ParamsFound::Object(found)) => Params::new(found.object, text),
            Some(ParamsFound::Other) => {
                let about = id.map_or(About::Unknown, About::Request);
                return Err(Rejected { about, error: ErrorObject::invalid_params("parameters must be an object") });
            }
        };
        Ok(match id {
            Some(id) => Message::Request(Request { id, method, params }),
            None => Message::Notification(RawNotification { method, params }),
        })
    }

    fn classify_answer(&mut self, text: &Bytes) -> Result<Message, Rejected> {
        let outcome = match (self.result.take(), self.error) {
            (Some(result), None) => Ok(result.into_text(text)),
            (None, Some(error)) => Err(match serde_json::from_slice(error.of(text)) {
                Ok(error) => ResponseError::Peer(error),
                Err(_) => ResponseError::Malformed("the peer answered with an error that cannot be read".into()),
            }),
            (Some(_), Some(_)) => {
                Err(ResponseError::Malformed("the peer answered with both a result and an error".into()))
            }
            (None, None) => {
                let error = ErrorObject::invalid_request("a message has a method, a result or an error");
                return Err(Rejected { about: self.about(text, None), error });
            }
        };
        let id = self.id.and_then(|span| RequestId::from_json(span.of(text)));
        Ok(Message::Answer(RawResponse { id, outcome }))
    }
}
