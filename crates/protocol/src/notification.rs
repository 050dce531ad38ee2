//! Notifications of both directions, as values that can be read and written.

use crate::encode::{Added, NotInRevision, value_into};
use crate::request::{check_method, messages};
use crate::*;

messages! {
    /// A notification of either side.
    Notification {
        /// The client is ready.
        Initialized(EmptyParams),
        /// A request is no longer wanted.
        Cancelled(CancelledParams),
        /// How far a request is.
        Progress(ProgressParams),
        /// A log message.
        LogMessage(LoggingMessageParams),
        /// The list of tools changed.
        ToolListChanged(EmptyParams),
        /// The list of prompts changed.
        PromptListChanged(EmptyParams),
        /// The list of resources changed.
        ResourceListChanged(EmptyParams),
        /// A resource changed.
        ResourceUpdated(ResourceUpdatedParams),
        /// A listen stream begins.
        SubscriptionsAcknowledged(SubscriptionsAcknowledgedParams),
        /// The list of roots changed.
        RootsListChanged(EmptyParams),
        /// A URL elicitation is complete.
        ElicitationComplete(ElicitationCompleteParams),
        /// A task's state changed (2025-11-25).
        TaskStatus(Box<Task>),
        /// A task's state changed (extension).
        TaskChanged(Box<DetailedTask>),
    }
}

macro_rules! notifications_from {
    ($( $type:ty => $variant:ident, )+) => { $(
        impl From<$type> for Notification {
            fn from(params: $type) -> Self {
                Self::$variant(params.into())
            }
        }
    )+ };
}

notifications_from! {
    CancelledParams => Cancelled,
    ProgressParams => Progress,
    LoggingMessageParams => LogMessage,
    ResourceUpdatedParams => ResourceUpdated,
    SubscriptionsAcknowledgedParams => SubscriptionsAcknowledged,
    ElicitationCompleteParams => ElicitationComplete,
    Task => TaskStatus,
    DetailedTask => TaskChanged,
}

/// Appends a notification, adapted to `revision`.
///
/// # Errors
///
/// Fails, and writes nothing, if the revision has no such notification. `notifications/cancelled` may be without
/// `requestId` only in 2025-11-25.
pub fn write_notification(
    out: &mut Vec<u8>,
    notification: Notification,
    revision: Revision,
) -> Result<(), NotInRevision> {
    check_method(notification.method(), revision)?;
    if matches!(&notification, Notification::Cancelled(params) if params.request_id.is_none())
        && !revision.has_core_tasks()
    {
        return Err(NotInRevision::new("notifications/cancelled without requestId", revision));
    }
    out.extend_from_slice(br#"{"jsonrpc":"2.0","method":"#);
    value_into(out, notification.method_name());
    notification.params_into(out, revision, &Added::Nothing);
    out.push(b'}');
    Ok(())
}
