//! The tools of the tasks extension: one that never is a task, and those that end, ask and fail as one.

use std::time::Duration;

use jackfield::protocol::{ElicitParams, ElicitSchema, InputRequest, PrimitiveSchema, StringSchema};
use jackfield::server::ProtocolError;
use jackfield::{Cx, Elicited, Error, ErrorObject, Form, JsonSchema, Result, Server, Tasks, tool, tools};
use serde::Deserialize;

pub(crate) fn add(server: Server) -> Server {
    server
        .tools(tools![
            greet,
            slow_compute,
            failing_job,
            protocol_error_job,
            confirm_delete,
            multi_input,
            test_tool_with_task
        ])
        .tasks(Tasks::new().poll_interval(Duration::from_millis(200)))
}

/// Greets somebody, at once.
#[tool]
fn greet(name: String) -> String {
    format!("Hello, {name}!")
}

/// Computes for some seconds.
#[tool(task)]
async fn slow_compute(seconds: f64, label: Option<String>) -> Result<String> {
    tokio::time::sleep(Duration::try_from_secs_f64(seconds)?).await;
    Ok(format!("{} is computed", label.as_deref().unwrap_or("it")))
}

/// Fails after a second, in its own terms.
#[tool(task = "required")]
async fn failing_job() -> Result<String> {
    tokio::time::sleep(Duration::from_secs(1)).await;
    Err(Error::new("the job failed, as it always does"))
}

/// Ends with an error of the protocol.
#[tool(task)]
async fn protocol_error_job() -> Result<String, ProtocolError> {
    tokio::time::sleep(Duration::from_millis(200)).await;
    Err(ProtocolError(ErrorObject::internal("the job broke, as it always does")))
}

#[derive(Deserialize, JsonSchema, Form)]
struct Confirmation {
    confirm: bool,
}

/// Deletes a file, if the person agrees.
#[tool(task)]
async fn confirm_delete(filename: String, cx: &Cx) -> Result<String> {
    let question = format!("Delete {filename}?");
    Ok(match cx.elicit::<Confirmation>("confirm", &question).await? {
        Elicited::Accepted(Confirmation { confirm: true }) => format!("{filename} is deleted"),
        _ => format!("{filename} is still there"),
    })
}

/// Asks for two things at the same time.
#[tool(task)]
async fn multi_input(cx: &Cx) -> Result<String> {
    let form = |name: &str| {
        let mut form = ElicitSchema::default();
        form.properties.push((name.to_owned(), PrimitiveSchema::from(StringSchema::default())));
        InputRequest::from(ElicitParams::form(format!("What is the {name}?"), form))
    };
    let answers = cx.ask_all([("first", form("first")), ("second", form("second"))]).await?;
    let said = |key| answers.form_content(key).map(Elicited::accepted);
    Ok(format!("first: {:?}, second: {:?}", said("first")?, said("second")?))
}

#[derive(Deserialize, JsonSchema, Form)]
struct UserName {
    name: String,
}

/// Asks for a name in the call, and greets in a task.
#[tool(task = "required", becomes_task)]
async fn test_tool_with_task(cx: &Cx) -> Result<String> {
    let answer = cx.elicit::<UserName>("user_name", "What is your name?").await?;
    cx.become_task().await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    Ok(match answer {
        Elicited::Accepted(user) => format!("Hello, {}, from a task!", user.name),
        _ => "Hello, stranger!".to_owned(),
    })
}
