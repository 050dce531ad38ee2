//! The whole table.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use jackfield_protocol::Revision;

use super::model::{Body, Definition, Member, Standing, Topic};
use super::parse::{Entry, Line, entries};

const FILES: [(&str, Topic); 5] = [
    (include_str!("table/json_rpc.txt"), Topic::JsonRpc),
    (include_str!("table/lifecycle.txt"), Topic::Lifecycle),
    (include_str!("table/content.txt"), Topic::Content),
    (include_str!("table/questions.txt"), Topic::Questions),
    (include_str!("table/tasks.txt"), Topic::Tasks),
];

static TABLE: LazyLock<Vec<Definition>> =
    LazyLock::new(|| read().unwrap_or_else(|problem| unreachable!("a test reads the table: {problem}")));

static BY_NAME: LazyLock<BTreeMap<&'static str, Vec<&'static Definition>>> = LazyLock::new(|| {
    let mut names: BTreeMap<&str, Vec<&Definition>> = BTreeMap::new();
    for definition in TABLE.iter() {
        names.entry(definition.name).or_default().push(definition);
    }
    names
});

/// All entries, in the order of the table.
pub(crate) fn definitions() -> impl Iterator<Item = &'static Definition> {
    TABLE.iter()
}

/// The entries that exist in a revision.
pub(crate) fn defined(revision: Revision) -> impl Iterator<Item = &'static Definition> {
    definitions().filter(move |definition| definition.lifetime.contains(revision))
}

/// Finds what a name means in a revision.
pub(crate) fn definition(name: &str, revision: Revision) -> Option<&'static Definition> {
    BY_NAME.get(name)?.iter().find(|definition| definition.lifetime.contains(revision)).copied()
}

/// Whether an entry only lends its members to others, and is nothing of its own.
pub(crate) fn is_group(entry: &Definition) -> bool {
    static VALUES: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
        let held = definitions().flat_map(Definition::members).flat_map(|member| member.value.names());
        let meant = definitions().flat_map(|definition| match &definition.body {
            Body::Alias(value) => value.names(),
            Body::Object(_) => Vec::new(),
        });
        held.chain(meant).collect()
    });
    entry.standing == Standing::Part && !VALUES.contains(entry.name)
}

/// The names of a topic's entries, and of all that these need of other topics.
pub(crate) fn used_by(topic: Topic, revision: Revision) -> Vec<&'static str> {
    let mut used: Vec<&str> = defined(revision).filter(|entry| entry.topic == topic).map(|entry| entry.name).collect();
    let mut next = 0;
    while let Some(entry) = used.get(next) {
        let mut names = definition(entry, revision).map(|entry| names_in(entry, revision)).unwrap_or_default();
        names.retain(|name| !used.contains(name) && definition(name, revision).is_some());
        names.dedup();
        used.extend(names);
        next += 1;
    }
    used
}

/// The entries that an entry names in a revision.
fn names_in(entry: &Definition, revision: Revision) -> Vec<&'static str> {
    match &entry.body {
        Body::Alias(value) => value.names(),
        Body::Object(_) => entry.members_in(revision).flat_map(|member| member.value.names()).collect(),
    }
}

/// Finds what a name means in a revision, or else in the last one that has it.
pub(super) fn any_definition(name: &str, revision: Revision) -> Option<&'static Definition> {
    definition(name, revision).or_else(|| BY_NAME.get(name)?.last().copied())
}

/// The revision whose messages the building block describes.
pub(crate) const BUILDING_BLOCK: Revision = Revision::V2025_06_18;

/// Returns the terms that are ours: members that some revision has, but not the one that the building block describes.
#[must_use]
pub fn own_terms() -> Vec<&'static str> {
    let all: BTreeSet<&str> = definitions().flat_map(Definition::members).map(|member| member.name).collect();
    let theirs: BTreeSet<&str> =
        defined(BUILDING_BLOCK).flat_map(|definition| definition.members_in(BUILDING_BLOCK)).map(|m| m.name).collect();
    all.difference(&theirs).copied().collect()
}

