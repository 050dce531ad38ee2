//! A JSON lexer that checks and skips, without building anything and without recursion.

use super::members::{Member, Members, Span};
use crate::json::{plain_prefix, special_bytes};

/// How deep arrays and objects may be nested.
pub(crate) const MAX_DEPTH: u32 = 128;

/// Why a text is not acceptable JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Something else was expected at this byte.
    Unexpected(usize),
    /// The text ends in the middle of a value.
    Ended,
    /// Arrays and objects are nested too deeply.
    TooDeep,
}

type Result<T> = std::result::Result<T, Fault>;

/// A position in a JSON text.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    depth: u32,
    /// No byte is a control character. Then a string ends at a quote, and nothing but a backslash needs a look.
    is_printable: bool,
}

impl<'a> Lexer<'a> {
    /// Stands before a text; `None` if that is not UTF-8.
    pub(crate) fn new(text: &'a [u8]) -> Option<Self> {
        // Most texts are plain ASCII, which one look tells.
        let is_plain = all(text, |byte| byte.wrapping_sub(0x20) < 0x60);
        if !is_plain && std::str::from_utf8(text).is_err() {
            return None;
        }
        let is_printable = is_plain || all(text, |byte| byte >= 0x20);
        Some(Self { text, at: 0, depth: 0, is_printable })
    }

    /// Goes back to a value in a text that has been checked before.
    pub(crate) fn resumed(text: &'a [u8], value: Span, is_printable: bool) -> Self {
        Self { text, at: value.range().start, depth: 0, is_printable }
    }

