//! The method table: every request and notification, who sends it, and in which revisions it exists.

use crate::Revision::{self, V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

/// Who may send a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the client to the server.
    ToServer,
    /// From the server to the client.
    ToClient,
    /// Either way.
    Both,
}

/// Whether a method expects an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It has an id and is answered.
    Request,
    /// It has no id and is never answered.
    Notification,
}

/// One row of the method table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The method.
    pub method: Method,
    /// Its name on the wire.
    pub name: &'static str,
    /// Request or notification.
    pub kind: Kind,
    /// Who may send it.
    pub direction: Direction,
    /// The first revision that has it.
    pub first: Revision,
    /// The last revision that has it.
    pub last: Revision,
}

macro_rules! methods {
    ($( $(#[$doc:meta])* $variant:ident = $name:literal, $kind:ident, $direction:ident, $first:ident ..= $last:ident; )*) => {
        /// A method of the protocol.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Method {
            $( $(#[$doc])* $variant, )*
        }

        impl Method {
            /// The whole table, in the order of the variants.
            pub const TABLE: &'static [Row] = &[
                $( Row {
                    method: Method::$variant, name: $name, kind: Kind::$kind, direction: Direction::$direction,
                    first: $first, last: $last,
                }, )*
            ];

            /// Finds a method by its name on the wire.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::from_bytes(name.as_bytes())
            }

            /// Finds a method by the bytes of its name.
            #[expect(non_upper_case_globals, reason = "each is named like its method")]
            pub(crate) fn from_bytes(name: &[u8]) -> Option<Self> {
                $(
                    const $variant: &[u8] = $name.as_bytes();
                )*
                match name {
                    $( $variant => Some(Self::$variant), )*
                    _ => None,
                }
            }
        }
    };
}

methods! {
    /// Opens a legacy connection.
    Initialize = "initialize", Request, ToServer, V2024_11_05 ..= V2025_11_25;
    /// Asks whether the peer lives.
    Ping = "ping", Request, Both, V2024_11_05 ..= V2025_11_25;
    /// Asks for versions, capabilities and identity.
    Discover = "server/discover", Request, ToServer, V2026_07_28 ..= V2026_07_28;
    /// Calls a tool.
    CallTool = "tools/call", Request, ToServer, V2024_11_05 ..= V2026_07_28;
    /// Lists the tools.
    ListTools = "tools/list", Request, ToServer, V2024_11_05 ..= V2026_07_28;
    /// Lists the resources.
    ListResources = "resources/list", Request, ToServer, V2024_11_05 ..= V2026_07_28;
    /// Lists the resource templates.
    ListResourceTemplates = "resources/templates/list", Request, ToServer, V2024_11_05 ..= V2026_07_28;
    /// Reads a resource.
    ReadResource = "resources/read", Request, ToServer, V2024_11_05 ..= V2026_07_28;
    /// Asks for updates of a resource.
    Subscribe = "resources/subscribe", Request, ToServer, V2024_11_05 ..= V2025_11_25;
    /// Ends updates of a resource.
    Unsubscribe = "resources/unsubscribe", Request, ToServer, V2024_11_05 ..= V2025_11_25;
    /// Lists the prompts.
    ListPrompts = "prompts/list", Request, ToServer, V2024_11_05 ..= V2026_07_28;
    /// Gets a prompt.
    GetPrompt = "prompts/get", Request, ToServer, V2024_11_05 ..= V2026_07_28;
    /// Completes an argument.
    Complete = "completion/complete", Request, ToServer, V2024_11_05 ..= V2026_07_28;
    /// Sets the minimum log level.
    SetLevel = "logging/setLevel", Request, ToServer, V2024_11_05 ..= V2025_11_25;
    /// Opens a stream of change notices.
    Listen = "subscriptions/listen", Request, ToServer, V2026_07_28 ..= V2026_07_28;
    /// Asks the client's model.
    CreateMessage = "sampling/createMessage", Request, ToClient, V2024_11_05 ..= V2025_11_25;
    /// Lists the client's roots.
    ListRoots = "roots/list", Request, ToClient, V2024_11_05 ..= V2025_11_25;
    /// Asks the user.
    Elicit = "elicitation/create", Request, ToClient, V2025_06_18 ..= V2025_11_25;
    /// Asks for a task's state (2025-11-25: either way; later: extension, to the server).
    GetTask = "tasks/get", Request, Both, V2025_11_25 ..= V2026_07_28;
    /// Waits for a task's result.
    TaskResult = "tasks/result", Request, Both, V2025_11_25 ..= V2025_11_25;
    /// Lists tasks.
    ListTasks = "tasks/list", Request, Both, V2025_11_25 ..= V2025_11_25;
    /// Ends a task.
    CancelTask = "tasks/cancel", Request, Both, V2025_11_25 ..= V2026_07_28;
    /// Answers a task's questions (extension).
    UpdateTask = "tasks/update", Request, ToServer, V2026_07_28 ..= V2026_07_28;
    /// The client is ready.
    Initialized = "notifications/initialized", Notification, ToServer, V2024_11_05 ..= V2025_11_25;
    /// A request is no longer wanted.
    Cancelled = "notifications/cancelled", Notification, Both, V2024_11_05 ..= V2026_07_28;
    /// How far a request is.
    Progress = "notifications/progress", Notification, Both, V2024_11_05 ..= V2026_07_28;
    /// A log message.
    LogMessage = "notifications/message", Notification, ToClient, V2024_11_05 ..= V2026_07_28;
    /// The list of tools changed.
    ToolListChanged = "notifications/tools/list_changed", Notification, ToClient, V2024_11_05 ..= V2026_07_28;
    /// The list of prompts changed.
    PromptListChanged = "notifications/prompts/list_changed", Notification, ToClient, V2024_11_05 ..= V2026_07_28;
    /// The list of resources changed.
    ResourceListChanged = "notifications/resources/list_changed", Notification, ToClient, V2024_11_05 ..= V2026_07_28;
    /// A resource changed.
    ResourceUpdated = "notifications/resources/updated", Notification, ToClient, V2024_11_05 ..= V2026_07_28;
    /// A listen stream begins.
    SubscriptionsAcknowledged = "notifications/subscriptions/acknowledged", Notification, ToClient, V2026_07_28 ..= V2026_07_28;
    /// The list of roots changed.
    RootsListChanged = "notifications/roots/list_changed", Notification, ToServer, V2024_11_05 ..= V2025_11_25;
    /// A URL elicitation is complete.
    ElicitationComplete = "notifications/elicitation/complete", Notification, ToClient, V2025_11_25 ..= V2025_11_25;
    /// A task's state changed.
    TaskStatus = "notifications/tasks/status", Notification, Both, V2025_11_25 ..= V2025_11_25;
    /// A task's state changed (extension).
    TaskChanged = "notifications/tasks", Notification, ToClient, V2026_07_28 ..= V2026_07_28;
}

// The import keeps the table's columns short; every revision is named in it or will be.
const _: Revision = V2025_03_26;

impl Method {
    /// Returns the method's row of the table.
    #[must_use]
    pub fn row(self) -> &'static Row {
        &Self::TABLE[self as usize]
    }

    /// Returns the method's name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether the method exists in `revision`.
    #[must_use]
    pub fn is_defined(self, revision: Revision) -> bool {
        let row = self.row();
        row.first <= revision && revision <= row.last
    }

    /// Whether a client may send it to a server.
    #[must_use]
    pub fn is_for_server(self) -> bool {
        self.row().direction != Direction::ToClient
    }

    /// Whether a server may send it to a client.
    #[must_use]
    pub fn is_for_client(self) -> bool {
        self.row().direction != Direction::ToServer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_in_order_and_names_are_unique() {
        for (index, row) in Method::TABLE.iter().enumerate() {
            assert_eq!(row.method as usize, index);
            assert_eq!(Method::from_name(row.name), Some(row.method));
            assert!(row.first <= row.last);
        }
    }

    #[test]
    fn ping_and_initialize_are_gone_since_the_protocol_is_stateless() {
        assert!(Method::Ping.is_defined(Revision::LATEST_WITH_HANDSHAKE));
        assert!(!Method::Ping.is_defined(Revision::LATEST));
        assert!(!Method::Initialize.is_defined(Revision::LATEST));
        assert!(!Method::Discover.is_defined(Revision::LATEST_WITH_HANDSHAKE));
    }
}
