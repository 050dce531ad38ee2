//! The wish of the other side that a request is given up.

use jackfield_protocol::RequestId;
use jackfield_protocol::envelope::Params;

/// What `notifications/cancelled` says: which request is not wanted any more, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cancellation {
    /// The request.
    pub request: RequestId,
    /// Why, in the words of the other side, as far as they are logged.
    pub reason: Option<String>,
}

/// How many characters of a reason are logged.
const LOGGED: usize = 200;

impl Cancellation {
    /// Reads the parameters of the notification; `None` if they name no request.
    #[must_use]
    pub fn read(params: &Params) -> Option<Self> {
        let request = params.get("requestId").and_then(RequestId::from_json)?;
        let reason = params.optional_string("reason").ok().flatten();
        Some(Self { request, reason: reason.map(|reason| reason.chars().take(LOGGED).collect()) })
    }

    /// Logs that the request is given up, with the reason, as the specification asks.
    pub fn log(&self) {
        tracing::debug!(id = %self.request, reason = self.reason.as_deref().unwrap_or_default(), "cancelled");
    }
}