    pub(crate) fn is_printable(&self) -> bool {
        self.is_printable
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Goes on behind a value that is known to be well-formed.
    pub(crate) fn skip(&mut self, count: usize) {
        self.at = self.at.saturating_add(count);
    }

    /// Goes on behind `expected`, if exactly that comes next.
    #[inline]
    pub(super) fn literally(&mut self, expected: &[u8]) -> Option<()> {
        let is_next = self.rest().starts_with(expected);
        is_next.then(|| self.skip(expected.len()))
    }

    /// Returns what comes next, to the end of the text.
    #[inline]
    pub(super) fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    #[inline]
    fn peek(&self) -> Result<u8> {
        self.text.get(self.at).copied().ok_or(Fault::Ended)
    }

    #[inline]
    fn advance(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    /// Skips white space and returns the next byte without taking it.
    #[inline]
    pub(crate) fn next_token(&mut self) -> Result<u8> {
        loop {
            match self.peek()? {
                b' ' | b'\n' | b'\r' | b'\t' => self.advance(),
                byte => return Ok(byte),
            }
        }
    }

    #[inline]
    pub(crate) fn expect(&mut self, byte: u8) -> Result<()> {
        if self.next_token()? == byte {
            self.advance();
            Ok(())
        } else {
            Err(Fault::Unexpected(self.at))
        }
    }

    /// Takes `byte` if it comes next.
    #[inline]
    pub(crate) fn take(&mut self, byte: u8) -> Result<bool> {
        let found = self.next_token()? == byte;
        if found {
            self.advance();
        }
        Ok(found)
    }

    /// Takes a comma or `close`, and tells whether it is the latter.
    #[inline]
    fn closes(&mut self, close: u8) -> Result<bool> {
        let byte = self.next_token()?;
        if byte != b',' && byte != close {
            return Err(Fault::Unexpected(self.at));
        }
        self.advance();
        Ok(byte == close)
    }

    /// Checks that nothing but white space is left.
    pub(crate) fn end(&mut self) -> Result<()> {
        match self.next_token() {
            Err(Fault::Ended) => Ok(()),
            _ => Err(Fault::Unexpected(self.at)),
        }
    }

    pub(crate) fn enter(&mut self) -> Result<()> {
        if self.depth >= MAX_DEPTH {
            return Err(Fault::TooDeep);
        }
        self.depth = self.depth.saturating_add(1);
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Reads an object member by member. `on_member` is called with the lexer standing before the value, and skips it.
    pub(crate) fn object(&mut self, mut on_member: impl FnMut(&mut Self, Key) -> Result<()>) -> Result<()> {
        self.expect(b'{')?;
        self.enter()?;
        if !self.take(b'}')? {
            loop {
                let key = self.key()?;
                on_member(self, key)?;
                if self.closes(b'}')? {
                    break;
                }
            }
        }
        self.leave();
        Ok(())
    }

    /// Reads an array entry by entry. `on_entry` is called with the lexer standing before the entry, and skips it.
    pub(crate) fn array(&mut self, mut on_entry: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.expect(b'[')?;
        self.enter()?;
        if !self.take(b']')? {
            loop {
                on_entry(self)?;
                if self.closes(b']')? {
                    break;
                }
            }
        }
        self.leave();
        Ok(())
    }

    /// Reads an object and records its members.
    pub(crate) fn members<const N: usize>(&mut self) -> Result<Members<N>> {
        let mut members = Members::default();
        self.object(|lexer, key| {
            let value = lexer.value()?;
            members.push(Member { key, value });
            Ok(())
        })?;
        Ok(members)
    }

    /// Reads a member's name and the colon behind it.
    fn key(&mut self) -> Result<Key> {
        if self.next_token()? != b'"' {
            return Err(Fault::Unexpected(self.at));
        }
        let start = self.at;
        let escaped = self.string()?;
        let span = Span::new(start, self.at).without_quotes();
        self.expect(b':')?;
        Ok(Key { span, escaped })
    }

    /// Skips one value of any kind and returns where it stands.
    pub(crate) fn value(&mut self) -> Result<Span> {
        let first = self.next_token()?;
        let start = self.at;
        match first {
            b'{' | b'[' => self.nested()?,
            _ => self.scalar(first)?,
        }
        Ok(Span::new(start, self.at))
    }

    fn scalar(&mut self, first: u8) -> Result<()> {
        match first {
            b'"' => self.string().map(drop),
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => Err(Fault::Unexpected(self.at)),
        }
    }

    /// Skips an array or object. One bit per level remembers which of the two it is, so no stack grows with the input.
    fn nested(&mut self) -> Result<()> {
        let outside = self.depth;
        let mut objects: u128 = 0;
        loop {
            // Here a value begins.
            let byte = self.next_token()?;
            let opened = match byte {
                b'{' | b'[' => {
                    self.enter()?;
                    self.advance();
                    objects = (objects << 1) | u128::from(byte == b'{');
                    true
                }
                _ => {
                    self.scalar(byte)?;
                    false
                }
            };
            if opened {
                let in_object = objects & 1 == 1;
                if self.take(if in_object { b'}' } else { b']' })? {
                    self.leave();
                    objects >>= 1;
                } else {
                    if in_object {
                        self.key()?;
                    }
                    continue;
                }
            }
            // Here a value has ended.
            loop {
                if self.depth == outside {
                    return Ok(());
                }
                let in_object = objects & 1 == 1;
                if !self.closes(if in_object { b'}' } else { b']' })? {
                    if in_object {
                        self.key()?;
                    }
                    break;
                }
                self.leave();
                objects >>= 1;
            }
        }
    }

    fn word(&mut self, word: &[u8]) -> Result<()> {
        for expected in word {
            if self.peek()? != *expected {
                return Err(Fault::Unexpected(self.at));
            }
            self.advance();
        }
        Ok(())
    }

    fn number(&mut self) -> Result<()> {
        if self.peek()? == b'-' {
            self.advance();
        }
        match self.peek()? {
            b'0' => self.advance(),
            b'1'..=b'9' => self.digits()?,
            _ => return Err(Fault::Unexpected(self.at)),
        }
        if self.peek() == Ok(b'.') {
            self.advance();
            self.digits()?;
        }
        if matches!(self.peek(), Ok(b'e' | b'E')) {
            self.advance();
            if matches!(self.peek(), Ok(b'+' | b'-')) {
                self.advance();
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<()> {
        if !self.peek()?.is_ascii_digit() {
            return Err(Fault::Unexpected(self.at));
        }
        while matches!(self.peek(), Ok(b'0'..=b'9')) {
            self.advance();
        }
        Ok(())
    }

    /// Skips a string, quotes included, and tells whether it has escapes.
    #[inline]
    fn string(&mut self) -> Result<bool> {
        let begin = self.at.saturating_add(1);
        let rest = self.text.get(begin..).unwrap_or_default();
        // Most strings are short, or printable as a whole.
        let plain = match rest.first_chunk::<8>().map(|word| special_bytes(u64::from_le_bytes(*word))) {
            Some(0) | None if self.is_printable => memchr::memchr2(b'"', b'\\', rest).ok_or(Fault::Ended)?,
            Some(0) | None => plain_prefix(rest),
            Some(special) => special.trailing_zeros() as usize / 8,
        };
        self.at = begin.saturating_add(plain);
        if rest.get(plain) == Some(&b'"') {
            self.advance();
            return Ok(false);
        }
        self.string_with_escapes()
    }

    /// Skips the rest of a string from its first byte that needs a look.
    #[cold]
    fn string_with_escapes(&mut self) -> Result<bool> {
        loop {
            match self.peek()? {
                b'"' => {
                    self.advance();
                    return Ok(true);
                }
                b'\\' => self.escape()?,
                _ => return Err(Fault::Unexpected(self.at)),
            }
            self.at = self.at.saturating_add(plain_prefix(self.text.get(self.at..).unwrap_or_default()));
        }
    }

    fn escape(&mut self) -> Result<()> {
        self.advance();
        match self.peek()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.advance(),
            b'u' => {
                self.advance();
                match self.hex4()? {
                    0xDC00..=0xDFFF => return Err(Fault::Unexpected(self.at)),
                    0xD800..=0xDBFF => {
                        self.word(b"\\u")?;
                        if !(0xDC00..=0xDFFF).contains(&self.hex4()?) {
                            return Err(Fault::Unexpected(self.at));
                        }
                    }
                    _ => {}
                }
            }
            _ => return Err(Fault::Unexpected(self.at)),
        }
        Ok(())
    }

    fn hex4(&mut self) -> Result<u16> {
        let mut value: u16 = 0;
        for _ in 0..4 {
            let digit = char::from(self.peek()?).to_digit(16).ok_or(Fault::Unexpected(self.at))?;
            value = (value << 4) | u16::try_from(digit).unwrap_or_default();
            self.advance();
        }
        Ok(value)
    }
}

/// Whether something holds for every byte. Looks at many bytes at once, which a search with an early end does not.
#[inline]
fn all(text: &[u8], holds: impl Fn(u8) -> bool) -> bool {
    let all = |bytes: &[u8]| bytes.iter().fold(true, |all, byte| all & holds(*byte));
    let mut chunks = text.chunks_exact(64);
    chunks.all(all) && all(chunks.remainder())
}

/// A member's name, without its quotes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) span: Span,
    pub(crate) escaped: bool,
}
