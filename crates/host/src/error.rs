//! Why a configuration file cannot be used.

/// Why a configuration file cannot be used. The text is a sentence about the file or the entry: "it has …".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// It is not JSON, even without comments and superfluous commas.
    #[error(transparent)]
    NotJson(serde_json::Error),
    /// It is JSON, but no object.
    #[error("it is not a JSON object")]
    NotAnObject,
    /// It lists no servers.
    #[error("it has neither {}", crate::document::SECTIONS.join(" nor "))]
    NoServers,
    /// A list of servers, or a server, is there twice. Programs differ in which of the two they take, so none is taken here.
    #[error("it has {0:?} twice")]
    Doubled(String),
    /// A server of that name is there already.
    #[error("it has a server named {0:?} already")]
    Known(String),
    /// What is wrong with an entry.
    #[error("{0}")]
    Entry(String),
}
