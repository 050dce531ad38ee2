//! All sessions of an endpoint.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use jackfield_peer::Principal;

use super::{LocalSession, SessionId};
use crate::HttpLimits;

/// All sessions of an endpoint, bounded.
#[derive(Debug, Default)]
pub(crate) struct Sessions(RwLock<Table>);

#[derive(Debug, Default)]
struct Table {
    sessions: HashMap<SessionId, Arc<LocalSession>, BuildHasherDefault<LowBits>>,
    by_principal: HashMap<Principal, usize>,
    /// Those that were idle longest at the last look, so that a full table is not searched for each new session.
    idlest: VecDeque<(u64, SessionId)>,
    /// Those that were opened last, oldest first; the handshake of some is not finished.
    opening: VecDeque<SessionId>,
}

/// Why there is no room for a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// All sessions are in use.
    Sessions,
    /// The user has too many.
    Principal,
}

/// How many of the idlest sessions are remembered.
const LOOK: usize = 64;
/// What part of the table sessions may have whose handshake is not finished, before they make room for each other.
const OPENING: usize = 8;

impl Sessions {
    fn read(&self) -> RwLockReadGuard<'_, Table> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Table> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self, id: SessionId) -> Option<Arc<LocalSession>> {
        self.read().sessions.get(&id).cloned()
    }

    /// Returns all sessions.
    pub(crate) fn all(&self) -> Vec<Arc<LocalSession>> {
        self.read().sessions.values().cloned().collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.read().sessions.len()
    }

    /// Adds a replica of a session, unless there is one meanwhile. Returns the one that counts.
    pub(crate) fn insert_or_get(
        &self,
        live: Arc<LocalSession>,
        limits: &HttpLimits,
    ) -> Result<Arc<LocalSession>, Full> {
        if let Some(known) = self.get(live.id) {
            return Ok(known);
        }
        let id = live.id;
        self.insert(live.clone(), limits)?;
        // Two requests may have loaded it at the same time; the table has one of them.
        Ok(self.get(id).unwrap_or(live))
    }

    /// Says whether there is room for a session, or could be made. Another may take it meanwhile.
    pub(crate) fn has_room(&self, principal: Option<&Principal>, now: u64, limits: &HttpLimits) -> Result<(), Full> {
        let table = self.read();
        let count = principal.and_then(|principal| table.by_principal.get(principal)).copied().unwrap_or_default();
        if principal.is_some() && count >= limits.sessions_per_principal {
            return Err(Full::Principal);
        }
        let is_idle = |live: &Arc<LocalSession>| live.idle_since(now).is_some();
        if table.sessions.len() >= limits.sessions && !table.sessions.values().any(is_idle) {
            return Err(Full::Sessions);
        }
        Ok(())
    }

    /// Adds a session. If there are too many, one makes room: one whose handshake is not finished, if there are many of those, else the
    /// one that has been idle longest.
    pub(crate) fn insert(&self, live: Arc<LocalSession>, limits: &HttpLimits) -> Result<(), Full> {
        let now = live.shared.now();
        let mut table = self.write();
        if table.sessions.contains_key(&live.id) {
            return Ok(());
        }
        if let Some(principal) = &live.principal {
            let count = table.by_principal.get(principal).copied().unwrap_or_default();
            if count >= limits.sessions_per_principal {
                return Err(Full::Principal);
            }
        }
        let evicted = if table.sessions.len() >= limits.sessions {
            let opening = table.evict_opening(now, limits.sessions / OPENING);
            Some(opening.or_else(|| table.evict(now)).ok_or(Full::Sessions)?)
        } else {
            None
        };
        if !live.is_ready() {
            table.note_opening(live.id, limits.sessions);
        }
        if let Some(principal) = &live.principal {
            let count = table.by_principal.entry(principal.clone()).or_default();
            *count = count.saturating_add(1);
        }
        table.sessions.insert(live.id, live);
        crate::telemetry::sessions(table.sessions.len());
        drop(table);
        if let Some(evicted) = evicted {
            tracing::debug!(session = ?evicted.id, "an idle session made room for a new one");
            evicted.leave();
        }
        Ok(())
    }

    /// Removes a session and ends what belongs to it.
    pub(crate) fn remove(&self, id: SessionId) -> bool {
        let removed = {
            let mut table = self.write();
            let removed = table.take(id);
            crate::telemetry::sessions(table.sessions.len());
            removed
        };
        removed.is_some_and(|live| {
            live.end();
            true
        })
    }

    /// Forgets a session that is idle; where others serve it too, it goes on there.
    pub(crate) fn forget(&self, id: SessionId) {
        let removed = {
            let mut table = self.write();
            let removed = table.take(id);
            crate::telemetry::sessions(table.sessions.len());
            removed
        };
        if let Some(live) = removed {
            live.leave();
        }
    }

    /// Ends the sessions that have been idle for too long. Returns their ids.
    pub(crate) fn sweep(&self, now: u64) -> Vec<SessionId> {
        let over: Vec<_> = {
            let table = self.read();
            for live in table.sessions.values() {
                live.sweep();
            }
            table.sessions.values().filter(|live| live.is_over(now)).map(|live| live.id).collect()
        };
        for id in &over {
            self.forget(*id);
        }
        if !over.is_empty() {
            self.write().sessions.shrink_to_fit();
        }
        over
    }

    /// Ends all sessions.
    pub(crate) fn clear(&self) {
        let table = std::mem::take(&mut *self.write());
        for live in table.sessions.values() {
            live.leave();
        }
        crate::telemetry::sessions(0);
    }
}

