//! A session as the store keeps it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::Bytes;
use jackfield_peer::{Principal, SessionChange};
use jackfield_protocol::LoggingLevel;
use jackfield_store::SessionRecord;

use super::node::random;
use crate::session::LocalSession;

/// The parameters of `initialize`, as JSON.
pub(super) const INITIALIZE: &str = "initialize";
/// The client has said `notifications/initialized`.
pub(super) const READY: &str = "ready";
/// The client has opened the stream of messages that belong to no request.
pub(super) const LISTENS: &str = "listens";
/// The node that alone can serve the session.
pub(super) const HOME: &str = "home";
/// The position in the change log of the handler after which the client has to be notified.
pub(super) const TOLD: &str = "told";
const STANDALONE: &str = "standalone";
const NAME: &str = "name";
const LEVEL: &str = "level";
const SUBSCRIPTION: &str = "subscription ";
const ALL_TOLD: u64 = u64::MAX;

/// What a node knows of a session that others serve too.
#[derive(Debug)]
pub(crate) struct Replica {
    /// The number of the stream of messages that belong to no request.
    pub(crate) standalone: u64,
    /// What the session is called where its id should not be seen.
    pub(crate) name: String,
    /// A client has opened that stream, here or elsewhere.
    pub(crate) listens: AtomicBool,
    /// The version of the record that is known here.
    pub(super) version: AtomicU64,
    /// The position in the change log after which the handler may not have notified the client of what it subscribed to at another node.
    untold: AtomicU64,
    /// When the store was told last that the session is in use.
    pub(super) kept: AtomicU64,
}

impl Replica {
    /// Describes a session that is about to be opened.
    pub(crate) fn new(now: u64) -> Self {
        Self {
            standalone: random(),
            name: format!("session {:016x}{:016x}", random(), random()),
            listens: AtomicBool::new(false),
            version: AtomicU64::new(1),
            untold: AtomicU64::new(ALL_TOLD),
            kept: AtomicU64::new(now),
        }
    }

    /// Reads what is needed before anything else; `None` if the record is none of ours.
    pub(super) fn of(record: &SessionRecord, now: u64) -> Option<Self> {
        let text = |name: &str| std::str::from_utf8(record.field(name)?).ok();
        Some(Self {
            standalone: u64::from_str_radix(text(STANDALONE)?, 16).ok()?,
            name: text(NAME)?.to_owned(),
            listens: AtomicBool::new(false),
            version: AtomicU64::new(0),
            untold: AtomicU64::new(ALL_TOLD),
            kept: AtomicU64::new(now),
        })
    }

    /// Takes the position after which the client may not have been notified; the next caller gets none.
    pub(super) fn take_untold(&self) -> Option<u64> {
        Some(self.untold.swap(ALL_TOLD, Ordering::Relaxed)).filter(|place| *place != ALL_TOLD)
    }

    /// Returns the fields of a new record that are made here.
    pub(super) fn fields(&self) -> [(&'static str, Bytes); 2] {
        [(STANDALONE, format!("{:x}", self.standalone).into()), (NAME, self.name.clone().into())]
    }
}

/// The owner of a session, as the store has it: a user through a program. The lengths keep two owners from having one text.
pub(super) fn owner(principal: &Principal) -> String {
    let Principal { issuer, subject, client, .. } = principal;
    let user = format!("user {} {} {issuer}{subject}", issuer.len(), subject.len());
    match client {
        Some(client) => format!("{user} through {client}"),
        None => user,
    }
}

/// What a change means to the record.
pub(super) fn field(change: SessionChange<'_>) -> Option<(String, Option<Bytes>)> {
    match change {
        SessionChange::LogLevel(level) => {
            let text = serde_json::to_vec(&level).ok()?;
            Some((LEVEL.to_owned(), Some(text.into())))
        }
        SessionChange::Subscribed { uri, after } => {
            let after = after.map(|place| place.to_string()).unwrap_or_default();
            Some((format!("{SUBSCRIPTION}{uri}"), Some(after.into())))
        }
        SessionChange::Unsubscribed(uri) => Some((format!("{SUBSCRIPTION}{uri}"), None)),
        _ => None,
    }
}

/// Takes over what a record says, unless something newer is known.
pub(super) fn apply(record: &SessionRecord, live: &LocalSession) {
    let (Some(replica), Some(session)) = (&live.replica, live.session()) else { return };
    // The lock on the subscriptions is held to the end, so that records are applied one at a time: two that are loaded at once may arrive in
    // either order, and the older one must not undo the newer one.
    let mut subscriptions = session.subscriptions();
    if replica.version.fetch_max(record.version, Ordering::Relaxed) >= record.version {
        return;
    }
    if record.field(READY).is_some() && !session.is_ready() {
        session.set_ready();
    }
    replica.listens.fetch_or(record.field(LISTENS).is_some(), Ordering::Relaxed);
    let level = record.field(LEVEL).and_then(|text| serde_json::from_slice::<LoggingLevel>(text).ok());
    if let Some(level) = level {
        session.set_log_level(level);
    }
    if let Some(told) = record.field(TOLD).and_then(place) {
        session.set_change_cursor(told);
    }
    let recorded = record.fields.iter().filter_map(|(name, after)| Some((name.strip_prefix(SUBSCRIPTION)?, after)));
    let new = recorded.clone().filter(|(uri, _)| !subscriptions.contains(*uri));
    if let Some(after) = new.filter_map(|(_, after)| place(after)).min() {
        replica.untold.fetch_min(after, Ordering::Relaxed);
    }
    *subscriptions = recorded.map(|(uri, _)| uri.to_owned()).collect();
}

fn place(text: &Bytes) -> Option<u64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}
