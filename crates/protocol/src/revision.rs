//! The released revisions of the protocol, and what differs between them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A released revision of the Model Context Protocol.
///
/// Revisions are ordered by age. Code outside this module and the dialect tables never compares them; it asks one of the
/// questions below, so that a new revision is a change in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Revision {
    /// 2024-11-05, the first release.
    V2024_11_05,
    /// 2025-03-26: Streamable HTTP, batches, audio, tool annotations.
    V2025_03_26,
    /// 2025-06-18: structured output, elicitation, resource links, titles; batches are gone.
    V2025_06_18,
    /// 2025-11-25: icons, tasks, URL elicitation, sampling with tools.
    V2025_11_25,
    /// 2026-07-28: stateless; every request carries its own version and capabilities.
    V2026_07_28,
}

use Revision::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

impl Revision {
    /// All revisions, oldest first.
    pub const ALL: [Self; 5] = [V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28];

    /// The newest revision: the native form of every type in this crate.
    pub const LATEST: Self = V2026_07_28;

    /// The newest revision that begins with a handshake; what a server answers to an `initialize` it does not understand.
    pub const LATEST_WITH_HANDSHAKE: Self = V2025_11_25;

    /// Returns the revision's name on the wire, its date.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            V2024_11_05 => "2024-11-05",
            V2025_03_26 => "2025-03-26",
            V2025_06_18 => "2025-06-18",
            V2025_11_25 => "2025-11-25",
            V2026_07_28 => "2026-07-28",
        }
    }

    /// Returns the next newer revision.
    #[must_use]
    pub fn newer(self) -> Option<Self> {
        Self::ALL.get(self as usize + 1).copied()
    }

    /// Returns the next older revision.
    #[must_use]
    pub fn older(self) -> Option<Self> {
        (self as usize).checked_sub(1).and_then(|i| Self::ALL.get(i)).copied()
    }

    /// The connection begins with `initialize`, and either side may send requests (the legacy era).
    #[must_use]
    pub const fn has_handshake(self) -> bool {
        (self as u8) < (V2026_07_28 as u8)
    }

    /// A message may be an array of messages. 2024-11-05 allows it through JSON-RPC itself, 2025-03-26 by its own words.
    #[must_use]
    pub const fn has_batches(self) -> bool {
        (self as u8) <= (V2025_03_26 as u8)
    }

    /// Results carry `resultType`, and the server names itself in each of them.
    #[must_use]
    pub const fn tags_results(self) -> bool {
        !self.has_handshake()
    }

    /// The server may ask the client by sending it requests; otherwise it asks through `input_required` results.
    #[must_use]
    pub const fn has_server_requests(self) -> bool {
        self.has_handshake()
    }

    /// The minimum log level is set once by `logging/setLevel`; otherwise each request names its own.
    #[must_use]
    pub const fn has_log_level_request(self) -> bool {
        self.has_handshake()
    }

    /// Lists and resource contents carry `ttlMs` and `cacheScope`.
    #[must_use]
    pub const fn has_cache_hints(self) -> bool {
        !self.has_handshake()
    }

    /// Notices of change travel on `subscriptions/listen`; otherwise they are sent to every session.
    #[must_use]
    pub const fn has_listen_streams(self) -> bool {
        !self.has_handshake()
    }

    /// Both sides declare the extensions they have, and may use those that the other side has too.
    #[must_use]
    pub const fn has_extensions(self) -> bool {
        !self.has_handshake()
    }

    /// The server may ask the user for input.
    #[must_use]
    pub const fn has_elicitation(self) -> bool {
        (self as u8) >= (V2025_06_18 as u8)
    }

    /// Tool results may carry `structuredContent`, and tools an `outputSchema`.
    #[must_use]
    pub const fn has_structured_output(self) -> bool {
        (self as u8) >= (V2025_06_18 as u8)
    }

    /// Its official schema is written in JSON Schema 2020-12 rather than draft-07.
    #[must_use]
    pub const fn has_json_schema_2020_12(self) -> bool {
        (self as u8) >= (V2025_11_25 as u8)
    }

    /// Progress notifications may carry a message.
    #[must_use]
    pub const fn has_progress_message(self) -> bool {
        (self as u8) >= (V2025_03_26 as u8)
    }

    /// The `completions` capability exists.
    #[must_use]
    pub const fn has_completions_capability(self) -> bool {
        (self as u8) >= (V2025_03_26 as u8)
    }

    /// The tasks of 2025-11-25, part of the core there.
    #[must_use]
    pub const fn has_core_tasks(self) -> bool {
        matches!(self, V2025_11_25)
    }

    /// A request that needs a person at a page first is refused with an error that names the page, and the server may tell when the
    /// person is done there.
    #[must_use]
    pub const fn has_url_elicitation_error(self) -> bool {
        matches!(self, V2025_11_25)
    }

    /// Tasks may be the answer of a server, by the extension `io.modelcontextprotocol/tasks`.
    #[must_use]
    pub const fn has_tasks_extension(self) -> bool {
        !self.has_handshake()
    }

    /// An error response has an `id` member even if the id could not be read; then it is null.
    #[must_use]
    pub const fn requires_error_id(self) -> bool {
        (self as u8) < (V2025_11_25 as u8)
    }

    /// An event stream begins with an event that has an id and no data, so that the client can come back for the rest
    /// after the server closed the connection.
    #[must_use]
    pub const fn has_polling(self) -> bool {
        matches!(self, V2025_11_25)
    }

    /// Over HTTP, requests name the revision in a header.
    #[must_use]
    pub const fn has_version_header(self) -> bool {
        (self as u8) >= (V2025_06_18 as u8)
    }

    /// Returns the error code for a resource that does not exist.
    #[must_use]
    pub const fn resource_not_found_code(self) -> i64 {
        if self.has_handshake() { crate::error::code::RESOURCE_NOT_FOUND } else { crate::error::code::INVALID_PARAMS }
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A protocol version that is none of the released revisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRevision(pub String);

impl fmt::Display for UnknownRevision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown protocol version {:?}", self.0)
    }
}

impl std::error::Error for UnknownRevision {}

impl FromStr for Revision {
    type Err = UnknownRevision;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|r| r.as_str() == text).ok_or_else(|| UnknownRevision(text.to_owned()))
    }
}

impl Serialize for Revision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Revision {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_revision_is_read_by_its_own_name() {
        for revision in Revision::ALL {
            assert_eq!(revision.as_str().parse(), Ok(revision));
        }
        assert!("2023-01-01".parse::<Revision>().is_err());
    }

    #[test]
    fn neighbours_form_one_chain() {
        for pair in Revision::ALL.windows(2) {
            assert_eq!(pair[0].newer(), Some(pair[1]));
            assert_eq!(pair[1].older(), Some(pair[0]));
        }
        assert_eq!(Revision::LATEST.newer(), None);
        assert_eq!(V2024_11_05.older(), None);
    }
}
