//! Sessions on their way to the store and back.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use jackfield_peer::{Principal, SessionChange};
use jackfield_protocol::envelope::{MethodName, Params, RawId, Request};
use jackfield_protocol::{Method, RequestId};
use jackfield_store::{NewSession, SessionRecord, StoreError};

use super::{Cluster, Node, Replica, What, record};
use crate::SessionId;
use crate::session::{LocalSession, Transport};

impl Cluster {
    /// Keeps a new session where all nodes find it.
    pub(crate) async fn keep_new(&self, live: &LocalSession) -> Result<(), StoreError> {
        let (Some(replica), Some(session)) = (&live.replica, live.session()) else { return Ok(()) };
        let caller = session.caller();
        let initialize = serde_json::json!({
            "protocolVersion": caller.revision,
            "capabilities": caller.capabilities,
            "clientInfo": caller.client_info,
        });
        let limits = self.host.limits();
        // A client that says nothing after `initialize` is not waited for as long as one that does.
        let mut new = NewSession::new(live.id.to_text(), limits.session_opening.min(limits.session_idle))
            .with_field(record::INITIALIZE, initialize.to_string());
        for (name, value) in replica.fields() {
            new = new.with_field(name, value);
        }
        if let Some(told) = session.change_cursor() {
            new = new.with_field(record::TOLD, told.to_string());
        }
        if let Some(principal) = &live.principal {
            new = new.with_owner(record::owner(principal), limits.sessions_per_principal);
        }
        self.node.ask(self.node.stores.sessions().create(new)).await
    }

    /// Keeps a session of HTTP+SSE where other nodes find out who serves it.
    pub(crate) async fn keep_home(&self, live: &LocalSession) -> Result<(), StoreError> {
        let limits = self.host.limits();
        let mut new =
            NewSession::new(live.id.to_text(), limits.session_idle).with_field(record::HOME, self.node.name.clone());
        if let Some(principal) = &live.principal {
            new = new.with_owner(record::owner(principal), limits.sessions_per_principal);
        }
        self.node.ask(self.node.stores.sessions().create(new)).await
    }

    /// Finds the node that serves a session of HTTP+SSE for a user.
    pub(crate) async fn home_of(
        &self,
        id: SessionId,
        principal: Option<&Principal>,
    ) -> Result<Option<String>, StoreError> {
        let Some(found) = self.node.ask(self.node.stores.sessions().load(&id.to_text())).await? else {
            return Ok(None);
        };
        let home = found.field(record::HOME).and_then(|home| String::from_utf8(home.to_vec()).ok());
        let Some(home) = home.filter(|_| belongs(&found, principal)) else { return Ok(None) };
        Ok(if self.node.is_dead(&home).await { None } else { Some(home) })
    }

    /// Goes on with a session that another node knows, for the user who opened it.
    pub(crate) async fn restore(
        &self,
        id: SessionId,
        principal: Option<&Principal>,
    ) -> Result<Option<Arc<LocalSession>>, StoreError> {
        let heard = self.node.heard();
        let Some(found) = self.node.ask(self.node.stores.sessions().load(&id.to_text())).await? else {
            return Ok(None);
        };
        if !belongs(&found, principal) {
            return Ok(None);
        }
        let now = self.host.shared.now();
        let (Some(replica), Some(initialize)) = (Replica::of(&found, now), found.field(record::INITIALIZE)) else {
            return Ok(None);
        };
        let Ok(params) = Params::from_json(initialize.clone()) else { return Ok(None) };
        let revisions = self.host.handler.revisions();
        let live = LocalSession::new(
            id,
            Transport::Streamable,
            principal.cloned(),
            revisions,
            &self.host.shared,
            Some(replica),
        );
        let nobody = RawId::from(&RequestId::Integer(0));
        let request = Request { id: nobody, method: MethodName::Known(Method::Initialize), params };
        if let (_, Some(_)) = self.host.initialize(&live, request, None).await {
            return Ok(None);
        }
        record::apply(&found, &live);
        let loaded = live.clone();
        let live =
            self.host.sessions.insert_or_get(live, self.host.limits()).map_err(|_| StoreError::Full("sessions"))?;
        // Two requests may have loaded it at once. Then this may be the replica of the other one, from an older record.
        record::apply(&found, &live);
        // A notice that came before the session was in the table found nothing to change, but may have been about this session.
        if self.node.heard() != heard {
            self.reload(&live).await;
        }
        if let Some(session) = live.session().filter(|_| Arc::ptr_eq(&live, &loaded)) {
            // The change cursor of the session is older than any subscription, so that what is untold comes with it.
            let _ = live.replica.as_ref().and_then(Replica::take_untold);
            self.host.handler.resumed(&session, session.change_cursor());
        }
        Ok(Some(live))
    }

    /// Takes over what has changed of a session, or ends it if it is over.
    pub(crate) async fn reload(&self, live: &Arc<LocalSession>) {
        if live.replica.is_none() {
            return;
        }
        match self.node.ask(self.node.stores.sessions().load(&live.id.to_text())).await {
            Ok(Some(found)) => {
                record::apply(&found, live);
                self.catch_up(live);
            }
            Ok(None) => drop(self.host.sessions.remove(live.id)),
            // What is known here holds until the store says otherwise.
            Err(_) => {}
        }
    }

