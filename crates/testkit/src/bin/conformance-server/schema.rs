//! A tool whose schema uses what plain argument types do not: it is given as it is.

use jackfield::server::Call;
use jackfield::{CallToolResult, Cx, Result, Schema, Server, Tool, Value, json};

pub(crate) fn add(server: Server) -> Result<Server> {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
        } },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    });
    let tool = Tool::new("json_schema_2020_12_tool", Schema::new(&schema)?)
        .with_description("Takes arguments by a schema with definitions, references and conditions.");
    server.registry().tools().insert(tool, echo)?.keep();
    Ok(server)
}

async fn echo(call: Call, _: Cx) -> Result<CallToolResult> {
    let arguments: Value = call.arguments()?;
    Ok(CallToolResult::text(format!("JSON Schema 2020-12 tool called with: {arguments}")))
}
