//! How much effort a schema can cause, before anything is checked with it.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

/// The deepest nesting of a schema, and the longest chain of references.
const MOST_DEPTH: usize = 64;
/// The deepest nesting after every reference has been replaced by what it leads to. Each level is a call within a call, here and where the
/// schema is compiled.
const MOST_EXPANDED_DEPTH: usize = 512;
/// The most subschemas.
const MOST_SUBSCHEMAS: u64 = 10_000;
/// The most subschemas after every reference has been replaced by what it leads to.
const MOST_EXPANDED: u64 = 100_000;

/// How much effort a schema can cause.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Cost {
    Bounded {
        /// So many subschemas apply to a value at most.
        subschemas: u64,
        /// In so many ways it may lead back to itself for one value. Where what was found is not remembered, the effort is multiplied by it
        /// with each level of the value.
        ways_back: u64,
    },
    /// It cannot be told.
    Unclear,
    /// More than allowed.
    TooMuch(&'static str),
}

/// Estimates the effort of checking with a schema.
pub(crate) fn cost(schema: &Value) -> Cost {
    let mut count = 0;
    if let Some(why) = too_large(schema, 0, &mut count) {
        return Cost::TooMuch(why);
    }
    let mut walk = Walk {
        root: schema,
        known: HashMap::new(),
        open: HashSet::new(),
        back: 0,
        marks: false,
        unclear: false,
        depth: 0,
        reached: Height::default(),
        is_too_deep: false,
    };
    let size = walk.size(schema, true);
    if walk.is_too_deep {
        return Cost::TooMuch("the schema is nested too deeply when its references are followed");
    }
    // What has been evaluated is found out anew at each level.
    if walk.unclear || (walk.marks && walk.back > 0) {
        return Cost::Unclear;
    }
    if size > MOST_EXPANDED {
        Cost::TooMuch("the schema is too large when its references are followed")
    } else {
        Cost::Bounded { subschemas: size.max(1), ways_back: walk.back.max(1) }
    }
}

fn too_large(value: &Value, depth: usize, count: &mut u64) -> Option<&'static str> {
    if depth > MOST_DEPTH {
        return Some("the schema is nested too deeply");
    }
    match value {
        Value::Object(members) => {
            *count += 1;
            if *count > MOST_SUBSCHEMAS {
                return Some("the schema has too many subschemas");
            }
            if members.get("$ref").and_then(Value::as_str).is_some_and(|target| !target.starts_with('#')) {
                return Some("the schema refers to something outside of it");
            }
            members.values().find_map(|value| too_large(value, depth + 1, count))
        }
        Value::Array(values) => values.iter().find_map(|value| too_large(value, depth + 1, count)),
        _ => None,
    }
}

struct Walk<'a> {
    root: &'a Value,
    /// What references lead to.
    known: HashMap<String, Known>,
    open: HashSet<String>,
    /// How many references lead back. Two of them may apply to the same value wherever they stand: in a choice, or beside each other in
    /// keywords that are about the same member.
    back: u64,
    /// Whether there are keywords that depend on what others have evaluated.
    marks: bool,
    unclear: bool,
    /// How deep the walk is, with references followed.
    depth: usize,
    /// The farthest that it has been, below the reference that is being followed.
    reached: Height,
    is_too_deep: bool,
}

/// What is known about something that a reference leads to.
#[derive(Clone, Copy)]
struct Known {
    size: u64,
    /// Whether it leads back to something that it is part of.
    leads_back: bool,
    /// What is below it.
    below: Height,
}

/// Levels, and references within references.
#[derive(Clone, Copy, Default)]
struct Height {
    levels: usize,
    references: usize,
}

