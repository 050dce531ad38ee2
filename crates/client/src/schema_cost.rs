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
    /// It can not be told.
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
    /// The size of what references lead to, and whether it leads back to something that it is part of.
    known: HashMap<String, (u64, bool)>,
    open: HashSet<String>,
    /// How many references lead back. Two of them may apply to the same value wherever they stand: in a choice, or beside each other in
    /// keywords that are about the same member.
    back: u64,
    /// Whether there are keywords that depend on what others have evaluated.
    marks: bool,
    unclear: bool,
    /// How deep the walk is, with references followed.
    depth: usize,
    is_too_deep: bool,
}

impl Walk<'_> {
    /// Counts subschemas with references followed.
    fn size(&mut self, value: &Value, top: bool) -> u64 {
        if self.depth >= MOST_EXPANDED_DEPTH {
            self.is_too_deep = true;
            return 1;
        }
        self.depth += 1;
        let size = self.size_of_parts(value, top);
        self.depth -= 1;
        size
    }

    fn size_of_parts(&mut self, value: &Value, top: bool) -> u64 {
        match value {
            Value::Object(members) => {
                // Names that move the meaning of references can not be followed by this simple walk.
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
        if let Some(&(size, leads_back)) = self.known.get(target) {
            self.back = self.back.saturating_add(u64::from(leads_back));
            return size;
        }
        if self.open.contains(target) || target == "#" {
            self.back = self.back.saturating_add(1);
            return 1;
        }
        let Some(schema) = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) else {
            self.unclear = true;
            return 1;
        };
        if self.open.len() >= MOST_DEPTH {
            self.is_too_deep = true;
            return 1;
        }
        self.open.insert(target.to_owned());
        let schema = schema.clone();
        let before = self.back;
        let size = self.size(&schema, false);
        self.open.remove(target);
        self.known.insert(target.to_owned(), (size, self.back > before));
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
        let chain = |length: usize| {
            let mut defs: serde_json::Map<String, Value> = (0..length)
                .map(|level| (format!("d{level}"), json!({"$ref": format!("#/$defs/d{}", level + 1)})))
                .collect();
            defs.insert(format!("d{length}"), json!({"type": "string"}));
            json!({"$ref": "#/$defs/d0", "$defs": defs})
        };
        let small = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
        let judged = small.spawn(move || (cost(&chain(8000)), cost(&chain(60)))).unwrap().join().unwrap();
        assert!(matches!(judged, (Cost::TooMuch(_), Cost::Bounded { .. })), "{judged:?}");
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
