//! Tools that end with questions and go on with the answers, by the framework or by hand.

use jackfield::protocol::InputRequired;
use jackfield::protocol::{
    BooleanSchema, ElicitParams, ElicitSchema, InputRequest, InputResponses, ListRootsParams, StringSchema,
};
use jackfield::server::{ProtocolError, QuestionError};
use jackfield::{CallToolResult, Cx, ElicitResult, Error, Form, JsonSchema, Outcome, Server, tool, tools};
use serde::Deserialize;

use crate::questions::{question, said};

pub(crate) fn add(server: Server) -> Server {
    server.tools(tools![
        test_input_required_result_elicitation,
        test_input_required_result_sampling,
        test_input_required_result_list_roots,
        test_input_required_result_request_state,
        test_input_required_result_multiple_inputs,
        test_input_required_result_multi_round,
        test_input_required_result_tampered_state,
        test_input_required_result_capabilities
    ])
}

#[derive(Deserialize, JsonSchema, Form)]
struct Name {
    name: String,
}

#[derive(Deserialize, JsonSchema, Form)]
struct Color {
    color: String,
}

#[derive(Deserialize, JsonSchema, Form)]
struct Agreement {
    ok: bool,
}

/// Asks for a name, without any state between the rounds.
///
/// This is the low-level way. There is nothing to protect here, so an answer is taken from whoever brings it.
#[tool]
fn test_input_required_result_elicitation(cx: &Cx) -> Result<Outcome<CallToolResult>, ProtocolError> {
    const KEY: &str = "user_name";
    let answers: Option<InputResponses> = cx.params().member("inputResponses")?;
    let answer = answers.as_ref().and_then(|answers| answers.0.get(KEY));
    let Some(answer) = answer else {
        let form = ElicitSchema::new().with_required("name", StringSchema::default());
        return Ok(Outcome::InputRequired(InputRequired::one(KEY, ElicitParams::form("What is your name?", form))));
    };
    let invalid = |problem: &dyn std::fmt::Display| ProtocolError::invalid_params(format!("`{KEY}`: {problem}"));
    let answer: ElicitResult = answer.read().map_err(|error| invalid(&error))?;
    let text = match answer.content.as_ref().and_then(|content| content.get("name")?.as_str()) {
        Some(name) => format!("Hello, {name}!"),
        None => "Hello, whoever you are!".to_owned(),
    };
    Ok(Outcome::Complete(CallToolResult::text(text)))
}

/// Asks the client's model.
#[tool]
async fn test_input_required_result_sampling(cx: &Cx) -> Result<String, QuestionError> {
    let answer = cx.sample("capital_question", question("What is the capital of France?")).await?;
    Ok(format!("The model said: {}", said(&answer.content)))
}

/// Asks for the client's roots.
#[tool]
async fn test_input_required_result_list_roots(cx: &Cx) -> Result<String, QuestionError> {
    let roots = cx.roots().await?;
    Ok(format!("The client has {} root(s)", roots.len()))
}

/// Asks for an agreement; what was done before comes back in the state.
#[tool]
async fn test_input_required_result_request_state(cx: &Cx) -> Result<String, QuestionError> {
    let begun = cx.step("begun", async { "state-ok".to_owned() }).await;
    let agreed = cx.elicit::<Agreement>("confirm", "Please confirm").await?.accepted();
    Ok(format!("{begun}, confirmed: {}", agreed.is_some_and(|agreed| agreed.ok)))
}

/// Asks the person, the model and for roots at once.
#[tool]
async fn test_input_required_result_multiple_inputs(cx: &Cx) -> Result<String, Error> {
    let form = ElicitSchema::new().with_required("name", StringSchema::default());
    let questions = [
        ("user_name", InputRequest::from(ElicitParams::form("What is your name?", form))),
        ("greeting", question("Generate a greeting").into()),
        ("client_roots", InputRequest::ListRoots(ListRootsParams::default())),
    ];
    let answers = cx.ask_all(questions).await?;
    let name = answers.form::<Name>("user_name")?.accepted().map_or_else(|| "nobody".to_owned(), |answer| answer.name);
    let greeting = answers.sample("greeting")?;
    Ok(format!("{name}: {} ({} root(s))", said(&greeting.content), answers.roots("client_roots")?.len()))
}

/// Asks two questions, one after the other.
#[tool]
async fn test_input_required_result_multi_round(cx: &Cx) -> Result<String, QuestionError> {
    let name = cx.elicit::<Name>("step1", "Step 1: What is your name?").await?.accepted();
    let color = cx.elicit::<Color>("step2", "Step 2: What is your favorite color?").await?.accepted();
    let name = name.map_or_else(|| "Somebody".to_owned(), |answer| answer.name);
    Ok(format!("{name} likes {}", color.map_or_else(|| "no color".to_owned(), |answer| answer.color)))
}

/// Asks for an agreement; a state that was changed on the way is refused.
#[tool]
async fn test_input_required_result_tampered_state(cx: &Cx) -> Result<String, QuestionError> {
    let agreed = cx.elicit::<Agreement>("confirm", "Please confirm").await?.accepted();
    Ok(format!("confirmed: {}", agreed.is_some_and(|agreed| agreed.ok)))
}

/// Asks whatever the client can answer.
#[tool]
async fn test_input_required_result_capabilities(cx: &Cx) -> Result<String, Error> {
    let mut questions = Vec::new();
    if cx.can_elicit() {
        let form = ElicitSchema::new().with_required("ok", BooleanSchema::default());
        questions.push(("confirm", ElicitParams::form("Please confirm", form).into()));
    }
    if cx.can_sample() {
        questions.push(("thought", question("What do you think?").into()));
    }
    let asked = questions.len();
    cx.ask_all(questions).await?;
    Ok(format!("{asked} question(s) answered"))
}