impl Walk<'_> {
    /// Counts subschemas with references followed.
    fn size(&mut self, value: &Value, top: bool) -> u64 {
        if !self.reach(Height { levels: 1, references: 0 }) {
            return 1;
        }
        self.depth += 1;
        let size = self.size_of_parts(value, top);
        self.depth -= 1;
        size
    }

    /// Notes how far it goes from here, as if that was walked; says whether so much is allowed.
    fn reach(&mut self, further: Height) -> bool {
        let levels = self.depth.saturating_add(further.levels);
        let references = self.open.len().saturating_add(further.references);
        self.reached.levels = self.reached.levels.max(levels);
        self.reached.references = self.reached.references.max(references);
        let is_allowed = levels <= MOST_EXPANDED_DEPTH && references <= MOST_DEPTH;
        self.is_too_deep |= !is_allowed;
        is_allowed
    }

    fn size_of_parts(&mut self, value: &Value, top: bool) -> u64 {
        match value {
            Value::Object(members) => {
                // Names that move the meaning of references cannot be followed by this simple walk.
                self.unclear |= !top && members.contains_key("$id");
                self.unclear |= members.contains_key("$dynamicRef") || members.contains_key("$recursiveRef");
                self.marks |= members.contains_key("unevaluatedProperties") || members.contains_key("unevaluatedItems");
                let mut size: u64 = 1;
                for (keyword, value) in members {
                    let added = match (keyword.as_str(), value) {
                        ("$ref", Value::String(target)) => self.follow(target),
                        ("$defs" | "definitions" | "const" | "enum" | "default" | "examples", _) => 0,
                        (_, value) => self.size(value, false),
                    };
                    size = size.saturating_add(added);
                }
                size
            }
            Value::Array(values) => {
                values.iter().fold(0, |size: u64, value| size.saturating_add(self.size(value, false)))
            }
            _ => 0,
        }
    }

    fn follow(&mut self, target: &str) -> u64 {
        if let Some(&known) = self.known.get(target) {
            self.back = self.back.saturating_add(u64::from(known.leads_back));
            self.reach(known.below);
            return known.size;
        }
        if self.open.contains(target) || target == "#" {
            self.back = self.back.saturating_add(1);
            return 1;
        }
        let Some(schema) = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) else {
            self.unclear = true;
            return 1;
        };
        if !self.reach(Height { levels: 0, references: 1 }) {
            return 1;
        }
        let schema = schema.clone();
        let before = self.back;
        let (levels, references) = (self.depth, self.open.len());
        let outside = std::mem::replace(&mut self.reached, Height { levels, references: references + 1 });
        self.open.insert(target.to_owned());
        let size = self.size(&schema, false);
        self.open.remove(target);
        let reached = std::mem::replace(&mut self.reached, outside);
        let below = Height { levels: reached.levels - levels, references: reached.references - references };
        self.reach(below);
        self.known.insert(target.to_owned(), Known { size, leads_back: self.back > before, below });
        size
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// T-100, BASE-045, BASE-048, SRV-035: references out of the schema are refused.
    #[test]
    fn references_stay_inside() {
        for target in ["http://x/y", "https://x", "file:///etc/passwd", "other.json", "data:,{}", "//host/x", ""] {
            assert!(matches!(cost(&json!({"properties": {"a": {"$ref": target}}})), Cost::TooMuch(_)), "{target}");
        }
    }

    /// T-102, BASE-049: deep, wide and doubling schemas are refused; ordinary recursive ones are not.
    #[test]
    fn bombs_are_refused() {
        let deep = (0..70).fold(json!(true), |inner, _| json!({"not": inner}));
        assert!(matches!(cost(&deep), Cost::TooMuch(_)));
        let wide = json!({"anyOf": (0..10_001).map(|_| json!({})).collect::<Vec<_>>()});
        assert!(matches!(cost(&wide), Cost::TooMuch(_)));
        let mut defs = serde_json::Map::new();
        for level in 0..20 {
            let next = format!("#/$defs/d{}", level + 1);
            defs.insert(format!("d{level}"), json!({"anyOf": [{"$ref": next}, {"$ref": next}]}));
        }
        defs.insert("d20".into(), json!({"type": "string"}));
        assert!(matches!(cost(&json!({"$ref": "#/$defs/d0", "$defs": defs})), Cost::TooMuch(_)));
    }

    /// T-102: a chain of references does not become a chain of calls that ends the process, and one that is as long as schemas are is
    /// followed.
    #[test]
    fn long_chains_of_references_are_refused() {
        // Checkpoints are followed before the chain itself, from its end, so that each of them is a short way from what is known.
        let chain = |length: usize, checkpoints: usize| {
            let mut defs: serde_json::Map<String, Value> = (0..length)
                .map(|level| (format!("d{level}"), json!({"$ref": format!("#/$defs/d{}", level + 1)})))
                .collect();
            defs.insert(format!("d{length}"), json!({"type": "string"}));
            let known: Vec<_> = (1..=checkpoints)
                .map(|n| json!({"$ref": format!("#/$defs/d{}", length - n * (length / checkpoints))}))
                .collect();
            json!({"$defs": defs, "allOf": known, "anyOf": [{"$ref": "#/$defs/d0"}]})
        };
        let small = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
        let judge =
            move || [(8000, 0), (2000, 40), (120, 4), (60, 0), (60, 4)].map(|(length, n)| cost(&chain(length, n)));
        let judged = small.spawn(judge).unwrap().join().unwrap();
        let [long, known, two, short, parts] = &judged;
        assert!([long, known, two].iter().all(|cost| matches!(cost, Cost::TooMuch(_))), "{judged:?}");
        assert!([short, parts].iter().all(|cost| matches!(cost, Cost::Bounded { .. })), "{judged:?}");
    }

    /// T-102: every reference that leads back counts, whatever it stands in; also by way of another definition.
    #[test]
    fn ways_back_are_counted() {
        let ways = |schema| match cost(&schema) {
            Cost::Bounded { ways_back, .. } => ways_back,
            other => panic!("{other:?}"),
        };
        let back = || json!({"$ref": "#"});
        assert_eq!(ways(json!({"properties": {"x": {"type": "string"}}})), 1);
        assert_eq!(ways(json!({"properties": {"next": back()}})), 1);
        assert_eq!(ways(json!({"properties": {"x": {"anyOf": [back(), back()]}}})), 2);
        assert_eq!(ways(json!({"properties": {"x": back()}, "patternProperties": {"x": back()}})), 2);
        assert_eq!(ways(json!({"properties": {"x": back()}, "allOf": [{"properties": {"x": back()}}]})), 2);
        let b = || json!({"$ref": "#/$defs/b"});
        let defs = json!({"a": {"properties": {"x": b()}, "patternProperties": {"x": b()}},
            "b": {"properties": {"x": {"$ref": "#/$defs/a"}}}});
        assert_eq!(ways(json!({"$ref": "#/$defs/a", "$defs": defs})), 2);
        let marked = json!({"properties": {"x": back()}, "unevaluatedProperties": false});
        assert_eq!(cost(&marked), Cost::Unclear);
    }
}
