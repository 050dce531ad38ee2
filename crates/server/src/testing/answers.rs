//! How a test client answers the questions of a server.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use jackfield_protocol::{
    CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult, ErrorObject, InputRequest, InputResponses,
    ListRootsResult, Revision, Root,
};
use serde_json::{Map, Value, json};

type Answer<P, R> = Arc<dyn Fn(P) -> R + Send + Sync>;

/// How a test client answers the questions of a server. What it cannot answer, it does not declare.
#[derive(Clone, Default)]
pub(super) struct Answers {
    pub(super) elicit: Option<Answer<ElicitParams, ElicitResult>>,
    pub(super) sample: Option<Answer<CreateMessageParams, CreateMessageResult>>,
    pub(super) roots: Option<Vec<Root>>,
}

impl Answers {
    /// Returns the client's capabilities, in the words of a revision.
    pub(super) fn capabilities(&self, revision: Revision) -> Value {
        let mut capabilities = Map::new();
        if self.elicit.is_some() && revision.has_elicitation() {
            let modes = if revision.has_url_elicitation() { json!({ "form": {}, "url": {} }) } else { json!({}) };
            capabilities.insert("elicitation".to_owned(), modes);
        }
        if self.sample.is_some() {
            capabilities.insert("sampling".to_owned(), json!({}));
        }
        if self.roots.is_some() {
            capabilities.insert("roots".to_owned(), json!({}));
        }
        Value::Object(capabilities)
    }

    /// Answers a request of the legacy era.
    pub(super) fn request(&self, method: &str, params: Value) -> Result<Value, ErrorObject> {
        if method == "ping" {
            return Ok(json!({}));
        }
        let mut question = Map::new();
        question.insert("method".to_owned(), method.into());
        question.insert("params".to_owned(), params);
        let question =
            serde_json::from_value(Value::Object(question)).map_err(|_| ErrorObject::method_not_found(method))?;
        self.question(question)
    }

    /// Answers the questions of an `input_required` result.
    pub(super) fn questions(&self, questions: BTreeMap<String, InputRequest>) -> Result<InputResponses, ErrorObject> {
        let mut responses = InputResponses::new();
        for (key, question) in questions {
            responses.0.insert(key, self.question(question)?.into());
        }
        Ok(responses)
    }

    fn question(&self, question: InputRequest) -> Result<Value, ErrorObject> {
        let no = |what: &str| ErrorObject::method_not_found(what);
        let answer = match question {
            InputRequest::Elicit(params) => {
                serde_json::to_value(self.elicit.as_ref().ok_or_else(|| no("elicitation/create"))?(*params))
            }
            InputRequest::CreateMessage(params) => {
                serde_json::to_value(self.sample.as_ref().ok_or_else(|| no("sampling/createMessage"))?(*params))
            }
            InputRequest::ListRoots(_) => {
                let roots = self.roots.clone().ok_or_else(|| no("roots/list"))?;
                serde_json::to_value(ListRootsResult::new(roots))
            }
            _ => return Err(no("unknown question")),
        };
        answer.map_err(|error| ErrorObject::internal(error.to_string()))
    }
}

impl fmt::Debug for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answers")
            .field("elicit", &self.elicit.is_some())
            .field("sample", &self.sample.is_some())
            .field("roots", &self.roots)
            .finish()
    }
}
