//! Where the references of a schema lead: how many ways there are through its definitions, how deep they are, and which lead back to
//! themselves.

use std::collections::HashMap;

use jackfield_protocol::uri::percent_decode;
use serde_json::{Map, Value};

/// Keywords that go on elsewhere in the document.
pub(crate) const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// The parts of a schema that references name by something else than their place.
#[derive(Debug, Default)]
pub(crate) struct Named<'a> {
    pub(crate) ids: HashMap<&'a str, &'a Value>,
    pub(crate) anchors: HashMap<&'a str, &'a Value>,
}

impl<'a> Named<'a> {
    /// Finds what a reference inside the document names.
    fn resolve(&self, root: &'a Value, target: &str) -> Option<&'a Value> {
        let (document, fragment) = target.split_once('#').unwrap_or((target, ""));
        let document = if document.is_empty() { root } else { self.ids.get(document).copied()? };
        match String::from_utf8(percent_decode(fragment)?).ok()?.as_str() {
            "" => Some(document),
            pointer if pointer.starts_with('/') => document.pointer(pointer),
            anchor => self.anchors.get(anchor).copied(),
        }
    }
}

/// The definitions of a schema, each once, and where they lead.
pub(crate) struct Graph<'a> {
    root: &'a Value,
    named: &'a Named<'a>,
    /// What is referred to; the first is the whole schema.
    definitions: Vec<&'a Value>,
    /// Where each stands in `definitions`, by its place in memory.
    index: HashMap<*const Value, usize>,
    /// Where each leads.
    links: Vec<Vec<Link>>,
    /// How deep each is, without what it refers to.
    depths: Vec<usize>,
    /// Whether every reference has a target.
    is_complete: bool,
    /// Definitions that lead to each other are of the same circle.
    circle: Vec<usize>,
    /// How many ways there are through each, as far as it is known.
    ways: Vec<Option<u64>>,
}

/// A reference from one definition to another.
#[derive(Clone, Copy, Debug)]
struct Link {
    to: usize,
    /// It is about a part of the value, not about the value itself.
    below: bool,
    /// How deep in its definition it stands.
    level: usize,
}

/// How deep a schema is with its references followed. A compiler calls itself so many times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Height {
    /// Values within values.
    pub(crate) levels: usize,
    /// References within references.
    pub(crate) references: usize,
}

impl Height {
    fn max(self, other: Self) -> Self {
        Self { levels: self.levels.max(other.levels), references: self.references.max(other.references) }
    }
}

impl<'a> Graph<'a> {
    pub(crate) fn new(root: &'a Value, named: &'a Named<'a>, references: &[&str]) -> Self {
        let mut graph = Self {
            root,
            named,
            definitions: Vec::new(),
            index: HashMap::new(),
            links: Vec::new(),
            depths: Vec::new(),
            is_complete: true,
            circle: Vec::new(),
            ways: Vec::new(),
        };
        graph.place(root);
        for target in references {
            graph.is_complete &= graph.find(target).is_some();
        }
        while let Some(definition) = graph.definitions.get(graph.links.len()).copied() {
            let mut links = Vec::new();
            let depth = graph.gather(definition, false, 1, &mut links);
            graph.links.push(links);
            graph.depths.push(depth);
        }
        graph.circle = circles(&graph.links);
        graph.ways = vec![None; graph.definitions.len()];
        graph
    }

    /// Counts the ways that a value may take through the whole schema. `None` if a definition leads back to itself without looking deeper
    /// into the value, which never ends.
    pub(crate) fn ways(&mut self) -> Option<u64> {
        // Where a circle is closed by looking deeper into the value, one way is counted: how deep values are is bounded elsewhere.
        let kept: Vec<Vec<usize>> = (0..self.links.len())
            .map(|from| {
                self.links[from]
                    .iter()
                    .filter(|link| !self.closes(from, link.to, link.below))
                    .map(|link| link.to)
                    .collect()
            })
            .collect();
        for at in leaves_first(&kept) {
            self.ways[at] = Some(self.count(at, self.definitions[at], false)?);
        }
        self.ways.first().copied().flatten()
    }

    /// Whether every reference has a target.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Counts the references that lead back to the definition that they stand in.
    pub(crate) fn recursive_refs(&self) -> usize {
        let leads_back = |from: usize, link: &&Link| self.circle[from] == self.circle[link.to];
        self.links
            .iter()
            .enumerate()
            .map(|(from, links)| links.iter().filter(|link| leads_back(from, link)).count())
            .sum()
    }

    /// Measures how deep a compiler that follows references goes. It compiles a definition once, and does not enter one that it is in.
    pub(crate) fn height(&self) -> Height {
        let links: Vec<Vec<usize>> =
            self.links.iter().map(|links| links.iter().map(|link| link.to).collect()).collect();
        let mut heights: Vec<Option<Height>> = vec![None; links.len()];
        for at in leaves_first(&links) {
            let own = Height { levels: self.depths[at], references: 0 };
            let height = self.links[at].iter().fold(own, |height, link| {
                let below = heights[link.to].unwrap_or_default();
                height.max(Height {
                    levels: link.level.saturating_add(below.levels),
                    references: below.references.saturating_add(1),
                })
            });
            heights[at] = Some(height);
        }
        heights.into_iter().flatten().fold(Height::default(), Height::max)
    }

