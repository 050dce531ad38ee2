//! Log messages of a handler to its client.

use jackfield_peer::redacted;
use jackfield_protocol::{LoggingLevel, LoggingMessageParams, RawJson};
use serde::Serialize;

use super::Cx;
use crate::subscriptions::changes::encode;

impl Cx {
    /// Sends a log message to the client, if it wants messages of that level.
    ///
    /// In the modern era a request names the least level it wants, or wants none. In the legacy era the session has the level
    /// that `logging/setLevel` set, `info` before. Never put secrets into it: texts of members whose name says that they are secret,
    /// such as `password`, and bearer tokens are left out, but that is a safety net. When the client does not read, or gets more than
    /// the [limits](jackfield_peer::CallLimits::log_messages) allow, messages are dropped rather than kept.
    pub fn log(&self, level: LoggingLevel, logger: Option<&str>, data: impl Serialize) {
        if !self.wants_log(level) {
            return;
        }
        let incoming = &self.call().incoming;
        if !self.call().outer.admits_log_of(&incoming.caller, incoming.session.as_ref()) {
            return;
        }
        let Some(mut params) = log_params(level, logger, data) else { return };
        params.meta = self.task().and_then(|task| task.related());
        let message = encode(params.into(), self.revision());
        if !message.is_empty() && !incoming.outlet.try_notify(incoming.key, message) {
            tracing::debug!(level = level.as_str(), "a log message was dropped: the client does not read");
        }
    }

    /// Whether a log message of that level would be sent.
    #[must_use]
    pub fn wants_log(&self, level: LoggingLevel) -> bool {
        let is_heard = self.task().is_none_or(|task| task.has_notices());
        if self.call().progress.has_ended() || !self.call().outer.logs() || !is_heard {
            return false;
        }
        if !self.revision().has_log_level_request() {
            return self.caller().log_level.is_some_and(|least| level >= least);
        }
        self.session().is_some_and(|session| level >= session.log_level().unwrap_or(LoggingLevel::Info))
    }

    /// Logs details for whoever looks for a fault.
    pub fn debug(&self, data: impl Serialize) {
        self.log(LoggingLevel::Debug, None, data);
    }

    /// Logs that something ordinary happened.
    pub fn info(&self, data: impl Serialize) {
        self.log(LoggingLevel::Info, None, data);
    }

    /// Logs that something ordinary but noteworthy happened.
    pub fn notice(&self, data: impl Serialize) {
        self.log(LoggingLevel::Notice, None, data);
    }

    /// Logs that something may be wrong.
    pub fn warning(&self, data: impl Serialize) {
        self.log(LoggingLevel::Warning, None, data);
    }

    /// Logs that something failed.
    pub fn error(&self, data: impl Serialize) {
        self.log(LoggingLevel::Error, None, data);
    }

    /// Logs that a part is broken.
    pub fn critical(&self, data: impl Serialize) {
        self.log(LoggingLevel::Critical, None, data);
    }

    /// Logs that someone must act at once.
    pub fn alert(&self, data: impl Serialize) {
        self.log(LoggingLevel::Alert, None, data);
    }

    /// Logs that nothing works.
    pub fn emergency(&self, data: impl Serialize) {
        self.log(LoggingLevel::Emergency, None, data);
    }
}

/// Makes a log message, without secrets; none if the data is not JSON.
pub(super) fn log_params(
    level: LoggingLevel,
    logger: Option<&str>,
    data: impl Serialize,
) -> Option<LoggingMessageParams> {
    let data = RawJson::new(&data).ok()?;
    let mut params = LoggingMessageParams::new(level, redacted(&data).unwrap_or(data));
    params.logger = logger.map(str::to_owned);
    Some(params)
}
