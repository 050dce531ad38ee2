//! The JSON Schema of a type as the flat schema that forms have.

use jackfield_protocol::{
    BooleanSchema, Choice, Choices, ElicitSchema, MultiSelectSchema, NumberSchema, PrimitiveSchema, SingleSelectSchema,
    StringFormat, StringSchema,
};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

/// Makes a form with a field for each field of a struct.
pub(super) fn of_struct<T: JsonSchema>() -> Result<ElicitSchema, String> {
    from_struct(schema_of::<T>().as_value())
}

/// Makes the one field of a form that asks for a single value.
pub(super) fn of_value<T: JsonSchema>() -> Result<PrimitiveSchema, String> {
    let root = schema_of::<T>();
    let root = root.as_value();
    Field { root, schema: root }.primitive()
}

fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>()
}

fn from_struct(root: &Value) -> Result<ElicitSchema, String> {
    let fields = root.get("properties").and_then(Value::as_object).filter(|_| is(root, "object"));
    let fields = fields.ok_or("a form is a struct with named fields")?;
    let required: Vec<&str> =
        root.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut form = ElicitSchema::new();
    for (name, schema) in fields {
        let field = Field { root, schema }.primitive().map_err(|problem| format!("field `{name}` {problem}"))?;
        form = if required.contains(&name.as_str()) {
            form.with_required(name, field)
        } else {
            form.with_optional(name, field)
        };
    }
    Ok(form)
}

/// One field, with the definitions that it may refer to.
struct Field<'a> {
    root: &'a Value,
    schema: &'a Value,
}

impl<'a> Field<'a> {
    fn primitive(&self) -> Result<PrimitiveSchema, String> {
        let schema = self.resolved()?;
        let (title, description) = (self.text(schema, "title"), self.text(schema, "description"));
        if let Some(choices) = choices(schema, "oneOf") {
            let default = self.default(schema).and_then(|value| value.as_str().map(str::to_owned));
            let mut field = SingleSelectSchema::new(choices);
            (field.title, field.description, field.default) = (title, description, default);
            return Ok(field.into());
        }
        match kind(schema) {
            Some("string") => {
                let mut field = StringSchema::default();
                (field.title, field.description) = (title, description);
                field.min_length = schema.get("minLength").and_then(Value::as_u64);
                field.max_length = schema.get("maxLength").and_then(Value::as_u64);
                field.format =
                    schema.get("format").and_then(|format| serde_json::from_value::<StringFormat>(format.clone()).ok());
                field.default = self.default(schema).and_then(|value| value.as_str().map(str::to_owned));
                Ok(field.into())
            }
            Some(number @ ("integer" | "number")) => {
                let mut field = NumberSchema::default();
                (field.title, field.description) = (title, description);
                field.integer = number == "integer";
                field.minimum = schema.get("minimum").and_then(Value::as_f64);
                field.maximum = schema.get("maximum").and_then(Value::as_f64);
                field.default = self.default(schema).and_then(Value::as_f64);
                Ok(field.into())
            }
            Some("boolean") => {
                let mut field = BooleanSchema::default();
                (field.title, field.description) = (title, description);
                field.default = self.default(schema).and_then(Value::as_bool);
                Ok(field.into())
            }
            Some("array") => self.several(schema, title, description),
            _ => {
                Err("is not a text, number, boolean, enum without fields, or list of such enums; forms are flat"
                    .to_owned())
            }
        }
    }

    fn several(
        &self,
        schema: &Value,
        title: Option<String>,
        description: Option<String>,
    ) -> Result<PrimitiveSchema, String> {
        let flat = "is a list of something else than an enum without fields";
        let items = Field { root: self.root, schema: schema.get("items").ok_or(flat)? };
        let mut field = MultiSelectSchema::new(choices(items.resolved()?, "oneOf").ok_or(flat)?);
        (field.title, field.description) = (title, description);
        field.min_items = schema.get("minItems").and_then(Value::as_u64);
        field.max_items = schema.get("maxItems").and_then(Value::as_u64);
        field.default = self.default(schema).and_then(|value| serde_json::from_value(value.clone()).ok());
        Ok(field.into())
    }

    /// Follows a reference, and takes the one alternative beside null that an option has.
    fn resolved(&self) -> Result<&'a Value, String> {
        let mut schema = self.schema;
        for _ in 0..4 {
            if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
                let found = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
                schema = found.ok_or_else(|| format!("refers to {target}, which is not there"))?;
                continue;
            }
            let some = schema.get("anyOf").and_then(Value::as_array).and_then(|branches| {
                let mut others = branches.iter().filter(|branch| !is(branch, "null"));
                others.next().filter(|_| others.next().is_none())
            });
            match some {
                Some(inner) => schema = inner,
                None => break,
            }
        }
        Ok(schema)
    }

    /// What stands beside a reference wins over what stands behind it.
    fn text(&self, resolved: &Value, name: &str) -> Option<String> {
        let own = self
            .schema
            .get(name)
            .or_else(|| if std::ptr::eq(self.schema, resolved) { None } else { resolved.get(name) });
        own.and_then(Value::as_str).map(str::to_owned)
    }

    fn default(&self, resolved: &'a Value) -> Option<&'a Value> {
        self.schema.get("default").or_else(|| resolved.get("default"))
    }
}

