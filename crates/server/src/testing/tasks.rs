//! A test client that has its calls run as tasks.

use std::time::Duration;

use jackfield_protocol::{CallToolResult, CreateTaskResult, DetailedTask, ErrorObject, TaskState, TaskSupport};
use serde_json::{Value, json};

use super::TestClient;
use super::client::{read, value};

/// How long it waits between two looks. It is in the same process, so it need not be polite.
const LOOK: Duration = Duration::from_millis(5);

impl TestClient {
    /// Takes tasks as answers, and asks for them where the client decides: tools that support it are called as tasks and followed to their
    /// end, with their questions. Without it the client knows nothing of tasks.
    #[must_use]
    pub fn with_tasks(mut self) -> Self {
        self.tasks = true;
        self
    }

    /// Calls a tool as a task of 2025-11-25, if it is one that supports it. Its questions come while the result is waited for.
    pub(super) async fn call_as_task(&self, params: &Value) -> Result<Option<CallToolResult>, ErrorObject> {
        if !self.tasks || !self.revision().has_core_tasks() {
            return Ok(None);
        }
        let tools = self.list_tools().await?;
        let called = tools.iter().find(|tool| params["name"] == tool.name.as_str());
        let support = called.and_then(|tool| tool.execution.as_ref()?.task_support);
        if !matches!(support, Some(TaskSupport::Optional | TaskSupport::Required)) {
            return Ok(None);
        }
        let mut params = params.clone();
        params["task"] = json!({});
        let created: CreateTaskResult = read(self.request("tools/call", params).await?)?;
        let result = self.request("tasks/result", json!({ "taskId": created.task.task_id })).await?;
        read(result).map(Some)
    }

    /// Follows a task of the extension to its end.
    pub(super) async fn follow(&self, task: &Value) -> Result<Value, ErrorObject> {
        let id = json!({ "taskId": task["taskId"] });
        let mut answered = std::collections::BTreeSet::new();
        let following = async {
            loop {
                let task: DetailedTask = read(self.request("tasks/get", id.clone()).await?)?;
                match task.state {
                    TaskState::Completed(result) => return Ok(result.to_value()),
                    TaskState::Failed(error) => return Err(error),
                    TaskState::Cancelled => return Err(ErrorObject::internal("the task was cancelled")),
                    TaskState::InputRequired(mut questions) => {
                        questions.retain(|key, _| answered.insert(key.clone()));
                        if !questions.is_empty() {
                            let answers = self.answers.questions(questions)?;
                            let update = json!({ "taskId": task.task_id, "inputResponses": value(answers)? });
                            self.request("tasks/update", update).await?;
                        }
                    }
                    _ => {}
                }
                tokio::time::sleep(LOOK).await;
            }
        };
        super::client::in_time(following).await
    }
}
