//! The columns of the table.

use jackfield_protocol::Revision;

/// An entry of the table: a type of the protocol in some revisions.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) name: &'static str,
    pub(crate) standing: Standing,
    pub(crate) topic: Topic,
    pub(crate) lifetime: Lifetime,
    /// Where it is a definition of its own in the official schema.
    pub(crate) named: Option<Lifetime>,
    /// Where the official schema says that other members may stand beside its own.
    pub(crate) open: Option<Lifetime>,
    pub(crate) doc: &'static str,
    pub(crate) body: Body,
}

/// Which place a type has in the official schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// A definition.
    Type,
    /// An object that is written in place.
    Part,
    /// A type of an extension, which they do not have.
    Extension,
}

/// Which file of the table an entry comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    JsonRpc,
    Lifecycle,
    Content,
    Questions,
    Tasks,
}

/// What a type is.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// An object with these members; those of included entries stand among them.
    Object(Vec<Member>),
    /// Another name for a value.
    Alias(Value),
}

/// A member of an object.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: &'static str,
    pub(crate) required: bool,
    pub(crate) value: Value,
    pub(crate) lifetime: Lifetime,
    /// Where the official schema lists it.
    pub(crate) listed: Option<Lifetime>,
    pub(crate) doc: &'static str,
}

/// What a member or an alias holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// Text, perhaps of a format.
    Text(Option<&'static str>),
    Boolean,
    Integer {
        /// It is not negative.
        natural: bool,
    },
    Number {
        /// It lies between 0 and 1.
        fraction: bool,
    },
    /// Any JSON value.
    Any,
    /// An object that is not looked into.
    Object,
    /// An object without further constraints.
    Bare,
    /// An object whose members, under names that are free, all hold this.
    Map(Box<Value>),
    /// Always this text.
    Word(&'static str),
    /// One of the words of a type of `jackfield-protocol`.
    Enum(&'static str),
    /// Always this number.
    Code(i64),
    /// A value of one of these basic types.
    Basic(Vec<&'static str>),
    /// Another entry of the table.
    Of(&'static str),
    /// Another entry, written in place.
    InPlace(&'static str),
    /// An array, perhaps of at most so many values.
    List(Box<Value>, Option<u64>),
    /// One of these.
    Choice(Vec<Value>),
    /// All of these at once.
    All(Vec<Value>),
}

/// The revisions in which something exists, first and last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lifetime {
    pub(crate) first: Revision,
    pub(crate) last: Revision,
}

impl Lifetime {
    pub(crate) fn always() -> Self {
        Self { first: Revision::ALL.into_iter().min().unwrap_or(Revision::LATEST), last: Revision::LATEST }
    }

    pub(crate) fn contains(self, revision: Revision) -> bool {
        (self.first..=self.last).contains(&revision)
    }

    /// The revisions that both have.
    pub(crate) fn common(self, other: Self) -> Option<Self> {
        let both = Self { first: self.first.max(other.first), last: self.last.min(other.last) };
        (both.first <= both.last).then_some(both)
    }

    /// From the first revision of either to the last of either.
    pub(crate) fn joined(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }
}

impl Definition {
    /// Whether it is a definition of its own in the official schema of a revision.
    pub(crate) fn is_named(&self, revision: Revision) -> bool {
        self.named.is_some_and(|named| named.contains(revision))
    }

    pub(crate) fn is_open(&self, revision: Revision) -> bool {
        self.open.is_some_and(|open| open.contains(revision))
    }

    /// The members of an object in all revisions; none for an alias.
    pub(crate) fn members(&self) -> &[Member] {
        match &self.body {
            Body::Object(members) => members,
            Body::Alias(_) => &[],
        }
    }

    /// The members that a revision has.
    pub(crate) fn members_in(&self, revision: Revision) -> impl Iterator<Item = &Member> {
        self.members().iter().filter(move |member| member.lifetime.contains(revision))
    }
}

impl Member {
    pub(crate) fn is_listed(&self, revision: Revision) -> bool {
        self.listed.is_some_and(|listed| listed.contains(revision))
    }
}

impl Value {
    /// The entries that are named in it.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        match self {
            Self::Of(name) | Self::InPlace(name) => vec![name],
            Self::Map(inner) | Self::List(inner, _) => inner.names(),
            Self::Choice(values) | Self::All(values) => values.iter().flat_map(Self::names).collect(),
            _ => Vec::new(),
        }
    }
}
