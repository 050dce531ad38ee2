//! The result of an answer, as it stands in the received text.

use std::ops::Deref;
use std::sync::Arc;

use bytes::Bytes;

use super::lexer::{Fault, Lexer};
use super::members::{Member, ParamMembers, Span};
use super::meta_memo::MetaMemo;

/// The result of an answer: JSON text whose members have been found but not yet decoded, if it is an object.
///
/// It is a part of the received buffer. As a slice it is the text of the result.
#[derive(Clone, Debug)]
pub struct ResultText {
    text: Bytes,
    /// Boxed, because it is handed from one to the other on its way to the caller.
    found: Box<ResultFound>,
}

/// Where a result and its members stand in a text.
#[derive(Clone, Debug)]
pub(super) struct ResultFound {
    value: Span,
    members: ParamMembers,
    /// The text of `_meta`, if it is an object of usual length.
    meta: Option<Arc<str>>,
    is_printable: bool,
}

impl ResultFound {
    pub(super) fn read(lexer: &mut Lexer<'_>, text: &[u8], memo: &mut MetaMemo) -> Result<Box<Self>, Fault> {
        let is_object = lexer.next_token()? == b'{';
        let start = lexer.position();
        let (mut members, mut meta) = (ParamMembers::default(), None);
        if is_object {
            lexer.object(|lexer, key| {
                let is_meta = !key.escaped && key.span.of(text) == b"_meta" && lexer.next_token()? == b'{';
                let value = if is_meta {
                    let start = lexer.position();
                    meta = memo.recall_result(text, start);
                    match &meta {
                        Some(known) => lexer.skip(known.len()),
                        None => meta = memo.remember_result(lexer.value()?.of(text)),
                    }
                    Span::new(start, lexer.position())
                } else {
                    lexer.value()?
                };
                members.push(Member { key, value });
                Ok(())
            })?;
        } else {
            lexer.value()?;
        }
        let value = Span::new(start, lexer.position());
        Ok(Box::new(Self { value, members, meta, is_printable: lexer.is_printable() }))
    }

    pub(super) fn span(&self) -> Span {
        self.value
    }

    pub(super) fn into_text(self: Box<Self>, text: &Bytes) -> ResultText {
        ResultText { text: text.clone(), found: self }
    }
}

impl ResultText {
    /// Returns the text alone.
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.text.slice(self.found.value.range())
    }

    /// Returns the JSON text of a member.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.found.members.find(&self.text, name).map(|span| span.of(&self.text))
    }

    /// Returns the whole text that the members point into.
    pub(crate) fn whole(&self) -> &[u8] {
        &self.text
    }

    /// Returns the text of `_meta`, if it is an object of usual length.
    pub(crate) fn meta(&self) -> Option<&Arc<str>> {
        self.found.meta.as_ref()
    }

    /// Returns the members in the order in which they stand in the text.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Member> {
        self.found.members.iter()
    }

    /// Returns a lexer that stands before a value in the whole text.
    pub(crate) fn lexer_at(&self, value: Span) -> Lexer<'_> {
        Lexer::resumed(&self.text, value, self.found.is_printable)
    }
}

impl Deref for ResultText {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.found.value.of(&self.text)
    }
}
