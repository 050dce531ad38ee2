//! What each scenario does.

use anyhow::{Context, Result, bail};
use jackfield::client::{Client, ErrorKind};
use jackfield::protocol::{ElicitFormParams, JsonObject, PrimitiveSchema};
use jackfield::{ElicitAction, ElicitResult, ErrorObject, Value, json};

/// Plays a scenario.
pub(crate) async fn play(client: &Client, scenario: &str) -> Result<()> {
    match scenario {
        // To connect is all.
        "initialize" => {}
        // The server has nothing to offer; a second request shows that it goes on as it began.
        "request-metadata" => client.ping().await?,
        "json-schema-ref-no-deref" => {
            client.tools().all().await?;
        }
        "tools_call" => {
            client.tools().all().await?;
            client.call("add_numbers", json!({"a": 5, "b": 3})).await?;
        }
        "elicitation-sep1034-client-defaults" => {
            client.call("test_client_elicitation_defaults", ()).await?;
        }
        "sse-retry" => {
            client.call("test_reconnection", ()).await?;
        }
        "sep-2322-client-request-state" => call_all(client, MRTR).await?,
        "http-standard-headers" => use_everything(client).await?,
        "http-custom-headers" => make_given_calls(client).await?,
        "http-invalid-tool-headers" => call_what_is_left(client).await?,
        "json-schema-2020-12-preservation" => echo_schema(client).await?,
        other if other.starts_with("auth/") => call_all(client, &["test-tool"]).await?,
        "sep-2640-client-no-prefetch" => {
            client.skills().await?;
        }
        other if other.starts_with("sep-2640-client-verify-") => refuse_skill(client).await?,
        other => bail!("the scenario {other:?} is not known"),
    }
    Ok(())
}

const MRTR: &[&str] =
    &["test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"];

/// Accepts a form: what has a default gets it, a yes-or-no question gets a yes.
pub(crate) async fn answer_form(form: ElicitFormParams) -> Result<ElicitResult, ErrorObject> {
    let fields = form.requested_schema.properties.into_iter();
    let content = fields.filter_map(|(name, field)| {
        let yes = matches!(field, PrimitiveSchema::Boolean(_)).then_some(Value::from(true));
        Some((name, field.default_value().or(yes)?))
    });
    Ok(ElicitResult::new(ElicitAction::Accept).with_content(content.collect::<JsonObject>()))
}

async fn call_all(client: &Client, tools: &[&str]) -> Result<()> {
    client.tools().all().await?;
    for tool in tools {
        client.call(*tool, ()).await.with_context(|| format!("calling {tool}"))?;
    }
    Ok(())
}

/// Uses everything the server has, with the arguments that it asks for.
async fn use_everything(client: &Client) -> Result<()> {
    for tool in client.tools().all().await? {
        client.call(tool.name.clone(), arguments(&tool.input_schema.to_value())).await?;
    }
    for resource in client.resources().all().await? {
        client.read(resource.uri.clone()).await?;
    }
    for prompt in client.prompts().all().await? {
        let names = prompt.arguments.iter().flatten().map(|argument| (argument.name.clone(), "x"));
        client.prompt(prompt.name.clone(), names).await?;
    }
    Ok(())
}

/// Makes up arguments for a tool.
fn arguments(schema: &Value) -> Value {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let values = properties.map(|(name, property)| {
        let value = match property["type"].as_str() {
            Some("string") => json!("x"),
            Some("boolean") => json!(true),
            Some("array") => json!([]),
            Some("object") => json!({}),
            _ => json!(1),
        };
        (name.clone(), value)
    });
    Value::Object(values.collect())
}

async fn make_given_calls(client: &Client) -> Result<()> {
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").context("the scenario has no context")?;
    let context: Value = context.parse()?;
    client.tools().all().await?;
    for call in context["toolCalls"].as_array().context("the context names no calls")? {
        let name = call["name"].as_str().context("a call has no name")?;
        client.call(name, &call["arguments"]).await?;
    }
    Ok(())
}

async fn call_what_is_left(client: &Client) -> Result<()> {
    for tool in client.tools().all().await? {
        client.call(tool.name.clone(), arguments(&tool.input_schema.to_value())).await?;
    }
    Ok(())
}

async fn echo_schema(client: &Client) -> Result<()> {
    let tools = client.tools().all().await?;
    let tool = tools.iter().find(|tool| tool.name == "json_schema_2020_12_tool").context("the tool is missing")?;
    client.call("json_schema_echo", json!({"schema": tool.input_schema})).await?;
    Ok(())
}

/// Loads a skill that is not what was listed; the client notices, and reads no more of it.
async fn refuse_skill(client: &Client) -> Result<()> {
    let skills = client.skills().await?;
    let skill = skills.into_iter().find(|skill| skill.name() == "pdf-processing").context("the skill is missing")?;
    match client.load_skill(skill).await {
        Err(error) if error.kind() == ErrorKind::Output => Ok(()),
        Err(error) => Err(error.into()),
        Ok(_) => bail!("the skill was taken for what it is not"),
    }
}