fn read() -> Result<Vec<Definition>, String> {
    let mut all = Vec::new();
    for (text, topic) in FILES {
        all.extend(entries(text, topic)?);
    }
    all.iter()
        .map(|entry| {
            let body = match &entry.alias {
                Some(value) => Body::Alias(value.clone()),
                None => Body::Object(members(entry, &all, 0)?),
            };
            let Entry { name, standing, topic, lifetime, named, open, doc, .. } = *entry;
            Ok(Definition { name, standing, topic, lifetime, named, open, doc, body })
        })
        .collect()
}

/// The members of an entry, with those of the entries that it includes.
fn members(entry: &Entry, all: &[Entry], depth: usize) -> Result<Vec<Member>, String> {
    if depth > 8 {
        return Err(format!("{} includes itself", entry.name));
    }
    let mut found = Vec::new();
    for line in &entry.lines {
        match line {
            Line::Member(member) => found.push(member.clone()),
            Line::Include(name) => {
                let others: Vec<&Entry> = all.iter().filter(|other| other.name == *name).collect();
                if others.is_empty() {
                    return Err(format!("{} includes {name}, which is not in the table", entry.name));
                }
                for other in others {
                    let within = members(other, all, depth + 1)?.into_iter();
                    found.extend(within.filter_map(|member| {
                        let lifetime = member.lifetime.common(other.lifetime)?;
                        Some(Member { lifetime, ..member })
                    }));
                }
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions::Value;

    #[test]
    fn the_table_is_read() {
        assert!(read().unwrap().len() > 200);
    }

    #[test]
    fn every_name_means_one_thing_in_each_revision_and_every_value_exists_where_it_is_used() {
        for revision in Revision::ALL {
            let mut used: BTreeSet<&str> = BTreeSet::new();
            for entry in defined(revision) {
                let same = defined(revision).filter(|other| other.name == entry.name).count();
                assert_eq!(same, 1, "{} in {revision}", entry.name);
                let mut names = BTreeSet::new();
                for member in entry.members_in(revision) {
                    assert!(names.insert(member.name), "{}.{} twice in {revision}", entry.name, member.name);
                    used.extend(member.value.names());
                    check(&member.value, revision, entry.name);
                }
                if let Body::Alias(value) = &entry.body {
                    used.extend(value.names());
                    check(value, revision, entry.name);
                }
            }
            // Included by others, which have their members.
            let included = |name: &str| FILES.iter().any(|(text, _)| text.contains(&format!("...{name}\n")));
            for part in defined(revision).filter(|entry| entry.standing == Standing::Part) {
                assert!(used.contains(part.name) || included(part.name), "{} in {revision}", part.name);
            }
        }
    }

    /// Of a choice one must exist, of anything else all.
    #[track_caller]
    fn check(value: &Value, revision: Revision, of: &str) {
        if let Value::Choice(choices) = value {
            let some = |value: &Value| value.names().iter().any(|name| definition(name, revision).is_some());
            assert!(choices.iter().any(|value| value.names().is_empty() || some(value)), "{of} in {revision}");
            assert!(choices.iter().flat_map(Value::names).all(|name| BY_NAME.contains_key(name)), "{of}");
            return;
        }
        for name in value.names() {
            let exists = definition(name, revision).is_some();
            assert!(exists || matches!(value, Value::List(..) | Value::Map(_)), "{of} names {name} in {revision}");
            assert!(BY_NAME.contains_key(name), "{of} names {name}");
        }
    }

    #[test]
    fn terms_of_other_revisions_are_ours() {
        let ours = own_terms();
        assert!(["icons", "resultType", "ttlMs", "task", "inputRequests"].iter().all(|term| ours.contains(term)));
        assert!(["jsonrpc", "name", "structuredContent", "uri"].iter().all(|term| !ours.contains(term)));
    }
}
