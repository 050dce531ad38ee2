//! Tools that ask the client.

use jackfield::protocol::SamplingMessage;
use jackfield::protocol::{
    BooleanSchema, Choices, CreateMessageParams, ElicitSchema, MultiSelectSchema, NumberSchema, SingleSelectSchema,
    StringSchema,
};
use jackfield::server::QuestionError;
use jackfield::{Cx, Elicited, Server, Value, tool, tools};

pub(crate) fn add(server: Server) -> Server {
    server.tools(tools![
        test_sampling,
        test_elicitation,
        test_elicitation_sep1034_defaults,
        test_elicitation_sep1330_enums
    ])
}

/// Asks the client's model.
#[tool]
async fn test_sampling(
    /** What to ask. */
    prompt: String,
    cx: &Cx,
) -> Result<String, QuestionError> {
    let answer = cx.sample("sampling", question(prompt)).await?;
    Ok(format!("LLM response: {}", said(&answer.content)))
}

/// Makes a question to a model.
pub(crate) fn question(text: impl Into<String>) -> CreateMessageParams {
    CreateMessageParams::new(vec![SamplingMessage::user(text.into())], 100)
}

/// Returns the texts of a model's answer.
pub(crate) fn said(content: &jackfield::protocol::SamplingContent) -> String {
    let texts = content.blocks().iter().filter_map(|block| match block {
        jackfield::protocol::SamplingContentBlock::Text(text) => Some(&*text.text),
        _ => None,
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// Asks the person for a name and an address.
#[tool]
async fn test_elicitation(
    /** What to tell the person. */
    message: String,
    cx: &Cx,
) -> Result<String, QuestionError> {
    let form = ElicitSchema::new()
        .with_required("username", StringSchema::default().with_description("User's response"))
        .with_required("email", StringSchema::default().with_description("User's email address"));
    ask(cx, &message, form, "User response").await
}

/// Asks the person with a form whose fields are filled in already.
#[tool]
async fn test_elicitation_sep1034_defaults(cx: &Cx) -> Result<String, QuestionError> {
    let status = SingleSelectSchema::new(Choices::plain(["active", "inactive", "pending"])).with_default("active");
    let form = ElicitSchema::new()
        .with_optional("name", StringSchema::default().with_default("John Doe"))
        .with_optional("age", NumberSchema::integer().with_default(30))
        .with_optional("score", NumberSchema::default().with_default(95.5))
        .with_optional("status", status)
        .with_optional("verified", BooleanSchema::default().with_default(true));
    ask(cx, "Please review and update the form fields with defaults", form, "Elicitation completed").await
}

/// Asks the person with a form that has every kind of choice.
#[tool]
async fn test_elicitation_sep1330_enums(cx: &Cx) -> Result<String, QuestionError> {
    let plain = || Choices::plain(["option1", "option2", "option3"]);
    let titled =
        || Choices::titled([("value1", "First Option"), ("value2", "Second Option"), ("value3", "Third Option")]);
    let named = Choices::Named(
        ["opt1", "opt2", "opt3"].map(String::from).to_vec(),
        ["Option One", "Option Two", "Option Three"].map(String::from).to_vec(),
    );
    let form = ElicitSchema::new()
        .with_optional("untitledSingle", SingleSelectSchema::new(plain()))
        .with_optional("titledSingle", SingleSelectSchema::new(titled()))
        .with_optional("legacyEnum", SingleSelectSchema::new(named))
        .with_optional("untitledMulti", MultiSelectSchema::new(plain()))
        .with_optional("titledMulti", MultiSelectSchema::new(titled()));
    ask(cx, "Please select options from the enum fields", form, "Elicitation completed").await
}

async fn ask(cx: &Cx, message: &str, form: ElicitSchema, done: &str) -> Result<String, QuestionError> {
    Ok(match cx.elicit_form("form", message, form).await? {
        Elicited::Accepted(answer) => format!("{done}: action=accept, content={}", Value::Object(answer)),
        Elicited::Declined => format!("{done}: action=decline"),
        Elicited::Cancelled => format!("{done}: action=cancel"),
    })
}