    /// Tells the client of a session what happened between its subscribing at another node and our hearing of that.
    pub(super) fn catch_up(&self, live: &LocalSession) {
        let after = live.replica.as_ref().and_then(Replica::take_untold);
        if let Some((after, session)) = after.zip(live.session()) {
            self.host.handler.resumed(&session, Some(after));
        }
    }

    /// Notes that the client of a session is ready.
    pub(crate) async fn keep_ready(&self, live: &Arc<LocalSession>) -> Result<(), StoreError> {
        set(&self.node, live, record::READY.to_owned(), Some(Bytes::new())).await?;
        let idle = self.host.limits().session_idle;
        self.node.ask(self.node.stores.sessions().touch(&live.id.to_text(), idle)).await.map(drop)
    }

    /// Notes that the client listens to messages that belong to no request, and opens their stream. Returns up to where they have been
    /// sent.
    pub(crate) async fn keep_listening(&self, live: &Arc<LocalSession>) -> Result<u64, StoreError> {
        let Some(replica) = &live.replica else { return Ok(0) };
        let stream = live.standalone().key;
        let session = live.id.to_text();
        let name = jackfield_store::StreamName::new(&session, stream.stream);
        self.node.ask(self.node.stores.events().open(name, self.host.shared.keep_events())).await?;
        // The replica says so only after the store: the client may go away while this waits, and then nothing was promised.
        if !replica.listens.load(Ordering::Relaxed) {
            set(&self.node, live, record::LISTENS.to_owned(), Some(Bytes::new())).await?;
            replica.listens.store(true, Ordering::Relaxed);
        }
        let sent = self.node.ask(self.node.stores.kv().get(&sent_key(&session))).await?;
        Ok(sent.and_then(|text| std::str::from_utf8(&text).ok()?.parse().ok()).unwrap_or_default())
    }

    /// Ends a session on all nodes.
    pub(crate) async fn end_everywhere(&self, live: &LocalSession) -> Result<(), StoreError> {
        let session = live.id.to_text();
        self.node.ask(self.node.stores.sessions().remove(&session)).await?;
        self.node.tell(live.id, What::Ended);
        self.node.ask(self.node.stores.events().remove_session(&session)).await?;
        self.node.ask(self.node.stores.kv().remove(&sent_key(&session))).await.map(drop)
    }
}

/// Finds out whether a client has ever listened to messages that belong to no request. It may have begun to at another node, of
/// which this one has not heard yet, so that only the store knows that nobody has.
pub(crate) async fn has_listener(live: &Arc<LocalSession>) -> bool {
    let (Some(node), Some(replica)) = (&live.shared.node, &live.replica) else { return false };
    match node.ask(node.stores.sessions().load(&live.id.to_text())).await {
        Ok(Some(found)) => {
            record::apply(&found, live);
            let listens = found.field(record::LISTENS).is_some();
            replica.listens.fetch_or(listens, Ordering::Relaxed);
            listens
        }
        Ok(None) => false,
        // Better kept for nobody than lost.
        Err(_) => true,
    }
}

/// Where is kept up to which place messages that belong to no request have been sent.
pub(super) fn sent_key(session: &str) -> String {
    format!("sent {session}")
}

/// Keeps a change of a session, and tells other nodes.
pub(crate) async fn keep_change(live: &Arc<LocalSession>, change: SessionChange<'_>) -> Result<(), StoreError> {
    let (Some(node), Some((name, value))) = (&live.shared.node, record::field(change)) else { return Ok(()) };
    set(node, live, name, value).await?;
    // A record that was loaded before the change was stored may have been applied after it.
    if let Some(session) = live.session() {
        match change {
            SessionChange::Subscribed { uri, .. } => drop(session.subscribe(uri, usize::MAX)),
            SessionChange::Unsubscribed(uri) => session.unsubscribe(uri),
            SessionChange::LogLevel(level) => session.set_log_level(level),
            _ => {}
        }
    }
    Ok(())
}

async fn set(node: &Arc<Node>, live: &Arc<LocalSession>, name: String, value: Option<Bytes>) -> Result<(), StoreError> {
    let Some(replica) = &live.replica else { return Ok(()) };
    let session = live.id.to_text();
    let version = node.ask(node.stores.sessions().change(&session, vec![(name, value)])).await?;
    let known = replica.version.load(Ordering::Relaxed);
    match version {
        // Nobody else has changed anything, so that all is known.
        Some(version) if version == known.saturating_add(1) => {
            replica.version.fetch_max(version, Ordering::Relaxed);
        }
        _ => {
            if let Some(found) = node.ask(node.stores.sessions().load(&session)).await? {
                record::apply(&found, live);
            }
        }
    }
    // The client relies on the change at all nodes, also if this one dies when it has answered. So the notice leaves before the answer does.
    node.tell_now(live.id, What::Changed).await;
    Ok(())
}

/// The session of another user is as unknown as one that never was.
fn belongs(found: &SessionRecord, principal: Option<&Principal>) -> bool {
    found.owner == principal.map(record::owner)
}
