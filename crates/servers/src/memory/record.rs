//! An entity or a relation as one text, in which a search finds what it looks for without taking it apart.

use super::arena::{Arena, Place};
use super::entity::{Entity, Relation};

/// Where a record stands, and what has to be known to search it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) place: Place,
    pub(super) kind: Kind,
}

/// How a text is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Fields that are separated by NUL, all ASCII.
    Ascii,
    /// Fields that are separated by NUL.
    Unicode,
    /// The same, with a character that becomes ASCII in lower case, so that it must be converted before it is compared.
    Folding,
    /// JSON, because a field contains NUL.
    Json,
    /// It was removed.
    Removed,
}

impl Record {
    pub(super) fn of_entity(arena: &mut Arena, entity: &Entity) -> Self {
        let fields = [&entity.name, &entity.entity_type].into_iter().chain(&entity.observations);
        Self::new(arena, fields, || serde_json::to_string(entity).unwrap_or_default())
    }

    pub(super) fn of_relation(arena: &mut Arena, relation: &Relation) -> Self {
        let fields = [&relation.from, &relation.to, &relation.relation_type];
        Self::new(arena, fields.into_iter(), || serde_json::to_string(relation).unwrap_or_default())
    }

    fn new<'a>(
        arena: &mut Arena,
        fields: impl Iterator<Item = &'a String> + Clone,
        as_json: impl FnOnce() -> String,
    ) -> Self {
        if fields.clone().any(|field| field.contains('\0')) {
            return Self { place: arena.add(&as_json()), kind: Kind::Json };
        }
        let mut text = String::new();
        for (index, field) in fields.enumerate() {
            if index > 0 {
                text.push('\0');
            }
            text.push_str(field);
        }
        let kind = if text.is_ascii() {
            Kind::Ascii
        } else if text.contains(['\u{212a}', '\u{130}']) {
            Kind::Folding
        } else {
            Kind::Unicode
        };
        Self { place: arena.add(&text), kind }
    }

    pub(super) fn is_removed(&self) -> bool {
        self.kind == Kind::Removed
    }

    pub(super) fn remove(&mut self, arena: &mut Arena) {
        arena.give_up(self.place);
        self.kind = Kind::Removed;
    }

    pub(super) fn entity(&self, arena: &Arena) -> Entity {
        let text = arena.get(self.place);
        if self.kind == Kind::Json {
            return serde_json::from_str(text).unwrap_or_default();
        }
        let mut fields = text.split('\0').map(str::to_owned);
        let (name, entity_type) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        Entity { name, entity_type, observations: fields.collect() }
    }

    pub(super) fn relation(&self, arena: &Arena) -> Relation {
        let text = arena.get(self.place);
        if self.kind == Kind::Json {
            return serde_json::from_str(text).unwrap_or_default();
        }
        let mut fields = text.split('\0').map(str::to_owned);
        let mut next = || fields.next().unwrap_or_default();
        Relation { from: next(), to: next(), relation_type: next() }
    }
}
