//! JSON Schemas of tools for revisions in which they are narrower.

use serde_json::value::RawValue;

use crate::raw::Members;
use crate::{RawJson, Schema};

/// Whether the root says that it is an object, as every schema of a tool must before 2026-07-28.
pub(super) fn is_object(schema: &Schema) -> bool {
    crate::raw::member::<String>(schema.get(), "type").as_deref() == Some("object")
}

/// Writes `true` and `false` among the properties as objects with the same meaning, which older revisions require.
pub(super) fn without_boolean_properties(schema: &mut Schema) {
    // Most schemas have neither word anywhere, and then nothing is parsed.
    if !schema.get().contains("true") && !schema.get().contains("false") {
        return;
    }
    let Ok(mut members) = serde_json::from_str::<Members<&RawValue>>(schema.get()) else { return };
    let Some(properties) = members.0.iter_mut().find(|(name, _)| name == "properties") else { return };
    let Ok(mut fields) = serde_json::from_str::<Members<&RawValue>>(properties.1.get()) else { return };
    let mut changed = false;
    for (_, field) in &mut fields.0 {
        let object = match field.get() {
            "true" => "{}",
            "false" => r#"{"not":{}}"#,
            _ => continue,
        };
        *field = serde_json::from_str(object).expect("the text is JSON");
        changed = true;
    }
    if !changed {
        return;
    }
    let fields = RawJson::new(&fields).expect("members are JSON");
    properties.1 = serde_json::from_str(fields.get()).expect("members are JSON");
    *schema = Schema::new(&members).expect("members make an object");
}
