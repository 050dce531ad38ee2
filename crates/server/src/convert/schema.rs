//! JSON Schemas of arguments and results.

use jackfield_protocol::Schema;
use jackfield_schema::{Role, has_constraints};
use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value};

use super::arguments::Rule;

/// Schemas of types.
pub trait SchemaOf {
    /// Returns the schema of a type, as it is for arguments of tools.
    fn of<T: JsonSchema>() -> Self;
}

impl SchemaOf for Schema {
    fn of<T: JsonSchema>() -> Self {
        whole(|generator| generator.root_schema_for::<T>()).schema
    }
}

/// One argument of a tool, for its schema.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub description: Option<&'static str>,
    /// Whether it must be given.
    pub required: bool,
    /// The schema of its type.
    pub schema: fn(&mut SchemaGenerator) -> schemars::Schema,
    /// What it is when it is not given.
    pub default: Option<fn() -> Value>,
    /// The rules that the type does not have.
    pub rules: &'static [Rule],
    /// The HTTP header that repeats it, `x-mcp-header`.
    pub header: Option<&'static str>,
    /// Further members of its schema.
    pub extend: Option<fn() -> Value>,
}

impl Field {
    /// Everything but the name and the type.
    pub const NEW: Self = Self {
        name: "",
        description: None,
        required: true,
        schema: SchemaGenerator::subschema_for::<Value>,
        default: None,
        rules: &[],
        header: None,
        extend: None,
    };

    fn to_schema(self, generator: &mut SchemaGenerator) -> Value {
        let mut schema = members((self.schema)(generator).to_value());
        if let Some(description) = self.description {
            schema.insert("description".to_owned(), description.into());
        }
        if let Some(default) = self.default {
            let default = default();
            let whole = default.as_f64().filter(|_| default.is_f64()).map(number);
            schema.insert("default".to_owned(), whole.unwrap_or(default));
        }
        for rule in self.rules {
            let (name, value) = match *rule {
                Rule::Minimum(least) => ("minimum", number(least)),
                Rule::Maximum(most) => ("maximum", number(most)),
                Rule::Below(bound) => ("exclusiveMaximum", number(bound)),
                Rule::Shortest(least) => (if is_list(&schema) { "minItems" } else { "minLength" }, least.into()),
                Rule::Longest(most) => (if is_list(&schema) { "maxItems" } else { "maxLength" }, most.into()),
                Rule::Pattern(pattern) => ("pattern", pattern.into()),
            };
            schema.insert(name.to_owned(), value);
        }
        if let Some(header) = self.header {
            without_null(&mut schema);
            schema.insert("x-mcp-header".to_owned(), header.into());
        }
        if let Some(extend) = self.extend {
            schema.extend(members(extend()));
        }
        Value::Object(schema)
    }
}

/// Says that an argument is left out, not `null`: only strings, integers and booleans may be headers.
fn without_null(schema: &mut Map<String, Value>) {
    let Some(Value::Array(types)) = schema.get_mut("type") else { return };
    types.retain(|name| name != "null");
    if let [only] = &mut types[..] {
        let only = only.take();
        schema.insert("type".to_owned(), only);
    }
}

/// The schema of a tool's arguments, and what decoding them into their types does not see.
#[derive(Debug)]
pub struct Input {
    pub(super) schema: Schema,
    /// It has rules that the types do not enforce. This is known before the names of the types are removed.
    pub(super) has_constraints: bool,
}

/// Returns the schema of a tool's arguments, in the order of its parameters.
pub(super) fn input(fields: &[Field], deny_others: bool) -> Input {
    let mut generator = generator(SchemaSettings::draft2020_12());
    let mut constraints = deny_others;
    let mut text = String::from(r#"{"type":"object","properties":{"#);
    for (index, field) in fields.iter().enumerate() {
        let mut schema = field.to_schema(&mut generator);
        constraints |= has_constraints(&schema, Role::Schema);
        tidy(&mut schema);
        let comma = if index > 0 { "," } else { "" };
        text += &format!("{comma}{}:{schema}", Value::from(field.name));
    }
    text.push('}');
    let required: Vec<_> = fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    if !required.is_empty() {
        text += &format!(r#","required":{}"#, Value::from(required));
    }
    if deny_others {
        text += r#","additionalProperties":false"#;
    }
    let mut definitions = Value::Object(generator.take_definitions(true));
    constraints |= has_constraints(&definitions, Role::ByName);
    tidy(&mut definitions);
    if definitions.as_object().is_some_and(|definitions| !definitions.is_empty()) {
        text += &format!(r#","$defs":{definitions}"#);
    }
    text.push('}');
    let schema = serde_json::from_str(&text).expect("it was put together from JSON values");
    Input { schema, has_constraints: constraints }
}

/// Returns the schema of a type that holds all arguments of a tool.
pub(super) fn whole(make: fn(&mut SchemaGenerator) -> schemars::Schema) -> Input {
    let schema = make(&mut generator(SchemaSettings::draft2020_12())).to_value();
    Input { has_constraints: has_constraints(&schema, Role::Schema), schema: tidied(schema) }
}

/// Returns the schema of a result.
pub(super) fn output(make: fn(&mut SchemaGenerator) -> schemars::Schema) -> Schema {
    tidied(make(&mut generator(SchemaSettings::draft2020_12().for_serialize())).to_value())
}

fn tidied(mut schema: Value) -> Schema {
    tidy(&mut schema);
    Schema::from(members(schema))
}

// 2020-12 is what the protocol assumes when nothing is said, so nothing is said.
fn generator(settings: SchemaSettings) -> SchemaGenerator {
    settings.with(|settings| settings.meta_schema = None).into_generator()
}

fn members(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(members) => members,
        // `true` and `false` are schemas too, but not objects.
        Value::Bool(false) => Map::from_iter([("not".to_owned(), Value::Object(Map::new()))]),
        _ => Map::new(),
    }
}

/// Removes the names of Rust's number types, which are no formats of JSON Schema; some models' providers refuse them.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            let is_number_type = |format: &str| {
                let bits = format.trim_start_matches("uint").trim_start_matches("int");
                matches!(format, "float" | "double")
                    || (bits != format && bits.bytes().all(|byte| byte.is_ascii_digit()))
            };
            if members.get("format").and_then(Value::as_str).is_some_and(is_number_type) {
                members.remove("format");
            }
            members.values_mut().for_each(tidy);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}

fn is_list(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        Some(Value::String(name)) => name == "array",
        Some(Value::Array(names)) => names.iter().any(|name| name == "array"),
        _ => false,
    }
}

fn number(value: f64) -> Value {
    // Whole numbers look whole: 1, not 1.0.
    #[expect(clippy::cast_possible_truncation, reason = "only for whole numbers within the range")]
    if value.fract() == 0.0 && value.abs() < 9e15 { (value as i64).into() } else { value.into() }
}
