//! Questions that are requests to the client: those of the legacy era.

use std::sync::Arc;
use std::time::Duration;

use jackfield_peer::{Outlet, Session};
use jackfield_protocol::{InputRequest, RawJson};
use serde::Serialize;

use super::{QuestionError, check};

/// How long a client may take from the handshake until it can be asked.
pub(crate) const READY_LIMIT: Duration = Duration::from_secs(30);

/// Asks a question.
pub(super) async fn ask(
    session: &Session,
    outlet: &Arc<dyn Outlet>,
    question: InputRequest,
) -> Result<RawJson, QuestionError> {
    let (method, params) = check::request(question, session.caller().revision, None);
    exchange(session, outlet, method.name(), params).await
}

/// Sends any request.
pub(super) async fn send(
    session: &Session,
    outlet: &Arc<dyn Outlet>,
    method: &'static str,
    params: &impl Serialize,
) -> Result<RawJson, QuestionError> {
    let bad =
        |error: serde_json::Error| QuestionError::BadQuestion { key: method.to_owned(), problem: error.to_string() };
    exchange(session, outlet, method, serde_json::to_vec(params).map_err(bad)?).await
}

async fn exchange(
    session: &Session,
    outlet: &Arc<dyn Outlet>,
    method: &'static str,
    params: Vec<u8>,
) -> Result<RawJson, QuestionError> {
    if !session.ready(READY_LIMIT).await {
        return Err(QuestionError::TimedOut);
    }
    let answer = outlet.ask(method, params).await?;
    let bad = |problem: String| QuestionError::BadAnswer { key: method.to_owned(), problem };
    let text = String::from_utf8(answer.to_vec()).map_err(|error| bad(error.to_string()))?;
    RawJson::from_text(text).map_err(|error| bad(error.to_string()))
}