impl Table {
    fn take(&mut self, id: SessionId) -> Option<Arc<LocalSession>> {
        let live = self.sessions.remove(&id)?;
        if let Some(principal) = &live.principal
            && let Some(count) = self.by_principal.get_mut(principal)
        {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.by_principal.remove(principal);
            }
        }
        Some(live)
    }

    /// Takes out a session whose handshake is not finished, if such sessions have more than their share of the table. Whoever opens
    /// sessions without end loses those, and nobody else loses one. One that is found in use is not looked at again.
    fn evict_opening(&mut self, now: u64, share: usize) -> Option<Arc<LocalSession>> {
        while let Some(id) = self.opening.front().copied() {
            let waits = |live: &Arc<LocalSession>| !live.is_ready() && live.idle_since(now).is_some();
            let is_opening = self.sessions.get(&id).is_some_and(waits);
            if is_opening && self.opening.len() <= share {
                return None;
            }
            self.opening.pop_front();
            if is_opening {
                return self.take(id);
            }
        }
        None
    }

    fn note_opening(&mut self, id: SessionId, limit: usize) {
        // Most of them are ready soon, and are looked through now and then.
        if self.opening.len() > limit.saturating_mul(2) {
            let sessions = &self.sessions;
            self.opening.retain(|id| sessions.get(id).is_some_and(|live| !live.is_ready()));
        }
        self.opening.push_back(id);
    }

    fn evict(&mut self, now: u64) -> Option<Arc<LocalSession>> {
        // What the last look found may have been used since; then it is time for another look.
        for _ in 0..2 {
            if self.idlest.is_empty() {
                self.look(now);
            }
            while let Some((used, id)) = self.idlest.pop_front() {
                if self.sessions.get(&id).is_some_and(|live| live.idle_since(now) == Some(used)) {
                    return self.take(id);
                }
            }
        }
        None
    }

    fn look(&mut self, now: u64) {
        let idle = self.sessions.values().filter_map(|live| Some((live.idle_since(now)?, live.id)));
        let mut idle: Vec<_> = idle.collect();
        idle.sort_unstable_by_key(|(used, _)| *used);
        self.idlest.extend(idle.into_iter().take(LOOK));
    }
}

/// Ids are random, so that their own bits spread them.
#[derive(Debug, Default)]
struct LowBits(u64);

impl Hasher for LowBits {
    fn write(&mut self, _: &[u8]) {
        debug_assert!(false, "an id is hashed as one number");
    }

    fn write_u128(&mut self, id: u128) {
        self.0 = id as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
