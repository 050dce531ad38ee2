//! Listen streams: the notices of change that a client asks for; since 2026-07-28.

use crate::{Meta, RequestId, meta::key};

options! {
    /// Which notices are wanted, or which will be sent.
    SubscriptionFilter {
        /// The list of tools changed.
        tools_list_changed: bool,
        /// The list of prompts changed.
        prompts_list_changed: bool,
        /// The list of resources changed.
        resources_list_changed: bool,
        /// One of these resources changed.
        resource_subscriptions: Vec<String>,
        /// One of these tasks changed (extension `io.modelcontextprotocol/tasks`).
        task_ids: Vec<String>,
    }
}

model! {
    /// The parameters of `subscriptions/listen`.
    ListenParams {
        /// Which notices are wanted.
        notifications: SubscriptionFilter,
        ;
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

model! {
    /// The parameters of `notifications/subscriptions/acknowledged`, the first message of a listen stream.
    SubscriptionsAcknowledgedParams {
        /// Which notices will be sent.
        notifications: SubscriptionFilter,
        ;
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

options! {
    /// The answer to `subscriptions/listen`: the stream ends.
    ListenResult {
        /// Holds the id of the listen request under [`key::SUBSCRIPTION_ID`].
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

impl ListenResult {
    /// Ends the stream that the request `id` opened.
    #[must_use]
    pub fn new(id: &RequestId) -> Self {
        let id = serde_json::to_value(id).unwrap_or_default();
        Self { meta: Some(Meta::new().with(key::SUBSCRIPTION_ID, id)) }
    }
}