/// Reads `enum`, or alternatives that are constants with or without a name.
fn choices(schema: &Value, alternatives: &str) -> Option<Choices> {
    let strings = |values: &[Value]| values.iter().map(|v| v.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>();
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let values = values.iter().filter(|value| !value.is_null()).cloned().collect::<Vec<_>>();
        return strings(&values).map(Choices::Plain);
    }
    let branches = schema.get(alternatives)?.as_array()?;
    let mut found = Vec::new();
    for branch in branches {
        let name = branch.get("title").or_else(|| branch.get("description")).and_then(Value::as_str);
        match (branch.get("const").and_then(Value::as_str), branch.get("enum").and_then(Value::as_array)) {
            (Some(value), _) => found.push(Choice::new(value, name.unwrap_or(value))),
            (None, Some(values)) => {
                found.extend(strings(values)?.into_iter().map(|value| Choice::new(value.clone(), value)))
            }
            (None, None) => return None,
        }
    }
    Some(Choices::Titled(found))
}

fn kind(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => {
            let mut others = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            others.next().filter(|_| others.next().is_none())
        }
        _ => None,
    }
}

fn is(schema: &Value, name: &str) -> bool {
    kind(schema) == Some(name) || schema.get("type").and_then(Value::as_str) == Some(name)
}

#[expect(dead_code, reason = "the fields are read by schemars only")]
#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(JsonSchema)]
    enum Size {
        Small,
        Large,
    }

    #[derive(JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Colour {
        /// Like blood.
        Red,
        /// Like the sky.
        Blue,
    }

    #[derive(JsonSchema)]
    struct Order {
        /// Who eats it.
        name: String,
        #[schemars(range(min = 1, max = 9))]
        count: u8,
        size: Size,
        colour: Option<Colour>,
        extra: Vec<Size>,
        price: Option<f64>,
        #[schemars(extend("default" = true))]
        gift: bool,
        #[schemars(email)]
        mail: String,
    }

    /// CLI-051: forms are flat objects of primitives, with all shapes of enums and defaults.
    #[test]
    fn a_struct_of_primitives_is_a_form() {
        let form = serde_json::to_value(of_struct::<Order>().unwrap()).unwrap();
        assert_eq!(
            form,
            json!({
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "Who eats it."},
                    "count": {"type": "integer", "minimum": 1, "maximum": 9},
                    "size": {"type": "string", "enum": ["Small", "Large"]},
                    "colour": {"type": "string", "oneOf": [
                        {"const": "red", "title": "Like blood."}, {"const": "blue", "title": "Like the sky."},
                    ]},
                    "extra": {"type": "array", "items": {"type": "string", "enum": ["Small", "Large"]}},
                    "price": {"type": "number"},
                    "gift": {"type": "boolean", "default": true},
                    "mail": {"type": "string", "format": "email"},
                },
                "required": form["required"],
            })
        );
        let required: Vec<&str> = form["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(
            required.contains(&"name") && !required.contains(&"price") && !required.contains(&"colour"),
            "{required:?}"
        );
    }

    #[derive(JsonSchema)]
    struct Nested {
        inner: Box<Order>,
    }

    #[derive(JsonSchema)]
    struct Tags {
        tags: Vec<String>,
    }

    #[test]
    fn a_single_value_is_a_field() {
        let field = |field: Result<PrimitiveSchema, String>| serde_json::to_value(field.unwrap()).unwrap();
        assert_eq!(field(of_value::<bool>())["type"], "boolean");
        assert_eq!(field(of_value::<String>())["type"], "string");
        assert_eq!(field(of_value::<i16>())["minimum"], -32768);
        assert_eq!(field(of_value::<f32>())["type"], "number");
        assert_eq!(field(of_value::<Size>())["enum"], json!(["Small", "Large"]));
        assert_eq!(field(of_value::<Vec<Size>>())["items"]["enum"], json!(["Small", "Large"]));
    }

    #[test]
    fn other_types_are_refused_by_the_name_of_the_field() {
        assert!(of_struct::<Nested>().unwrap_err().starts_with("field `inner`"));
        assert!(of_struct::<Tags>().unwrap_err().starts_with("field `tags`"));
        assert!(of_struct::<String>().unwrap_err().contains("struct"));
    }
}
