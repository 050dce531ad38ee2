//! Where the members of an object stand in a text.

use std::borrow::Cow;
use std::ops::Range;

use super::lexer::Key;

/// A part of a text. Messages are far smaller than 4 GiB, so 32 bits do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { start: u32::try_from(start).unwrap_or(u32::MAX), end: u32::try_from(end).unwrap_or(u32::MAX) }
    }

    pub(super) fn without_quotes(self) -> Self {
        Self { start: self.start.saturating_add(1), end: self.end.saturating_sub(1) }
    }

    /// Returns the same part as a range of indices.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    fn shifted(self, by: u32) -> Self {
        Self { start: self.start.wrapping_add(by), end: self.end.wrapping_add(by) }
    }

    fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Returns the part itself.
    #[must_use]
    #[inline]
    pub fn of(self, text: &[u8]) -> &[u8] {
        text.get(self.range()).unwrap_or_default()
    }
}

/// One member of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Member {
    pub(super) key: Key,
    pub(super) value: Span,
}

impl Member {
    /// Returns the member's name.
    #[must_use]
    pub fn name<'a>(&self, text: &'a [u8]) -> Cow<'a, str> {
        let raw = std::str::from_utf8(self.key.span.of(text)).unwrap_or_default();
        if self.key.escaped { unescape(raw).map_or(Cow::Borrowed(raw), Cow::Owned) } else { Cow::Borrowed(raw) }
    }

    pub(crate) fn key(&self) -> Key {
        self.key
    }

    /// Returns where the member's value stands.
    #[must_use]
    pub fn value(&self) -> Span {
        self.value
    }

    /// Returns the member's name as bytes, which spares the check that they are UTF-8: the whole text has been checked.
    #[inline]
    pub(super) fn name_bytes<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        if self.key.escaped {
            Cow::Owned(self.name(text).into_owned().into_bytes())
        } else {
            Cow::Borrowed(self.key.span.of(text))
        }
    }

    #[inline]
    pub(super) fn is_named(&self, text: &[u8], name: &[u8]) -> bool {
        if self.key.escaped {
            return *self.name_bytes(text) == *name;
        }
        // Names mostly differ in length, which needs no look at the text.
        self.key.span.len() as usize == name.len() && self.key.span.of(text) == name
    }
}

impl Member {
    /// Whether two members have the same name. Names that are written without escapes differ when their lengths do.
    #[inline]
    fn has_name_of(&self, other: &Self, text: &[u8]) -> bool {
        if self.key.escaped || other.key.escaped {
            return self.name_bytes(text) == other.name_bytes(text);
        }
        self.key.span.len() == other.key.span.len() && self.key.span.of(text) == other.key.span.of(text)
    }
}

/// Decodes a string's text, given without its quotes.
pub(super) fn unescape(raw: &str) -> Option<String> {
    serde_json::from_str(&format!("\"{raw}\"")).ok()
}

/// The members of one object, in order. Up to `N` need no allocation.
#[derive(Clone, Debug)]
pub struct Members<const N: usize> {
    inline: [Member; N],
    count: usize,
    more: Vec<Member>,
}

/// The members of parameters. They are moved about with the request, so that there is room for what most requests have and no more.
pub type ParamMembers = Members<4>;

/// The members of `_meta`.
pub type MetaMembers = Members<8>;

impl<const N: usize> Default for Members<N> {
    fn default() -> Self {
        Self { inline: [Member::default(); N], count: 0, more: Vec::new() }
    }
}

impl<const N: usize> Members<N> {
    pub(super) fn push(&mut self, member: Member) {
        match self.inline.get_mut(self.count) {
            Some(slot) => *slot = member,
            None => self.more.push(member),
        }
        self.count = self.count.saturating_add(1);
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Returns the same members for a text that stands `by` bytes further on, or before when it wraps around. Only members that
    /// need no allocation are kept.
    pub(super) fn shifted(&self, by: u32) -> Self {
        let mut shifted = Self { inline: self.inline, count: self.count.min(N), more: Vec::new() };
        for member in shifted.inline.iter_mut().take(self.count) {
            member.key.span = member.key.span.shifted(by);
            member.value = member.value.shifted(by);
        }
        shifted
    }

    /// Returns the members in the order in which they stand in the text.
    pub fn iter(&self) -> impl Iterator<Item = &Member> {
        self.inline.iter().take(self.count).chain(&self.more)
    }

    /// Finds the value of the member called `name`.
    #[must_use]
    #[inline]
    pub fn find(&self, text: &[u8], name: &str) -> Option<Span> {
        let inline = self.inline.get(..self.count.min(N)).unwrap_or_default();
        let named = |member: &&Member| member.is_named(text, name.as_bytes());
        inline.iter().find(named).or_else(|| self.more.iter().find(named)).map(|member| member.value)
    }

    /// Returns the name that stands there twice, if any does.
    pub(super) fn duplicate(&self, text: &[u8]) -> Option<Span> {
        if self.more.is_empty() {
            let members = self.inline.get(..self.count)?;
            return members.iter().enumerate().find_map(|(index, member)| {
                let earlier = members.get(..index)?;
                earlier.iter().any(|other| other.has_name_of(member, text)).then_some(member.key.span)
            });
        }
        let mut names: Vec<_> = self.iter().map(|member| (member.name(text), member.key.span)).collect();
        names.sort_by(|a, b| a.0.cmp(&b.0));
        names.windows(2).find_map(|pair| match pair {
            [a, b] if a.0 == b.0 => Some(b.1),
            _ => None,
        })
    }
}
