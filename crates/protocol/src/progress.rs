//! Notices about a request on its way: how far it is, and that it is no longer wanted.

use crate::{Meta, ProgressToken, RequestId};

model! {
    /// The parameters of `notifications/progress`.
    ProgressParams {
        /// The request's token.
        progress_token: ProgressToken,
        /// How much is done; it grows with each notice.
        #[serde(with = "crate::number::fraction")]
        progress: f64,
        ;
        /// How much there is to do.
        #[serde(with = "crate::number::optional_fraction")]
        total: f64,
        /// What is going on; since 2025-03-26.
        message: String,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

setters!(ProgressParams { with_total => total: f64, with_message => message: String, with_meta => meta: Meta, });

options! {
    /// The parameters of `notifications/cancelled`.
    CancelledParams {
        /// The request that is no longer wanted; required by every revision but 2025-11-25.
        request_id: RequestId,
        /// Why.
        reason: String,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

impl CancelledParams {
    /// Says that a request is no longer wanted.
    pub fn new(request_id: impl Into<RequestId>) -> Self {
        Self { request_id: Some(request_id.into()), ..Self::default() }
    }
}

setters!(CancelledParams { with_reason => reason: String, with_meta => meta: Meta, });
