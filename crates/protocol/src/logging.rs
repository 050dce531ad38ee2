//! Log messages from server to client.

use crate::{Meta, RawJson};

words! {
    /// How severe a log message is (the levels of RFC 5424), least first.
    LoggingLevel {
        /// Details for whoever looks for a fault.
        Debug = "debug",
        /// Something ordinary happened.
        Info = "info",
        /// Something ordinary but noteworthy happened.
        Notice = "notice",
        /// Something may be wrong.
        Warning = "warning",
        /// Something failed.
        Error = "error",
        /// A part is broken.
        Critical = "critical",
        /// Someone must act at once.
        Alert = "alert",
        /// Nothing works.
        Emergency = "emergency",
    }
}

model! {
    /// The parameters of `notifications/message`.
    LoggingMessageParams {
        /// How severe it is.
        level: LoggingLevel,
        /// What is said: any JSON value.
        data: RawJson,
        ;
        /// Which part says it.
        logger: String,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

setters!(LoggingMessageParams { with_logger => logger: String, with_meta => meta: Meta, });

model! {
    /// The parameters of `logging/setLevel`; until 2025-11-25.
    SetLevelParams {
        /// The least level that is wanted.
        level: LoggingLevel,
        ;
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}
