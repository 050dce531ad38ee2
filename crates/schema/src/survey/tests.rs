use super::*;
use serde_json::json;

fn outline(schema: Value) -> Result<Outline, String> {
    inspect(&Schema::new(&schema).unwrap())
}

/// BASE-045, BASE-048, SRV-035, T-100: only references inside the document resolve; others make the schema invalid.
#[test]
fn references_to_the_outside_are_refused() {
    for target in [
        "https://example.com/s.json",
        "http://example.com/s.json#/a",
        "file:///etc/passwd",
        "data:application/json,{}",
        "other.json",
        "../x",
        "//host/x",
        "urn:uuid:1",
    ] {
        for keyword in ["$ref", "$dynamicRef"] {
            let problem = outline(json!({"type": "object", "properties": {"a": {keyword: target}}})).unwrap_err();
            assert!(problem.contains(target), "{problem}");
        }
    }
    assert!(outline(json!({"$ref": "#/$defs/a", "$defs": {"a": {}}})).is_ok());
    assert!(outline(json!({"$ref": "https://x.example/a", "$defs": {"a": {"$id": "https://x.example/a"}}})).is_ok());
    // A default that looks like a reference is data.
    assert!(outline(json!({"default": {"$ref": "https://example.com"}})).is_ok());
}

/// BASE-043: an unsupported dialect is an error that says so.
#[test]
fn an_unknown_dialect_is_named() {
    let problem = outline(json!({"$schema": "https://example.com/dialect"})).unwrap_err();
    assert!(problem.contains("https://example.com/dialect") && problem.contains("2020-12"), "{problem}");
    for dialect in DIALECTS {
        assert!(outline(json!({"$schema": dialect})).is_ok());
    }
}

/// BASE-049, T-102: depth, number, length and alternatives are bounded.
#[test]
fn schemas_are_bounded() {
    let deep = |levels| (0..levels).fold(json!({}), |inner, _| json!({"items": inner}));
    assert!(outline(deep(MAX_DEPTH)).is_ok());
    assert!(outline(deep(MAX_DEPTH + 1)).unwrap_err().contains("nested"));
    let wide = |count| json!({"anyOf": vec![json!({}); count]});
    assert!(outline(wide(MAX_SUBSCHEMAS - 1)).is_ok());
    assert!(outline(wide(MAX_SUBSCHEMAS)).unwrap_err().contains("subschemas"));
    let mut defs = Map::new();
    for level in 0..20 {
        let next = json!({"$ref": format!("#/$defs/l{}", level + 1)});
        defs.insert(format!("l{level}"), json!({"anyOf": [next, next]}));
    }
    defs.insert("l20".into(), json!({"type": "string"}));
    assert!(outline(json!({"$ref": "#/$defs/l0", "$defs": defs})).unwrap_err().contains("alternatives"));
}

/// T-102: definitions that are referred to more than once are looked at once: forty of them, each with two references to the next.
#[test]
fn the_time_of_a_look_does_not_double_with_each_definition() {
    let defs = |keyword: &str| {
        let mut defs = Map::new();
        for level in 0..40 {
            let next = json!({"$ref": format!("#/$defs/l{}", level + 1)});
            let schema = match keyword {
                "properties" => json!({"properties": {"a": next, "b": next}}),
                keyword => json!({ keyword: [next, next] }),
            };
            defs.insert(format!("l{level}"), schema);
        }
        defs.insert("l40".into(), json!({"type": "string"}));
        defs
    };
    let known = outline(json!({"$ref": "#/$defs/l0", "$defs": defs("properties")})).unwrap();
    assert_eq!((known.ways, known.recursive_refs), (82, 0));
    assert!(outline(json!({"$ref": "#/$defs/l0", "$defs": defs("anyOf")})).unwrap_err().contains("alternatives"));
    // Circles do not hide what stands in them: each leads to the next in two ways, and by a property back to the one before.
    let mut circular = defs("anyOf");
    for level in 1..40 {
        circular[&format!("l{level}")]["properties"] = json!({"x": {"$ref": format!("#/$defs/l{}", level - 1)}});
    }
    let schema = json!({"properties": {"a": {"$ref": "#/$defs/l39"}, "b": {"$ref": "#/$defs/l0"}}, "$defs": circular});
    assert!(outline(schema).unwrap_err().contains("alternatives"));
    // A long chain needs no deep stack.
    let mut chain: Map<_, _> =
        (0..4_000).map(|at| (format!("l{at}"), json!({"items": {"$ref": format!("#/$defs/l{}", at + 1)}}))).collect();
    chain.insert("l4000".into(), json!({"$ref": "#/$defs/l0"}));
    assert!(outline(json!({"$ref": "#/$defs/l0", "$defs": chain})).unwrap_err().contains("nested too deeply"));
}

/// What references name by an id, an anchor or with encoded characters is found too.
#[test]
fn alternatives_behind_other_names_count() {
    for (name, target) in [("$anchor", "#l{}"), ("$id", "l{}"), ("x", "#/%24defs/l{}")] {
        let mut defs = Map::new();
        for level in 0..20 {
            let next = json!({"$ref": target.replace("{}", &(level + 1).to_string())});
            defs.insert(format!("l{level}"), json!({name: format!("l{level}"), "anyOf": [next, next]}));
        }
        defs.insert("l20".into(), json!({name: "l20"}));
        let schema = json!({"$ref": target.replace("{}", "0"), "$defs": defs});
        assert!(outline(schema).unwrap_err().contains("alternatives"), "{target}");
    }
}

