//! Values made from a JSON Schema, and changed at random.

use serde_json::{Map, Value, json};

use crate::generate::Dice;

/// Makes a value that a schema accepts; `root` has the definitions that it refers to.
pub(crate) fn instance(dice: &mut Dice, root: &Value, schema: &Value, depth: u32) -> Value {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(&reference[1..]).unwrap();
        return instance(dice, root, target, depth);
    }
    if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
        // Deep inside, the last alternative is taken: of recursive choices it is a scalar.
        let at = if depth > 6 { choices.len() - 1 } else { dice.below(choices.len() as u64) as usize };
        return instance(dice, root, &choices[at], depth + 1);
    }
    if let Some(all) = schema.get("allOf").and_then(Value::as_array) {
        let mut merged = Map::new();
        for part in all {
            let Value::Object(members) = instance(dice, root, part, depth + 1) else { continue };
            merged.extend(members);
        }
        return merged.into();
    }
    if let Some(only) = schema.get("const") {
        return only.clone();
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return dice.pick(words).clone();
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => dice.pick(kinds).as_str().unwrap().to_owned(),
        Some(kind) => kind.as_str().unwrap().to_owned(),
        None => return dice.json(1),
    };
    match kind.as_str() {
        "string" => text(dice, schema.get("format").and_then(Value::as_str)),
        "integer" => (dice.below(5) as i64).into(),
        "number" => [json!(0), json!(1), json!(0.5)][dice.below(3) as usize].clone(),
        "boolean" => dice.coin().into(),
        "null" => Value::Null,
        "array" => {
            let items = (0..if depth > 6 { 0 } else { dice.below(3) })
                .map(|_| instance(dice, root, &schema["items"], depth + 1));
            items.collect()
        }
        _ => object(dice, root, schema, depth),
    }
}

fn object(dice: &mut Dice, root: &Value, schema: &Value, depth: u32) -> Value {
    let mut members = Map::new();
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (key, member) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if required.contains(&key.as_str()) || (depth < 6 && dice.coin()) {
            members.insert(key.clone(), instance(dice, root, member, depth + 1));
        }
    }
    if let Some(rest @ Value::Object(_)) = schema.get("additionalProperties")
        && depth < 6
        && dice.coin()
    {
        members.insert("x".to_owned(), instance(dice, root, rest, depth + 1));
    }
    members.into()
}

fn text(dice: &mut Dice, format: Option<&str>) -> Value {
    match format {
        Some("uri") => "file:///a".into(),
        Some("uri-template") => "file:///{a}".into(),
        Some("byte") => "aGk=".into(),
        _ => dice.pick(&["", "a", "größe"]).to_string().into(),
    }
}

/// Changes a value at one place, so that it may no longer be valid.
pub(crate) fn mutate(dice: &mut Dice, value: &mut Value) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let keys: Vec<String> = members.keys().cloned().collect();
            let key = dice.pick(&keys).clone();
            match dice.below(6) {
                0 => drop(members.remove(&key)),
                1 => drop(members.insert(key, dice.json(1))),
                2 => drop(members.insert("unknown".to_owned(), dice.json(1))),
                _ => mutate(dice, &mut members[&key]),
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let at = dice.below(items.len() as u64) as usize;
            mutate(dice, &mut items[at]);
        }
        other => *other = dice.json(1),
    }
}
