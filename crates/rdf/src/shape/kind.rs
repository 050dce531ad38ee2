//! The columns of the table.

use jackfield_protocol::Revision::{self, V2024_11_05, V2026_07_28};

/// A type of the protocol: an object with members, or a choice between such objects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    /// The members of an object.
    pub(crate) members: &'static [Member],
    /// The shapes that a choice is between; empty for an object.
    pub(crate) choices: &'static [&'static str],
    /// Members that are not named are allowed, and part of the protocol.
    pub(crate) open: bool,
    pub(crate) first: Revision,
    pub(crate) last: Revision,
}

/// A member of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) doc: &'static str,
    /// The first revision in which it must be there; none if it may always be absent.
    pub(crate) required: Option<Revision>,
    pub(crate) first: Revision,
    pub(crate) last: Revision,
}

/// What a member holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Text,
    Boolean,
    /// A whole number, not negative.
    Count,
    /// A count, or null.
    CountOrNull,
    Integer,
    Number,
    /// A string or an integer.
    Id,
    /// Any JSON value.
    Any,
    /// An object that the protocol does not look into.
    Object,
    /// Always this text.
    Word(&'static str),
    /// One of these texts.
    Words(fn() -> Vec<&'static str>),
    /// An object or a choice.
    Of(&'static str),
    /// An array.
    List(&'static Kind),
    /// One or an array of it.
    OneOrList(&'static Kind),
    /// An object whose members all hold this, under names that are free.
    Map(&'static Kind),
}

impl Shape {
    pub(super) const fn new(name: &'static str, doc: &'static str, members: &'static [Member]) -> Self {
        Self { name, doc, members, choices: &[], open: false, first: V2024_11_05, last: V2026_07_28 }
    }

    pub(super) const fn choice(name: &'static str, doc: &'static str, choices: &'static [&'static str]) -> Self {
        Self { choices, ..Self::new(name, doc, &[]) }
    }

    pub(super) const fn open(self) -> Self {
        Self { open: true, ..self }
    }

    pub(super) const fn since(self, first: Revision) -> Self {
        Self { first, ..self }
    }

    pub(super) const fn until(self, last: Revision) -> Self {
        Self { last, ..self }
    }

    pub(super) const fn only(self, revision: Revision) -> Self {
        self.since(revision).until(revision)
    }

    pub(crate) fn is_defined(&self, revision: Revision) -> bool {
        (self.first..=self.last).contains(&revision)
    }

    /// The members that a revision has.
    pub(crate) fn members_in(&self, revision: Revision) -> impl Iterator<Item = &'static Member> {
        self.members.iter().filter(move |member| (member.first..=member.last).contains(&revision))
    }
}

/// A member that must be there.
pub(super) const fn must(name: &'static str, kind: Kind, doc: &'static str) -> Member {
    Member { required: Some(V2024_11_05), ..may(name, kind, doc) }
}

/// A member that may be absent.
pub(super) const fn may(name: &'static str, kind: Kind, doc: &'static str) -> Member {
    Member { name, kind, doc, required: None, first: V2024_11_05, last: V2026_07_28 }
}

/// The `_meta` of a part of a message.
pub(super) const META: Member = may("_meta", Kind::Object, "anything else").since(Revision::V2025_06_18);
/// The `_meta` of parameters.
pub(super) const REQUEST_META: Member = may("_meta", Kind::Of("RequestMeta"), "anything else");
/// The `_meta` of a notification's parameters.
pub(super) const NOTICE_META: Member = may("_meta", Kind::Of("NotificationMeta"), "anything else");
/// The `_meta` of a result.
pub(super) const RESULT_META: Member = may("_meta", Kind::Of("ResultMeta"), "anything else");
/// What kind of result it is.
pub(super) const RESULT_TYPE: Member =
    must("resultType", Kind::Text, "whether the request is complete, asks for input, or has become a task")
        .since(V2026_07_28);
pub(super) const TTL_MS: Member = must("ttlMs", Kind::Count, "how many milliseconds it stays fresh").since(V2026_07_28);
pub(super) const CACHE_SCOPE: Member =
    must("cacheScope", Kind::Words(super::lists::cache_scopes), "who may share it").since(V2026_07_28);

impl Member {
    pub(super) const fn since(self, first: Revision) -> Self {
        Self { first, ..self }
    }

    pub(super) const fn until(self, last: Revision) -> Self {
        Self { last, ..self }
    }

    pub(super) const fn only(self, revision: Revision) -> Self {
        self.since(revision).until(revision)
    }

    pub(crate) fn is_required(&self, revision: Revision) -> bool {
        self.required.is_some_and(|first| first <= revision)
    }
}