#[test]
fn a_definition_that_is_nothing_but_itself_is_refused() {
    let schema =
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}});
    assert!(outline(schema).unwrap_err().contains("leads back to itself"));
}

#[test]
fn a_definition_that_leads_back_to_itself_is_recursive() {
    let tree = json!({"$ref": "#/$defs/t", "$defs": {"t": {"properties": {"l": {"$ref": "#/$defs/t"}}}}});
    assert_eq!(outline(tree).unwrap().recursive_refs, 1);
    assert_eq!(outline(json!({"$ref": "#/$defs/t", "$defs": {"t": {}}})).unwrap().recursive_refs, 0);
}

#[test]
fn the_range_of_an_integer_type_is_no_constraint() {
    let has = |field: Value| outline(json!({"type": "object", "properties": {"n": field}})).unwrap().has_constraints;
    let integer = |format: &str, least: i64, most: u64| {
        has(json!({"type": "integer", "format": format, "minimum": least, "maximum": most}))
    };
    assert!(!integer("uint8", 0, 255) && integer("uint8", 0, 254) && integer("uint8", 1, 255));
    assert!(!integer("int8", -128, 127) && integer("int8", -127, 127) && integer("int8", 0, 255));
    assert!(!integer("uint64", 0, u64::MAX) && integer("uint64", 0, u64::MAX - 1));
    assert!(!integer("int64", i64::MIN, u64::MAX) && !integer("int", i64::MIN, u64::MAX));
    assert!(integer("int32", 0, 10) && integer("integer", 0, 10) && integer("int0", 0, 10));
    assert!(!has(json!({"type": ["integer", "null"], "format": "uint32", "minimum": 0})));
    assert!(has(json!({"type": "integer", "format": "uint32", "minimum": 0.5})));
    assert!(has(json!({"type": "integer", "minimum": 1})));
    assert!(has(json!({"type": "string", "maxLength": 3})));
    assert!(!has(json!({"type": "string", "description": "pattern"})));
    // Rules whose value is an object are rules too, and properties that are called like rules are none.
    for (rule, value) in [
        ("dependentRequired", json!({"a": ["b"]})),
        ("dependentSchemas", json!({"a": {"required": ["b"]}})),
        ("unevaluatedProperties", json!({"type": "string"})),
        ("unevaluatedProperties", json!(false)),
    ] {
        assert!(has(json!({ rule: value })), "{rule}");
        assert!(!has(json!({"properties": {rule: {"type": "string"}, "minimum": {"type": "string"}}})), "{rule}");
    }
}

/// T-102: a chain of references does not become a chain of calls that ends the process, and one that is as long as schemas are is
/// followed.
#[test]
fn long_chains_of_references_are_refused() {
    // Checkpoints are followed before the chain itself, from its end, so that each of them is a short way from what is known.
    let chain = |length: usize, checkpoints: usize| {
        let mut defs: Map<String, Value> = (0..length)
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
        move || [(3000, 0), (2000, 40), (120, 4), (60, 1), (60, 4)].map(|(length, n)| outline(chain(length, n)));
    let judged = small.spawn(judge).unwrap().join().unwrap();
    let [long, known, two, short, parts] = &judged;
    assert!([long, known, two].iter().all(|outline| outline.is_err()), "{judged:?}");
    assert!([short, parts].iter().all(|outline| outline.is_ok()), "{judged:?}");
}

/// T-102: every reference that leads back counts, whatever it stands in; also by way of another definition.
#[test]
fn references_that_lead_back_are_counted() {
    let count = |schema| outline(schema).unwrap().recursive_refs;
    let back = || json!({"$ref": "#"});
    assert_eq!(count(json!({"properties": {"x": {"type": "string"}}})), 0);
    assert_eq!(count(json!({"properties": {"next": back()}})), 1);
    assert_eq!(count(json!({"properties": {"x": {"anyOf": [back(), back()]}}})), 2);
    assert_eq!(count(json!({"properties": {"x": back()}, "patternProperties": {"x": back()}})), 2);
    assert_eq!(count(json!({"properties": {"x": back()}, "allOf": [{"properties": {"x": back()}}]})), 2);
    let b = || json!({"$ref": "#/$defs/b"});
    let defs = json!({"a": {"properties": {"x": b()}, "patternProperties": {"x": b()}},
        "b": {"properties": {"x": {"$ref": "#/$defs/a"}}}});
    assert_eq!(count(json!({"$ref": "#/$defs/a", "$defs": defs})), 3);
}

/// T-102: where the estimates cannot be trusted, the outline says so.
#[test]
fn what_cannot_be_estimated_is_unclear() {
    let is_unclear = |schema| outline(schema).unwrap().is_unclear;
    let back = || json!({"$ref": "#"});
    assert!(is_unclear(json!({"properties": {"x": back()}, "unevaluatedProperties": false})));
    assert!(!is_unclear(json!({"properties": {"x": {}}, "unevaluatedProperties": false})));
    assert!(is_unclear(json!({"properties": {"x": {"$dynamicRef": "#a"}}, "$dynamicAnchor": "a"})));
    assert!(is_unclear(json!({"properties": {"x": {"$id": "x"}}})) && !is_unclear(json!({"$id": "x"})));
    assert!(is_unclear(json!({"properties": {"x": {"$ref": "#/$defs/missing"}}})));
    assert!(!is_unclear(json!({"properties": {"next": back()}})));
}
