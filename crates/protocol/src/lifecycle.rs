//! Who the two sides are, and how they begin: the handshake until 2025-11-25, discovery since.

use crate::{CacheScope, ClientCapabilities, Icon, Meta, ServerCapabilities};

model! {
    /// The name and version of a client or server.
    Implementation {
        /// Its name, for programs.
        name: String,
        /// Its version.
        version: String,
        ;
        /// Its name, for people; since 2025-06-18.
        title: String,
        /// What it is; since 2025-11-25.
        description: String,
        /// Its home page; since 2025-11-25.
        website_url: String,
        /// Images for it; since 2025-11-25.
        icons: Vec<Icon>,
    }
}

setters!(Implementation {
    with_title => title: String,
    with_description => description: String,
    with_website_url => website_url: String,
    with_icons => icons: Vec<Icon>,
});

model! {
    /// The parameters of `initialize`; until 2025-11-25.
    InitializeParams {
        /// The newest revision that the client speaks; it may be one that we do not know.
        protocol_version: String,
        /// What the client can do.
        capabilities: ClientCapabilities,
        /// Who the client is.
        client_info: Implementation,
        ;
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

model! {
    /// The answer to `initialize`; until 2025-11-25.
    InitializeResult {
        /// The revision of this connection.
        protocol_version: String,
        /// What the server can do.
        capabilities: ServerCapabilities,
        /// Who the server is.
        server_info: Implementation,
        ;
        /// How to use the server, for a model.
        instructions: String,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

setters!(InitializeResult { with_instructions => instructions: String, with_meta => meta: Meta, });

model! {
    /// The answer to `server/discover`; since 2026-07-28.
    DiscoverResult {
        /// The revisions that the server speaks.
        supported_versions: Vec<String>,
        /// What the server can do.
        capabilities: ServerCapabilities,
        ;
        /// How to use the server, for a model.
        instructions: String,
        /// How many milliseconds it stays fresh.
        #[serde(deserialize_with = "crate::number::optional_count")]
        ttl_ms: u64,
        /// Who may share it.
        cache_scope: CacheScope,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

setters!(DiscoverResult { with_instructions => instructions: String, with_meta => meta: Meta, });

options! {
    /// The parameters of a request or notification that has none of its own.
    EmptyParams {
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

/// The parameters of `server/discover`.
pub type DiscoverParams = EmptyParams;
/// The parameters of `ping`.
pub type PingParams = EmptyParams;
/// The parameters of `roots/list`.
pub type ListRootsParams = EmptyParams;

options! {
    /// A result that says nothing but that the request succeeded.
    EmptyResult {
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}
