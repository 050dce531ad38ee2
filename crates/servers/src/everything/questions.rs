//! Tools that ask the client: for a form, for an answer of its model.

use jackfield::protocol::{
    BooleanSchema, Choices, ContentBlock, CreateMessageParams, ElicitAction, ElicitParams, ElicitResult, ElicitSchema,
    MultiSelectSchema, NumberSchema, SamplingMessage, SingleSelectSchema, StringFormat, StringSchema,
};
use jackfield::{Cx, Error, RawJson, tool};
use serde_json::{Map, Value};

use super::ordered::Ordered;

/// One field of every kind.
#[expect(clippy::approx_constant, reason = "the default of the field is this number, not the constant")]
pub(super) fn form() -> ElicitSchema {
    let text = |title: &str, description: &str| StringSchema::default().with_title(title).with_description(description);
    let one_of = |title: &str, choices| SingleSelectSchema::new(choices).with_title(title);
    let some_of = |title: &str, choices| MultiSelectSchema::new(choices).with_title(title).with_items(1, 3);
    let number = NumberSchema::default().with_minimum(0).with_maximum(1000).with_default(3.14);
    let integer = NumberSchema::integer().with_minimum(1).with_maximum(100).with_default(42);
    let sizes = Choices::Named(
        ["size-s", "size-m", "size-l"].map(String::from).to_vec(),
        ["Small", "Medium", "Large"].map(String::from).to_vec(),
    );
    ElicitSchema::default()
        .with_required("name", text("String", "How you want to be called"))
        .with_optional("check", BooleanSchema::default().with_title("Boolean").with_description("Whether you agree"))
        .with_optional(
            "firstLine",
            text("String with default", "How your story begins").with_default("Once upon a time"),
        )
        .with_optional("email", text("String with email format", "Where to write to").with_format(StringFormat::Email))
        .with_optional(
            "homepage",
            text("String with uri format", "Where to read about you").with_format(StringFormat::Uri),
        )
        .with_optional(
            "birthdate",
            text("String with date format", "When you were born").with_format(StringFormat::Date),
        )
        .with_optional("integer", integer.with_title("Integer").with_description("A whole number you like"))
        .with_optional("number", number.with_title("Number in range 0-1000").with_description("A number you like"))
        .with_optional(
            "untitledSingleSelectEnum",
            one_of("Untitled Single Select Enum", Choices::plain(["Red", "Green", "Blue"])).with_default("Red"),
        )
        .with_optional(
            "titledSingleSelectEnum",
            one_of("Titled Single Select Enum", Choices::titled([("key-c", "C major"), ("key-g", "G major")]))
                .with_default("key-c"),
        )
        .with_optional(
            "untitledMultipleSelectEnum",
            some_of("Untitled Multiple Select Enum", Choices::plain(["Strings", "Winds", "Percussion"]))
                .with_default(vec!["Strings".to_owned()]),
        )
        .with_optional(
            "titledMultipleSelectEnum",
            some_of(
                "Titled Multiple Select Enum",
                Choices::titled([("jack-1", "Microphone"), ("jack-2", "Line in"), ("jack-3", "Line out")]),
            )
            .with_default(vec!["jack-1".to_owned()]),
        )
        .with_optional("legacyTitledEnum", one_of("Legacy Titled Enum", sizes).with_default("size-s"))
}

/// Ask the user to fill in a form with one field of every kind.
#[tool(
    name = "trigger-elicitation-request",
    title = "Trigger Elicitation Request Tool",
    read_only = false,
    destructive = false,
    idempotent = false,
    open_world = false
)]
pub(super) async fn trigger_elicitation_request(cx: &Cx) -> Result<Vec<ContentBlock>, Error> {
    let question = ElicitParams::form("Please provide inputs for the following fields:", form());
    // The answer is shown as it came: those who build clients want to see what theirs sends.
    let raw = cx.ask_question("form", question.into()).await?;
    let answer: ElicitResult = raw.read()?;
    let mut blocks = match answer.action {
        ElicitAction::Accept => {
            let content = answer.content.unwrap_or_default();
            vec![
                ContentBlock::text("✅ User provided the requested information!"),
                ContentBlock::text(format!("User inputs:\n{}", inputs(&content).join("\n"))),
            ]
        }
        ElicitAction::Decline => vec![ContentBlock::text("❌ User declined to provide the requested information.")],
        _ => vec![ContentBlock::text("⚠️ User cancelled the elicitation dialog.")],
    };
    blocks.push(raw_result(&raw));
    Ok(blocks)
}

fn inputs(content: &Map<String, Value>) -> Vec<String> {
    [
        ("name", "Name"),
        ("check", "Agreed to terms"),
        ("email", "Email"),
        ("homepage", "Homepage"),
        ("birthdate", "Birthdate"),
        ("integer", "Favorite Integer"),
        ("number", "Favorite Number"),
    ]
    .into_iter()
    .filter_map(|(key, label)| match content.get(key)? {
        Value::String(text) => Some(format!("- {label}: {text}")),
        other => Some(format!("- {label}: {other}")),
    })
    .collect()
}

/// Shows an answer as the client gave it.
pub(super) fn raw_result(answer: &RawJson) -> ContentBlock {
    let answer = Ordered::read(answer.get()).beginning_with(&["_meta", "action", "content"]);
    ContentBlock::text(format!("\nRaw result: {}", answer.pretty()))
}

/// Ask the client's model.
#[tool(
    name = "trigger-sampling-request",
    title = "Trigger Sampling Request Tool",
    read_only = false,
    destructive = false,
    idempotent = false,
    open_world
)]
pub(super) async fn trigger_sampling_request(
    /** What to ask. */
    prompt: String,
    /** How long the answer may be. */
    #[arg(rename = "maxTokens")]
    #[default(100.0)]
    max_tokens: f64,
    cx: &Cx,
) -> Result<String, Error> {
    let mut params = to_sample("trigger-sampling-request", &prompt, max_tokens);
    params.temperature = Some(0.7);
    let answer = cx.sample("sample", params).await?;
    let answer = Ordered::read(&serde_json::to_string(&answer)?);
    // The order in which the original's library reads the members.
    let answer = answer.beginning_with(&["_meta", "model", "stopReason", "role", "content"]);
    Ok(format!("LLM sampling result: \n{}", answer.pretty()))
}

/// What the client's model is asked on behalf of a tool.
pub(super) fn to_sample(tool: &str, prompt: &str, max_tokens: f64) -> CreateMessageParams {
    let message = SamplingMessage::user(format!("Resource {tool} context: {prompt}"));
    let mut params = CreateMessageParams::new(vec![message], max_tokens as u64);
    params.system_prompt = Some("You are a helpful test server.".to_owned());
    params
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_shown_in_the_order_in_which_the_client_wrote_it() {
        let answer =
            RawJson::from_text(r#"{"content":{"name":"Ada","check":true,"integer":7},"action":"accept"}"#).unwrap();
        let wanted = "\nRaw result: {\n  \"action\": \"accept\",\n  \"content\": {\n    \"name\": \"Ada\",\n    \"check\": true,\n    \"integer\": 7\n  }\n}";
        assert_eq!(raw_result(&answer).as_text(), Some(wanted));
    }
}