    fn closes(&self, from: usize, to: usize, below: bool) -> bool {
        below && self.circle[from] == self.circle[to]
    }

    fn find(&mut self, target: &str) -> Option<usize> {
        self.named.resolve(self.root, target).map(|found| self.place(found))
    }

    fn place(&mut self, definition: &'a Value) -> usize {
        let next = self.definitions.len();
        let at = *self.index.entry(std::ptr::from_ref(definition)).or_insert(next);
        if at == next {
            self.definitions.push(definition);
        }
        at
    }

    /// Gathers the references of a definition; returns how deep it is.
    fn gather(&mut self, value: &'a Value, below: bool, level: usize, links: &mut Vec<Link>) -> usize {
        let Value::Object(members) = value else { return level };
        for target in references(members) {
            links.extend(self.find(target).map(|to| Link { to, below, level }));
        }
        let mut deepest = level;
        for (name, value) in members {
            let Some((meets, schemas)) = subschemas(name, value) else { continue };
            for schema in schemas {
                // A list or a map of schemas is a level of its own.
                let level = level.saturating_add(if std::ptr::eq(schema, value) { 1 } else { 2 });
                deepest = deepest.max(self.gather(schema, below || meets != Meets::Value, level, links));
            }
        }
        deepest
    }

    fn count(&self, from: usize, value: &'a Value, below: bool) -> Option<u64> {
        let Value::Object(members) = value else { return Some(1) };
        let mut total: u64 = 1;
        for target in references(members) {
            let found = self.named.resolve(self.root, target);
            let found = found.and_then(|found| self.index.get(&std::ptr::from_ref(found)).copied());
            total = total.saturating_add(match found {
                Some(to) if !self.closes(from, to, below) => self.ways[to]?,
                _ => 1,
            });
        }
        for (name, value) in members {
            let Some((meets, schemas)) = subschemas(name, value) else { continue };
            let below = below || meets != Meets::Value;
            let mut ways: u64 = 0;
            for schema in schemas {
                let more = self.count(from, schema, below)?;
                ways = if meets == Meets::OnePart { ways.max(more) } else { ways.saturating_add(more) };
            }
            total = total.saturating_add(ways);
        }
        Some(total)
    }
}

fn references(members: &Map<String, Value>) -> impl Iterator<Item = &str> {
    REFERENCES.iter().filter_map(|name| members.get(*name).and_then(Value::as_str))
}

/// What the schemas under a keyword are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meets {
    /// All with the value itself.
    Value,
    /// All with each part.
    EachPart,
    /// One of them with each part.
    OnePart,
}

/// Returns the schemas that a keyword applies.
fn subschemas<'a>(name: &str, value: &'a Value) -> Option<(Meets, Vec<&'a Value>)> {
    Some(match (name, value) {
        ("anyOf" | "oneOf" | "allOf", Value::Array(branches)) => (Meets::Value, branches.iter().collect()),
        ("not" | "if" | "then" | "else", schema) => (Meets::Value, vec![schema]),
        ("dependentSchemas" | "dependencies", Value::Object(schemas)) => (Meets::Value, schemas.values().collect()),
        ("properties", Value::Object(fields)) => (Meets::OnePart, fields.values().collect()),
        ("prefixItems" | "items", Value::Array(items)) => (Meets::OnePart, items.iter().collect()),
        ("patternProperties", Value::Object(patterns)) => (Meets::EachPart, patterns.values().collect()),
        (
            "items"
            | "additionalItems"
            | "unevaluatedItems"
            | "contains"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "propertyNames",
            schema,
        ) => (Meets::EachPart, vec![schema]),
        _ => return None,
    })
}

/// Numbers the sets of nodes that lead to each other.
fn circles(links: &[Vec<Link>]) -> Vec<usize> {
    let forward: Vec<Vec<usize>> = links.iter().map(|links| links.iter().map(|link| link.to).collect()).collect();
    let mut backward = vec![Vec::new(); links.len()];
    for (from, links) in forward.iter().enumerate() {
        links.iter().for_each(|to| backward[*to].push(from));
    }
    let mut circle = vec![usize::MAX; links.len()];
    for start in leaves_first(&forward).into_iter().rev() {
        let mut waiting = vec![start];
        while let Some(at) = waiting.pop() {
            if circle[at] == usize::MAX {
                circle[at] = start;
                waiting.extend(&backward[at]);
            }
        }
    }
    circle
}

/// Returns all nodes, each after those that it leads to, except where they lead back to it.
fn leaves_first(links: &[Vec<usize>]) -> Vec<usize> {
    let (mut order, mut seen) = (Vec::with_capacity(links.len()), vec![false; links.len()]);
    for start in 0..links.len() {
        let mut path = if std::mem::replace(&mut seen[start], true) { Vec::new() } else { vec![(start, 0)] };
        while let Some((at, next)) = path.last_mut() {
            match links[*at].get(*next) {
                Some(&to) => {
                    *next = next.saturating_add(1);
                    if !std::mem::replace(&mut seen[to], true) {
                        path.push((to, 0));
                    }
                }
                None => {
                    order.push(*at);
                    path.pop();
                }
            }
        }
    }
    order
}
