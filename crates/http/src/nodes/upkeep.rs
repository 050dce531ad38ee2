//! What has to be said from time to time, so that the store keeps what is in use.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::task::JoinSet;

use super::Cluster;
use crate::session::{LocalSession, Transport};

/// The store hears of a session in use so many times within its idle time.
const PARTS: u32 = 4;

/// For how many sessions the store is asked at once.
const AT_ONCE: usize = 64;

/// Tells the store which sessions are in use. Requests do not do it themselves, so that they need not wait for it.
pub(super) async fn go_on(cluster: Weak<Cluster>) {
    loop {
        let Some(idle) = cluster.upgrade().map(|cluster| cluster.host.limits().session_idle) else { return };
        tokio::time::sleep((idle / PARTS).clamp(Duration::from_millis(100), Duration::from_secs(60))).await;
        let Some(cluster) = cluster.upgrade() else { return };
        // One after the other, many sessions would take longer than they may be idle.
        let mut under_way = JoinSet::new();
        for live in cluster.host.sessions.all() {
            if under_way.len() >= AT_ONCE {
                under_way.join_next().await;
            }
            let cluster = cluster.clone();
            under_way.spawn(async move { cluster.keep_in_use(&live).await });
        }
        while under_way.join_next().await.is_some() {}
    }
}

impl Cluster {
    async fn keep_in_use(&self, live: &Arc<LocalSession>) {
        let (node, shared) = (&self.node, &self.host.shared);
        let now = shared.now();
        let session = live.id.to_text();
        let (sessions, events) = (node.stores.sessions(), node.stores.events());
        if live.transport == Transport::HttpSse {
            // Such a session lives as long as its stream, which is here.
            let _ = node.ask(sessions.touch(&session, self.host.limits().session_idle)).await;
            return;
        }
        let Some(replica) = &live.replica else { return };
        let before = replica.kept.load(Ordering::Relaxed);
        let in_use = live.idle_since(now).is_none_or(|used| used >= before);
        if !in_use || !live.session().is_some_and(|session| session.is_ready()) {
            return;
        }
        match node.ask(sessions.touch(&session, self.host.limits().session_idle)).await {
            Ok(Some(version)) => {
                replica.kept.store(now, Ordering::Relaxed);
                match version > replica.version.load(Ordering::Relaxed) {
                    true => self.reload(live).await,
                    // What was learned beside something else may not have been acted on, if the notice of it was lost.
                    false => self.catch_up(live),
                }
            }
            Ok(None) => drop(self.host.sessions.remove(live.id)),
            Err(_) => return,
        }
        live.renew_streams();
        let _ = node.ask(events.keep(&session, shared.keep_events())).await;
    }
}
