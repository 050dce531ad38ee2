//! Sessions in Redis.
//!
//! A session is a hash. What its owner has is a sorted set, on another node of a cluster perhaps; each of both changes in a step of its
//! own, in an order that leaves at worst a place taken until its time is over.

use std::time::Duration;

use bytes::Bytes;

use super::Redis;
use super::script::{
    Call, SESSION_CHANGE, SESSION_COUNT, SESSION_CREATE, SESSION_LOAD, SESSION_REMOVE, SESSION_RESERVE, SESSION_SETTLE,
    SESSION_TILL, SESSION_TOUCH,
};
use crate::{Boxed, NewSession, SessionRecord, SessionStore, StoreError};

/// How often overdue sessions of an owner are looked at before there is room or not.
const ATTEMPTS: usize = 3;

impl Redis {
    /// Takes a place among the sessions of an owner; says whether the session had none yet.
    async fn reserve(&self, session: &NewSession, owner: &str) -> Result<bool, StoreError> {
        let limit = session.owner_limit;
        for _ in 0..ATTEMPTS {
            let call = Call::new(&SESSION_RESERVE).key(self.key("sessions", owner));
            let call = call.arg(&session.id).number(session.idle).number(limit);
            match self.shared().link.call::<(u8, u8, Vec<String>)>(call).await? {
                (1, added, _) => return Ok(added == 1),
                (2, _, overdue) => {
                    self.settle(owner, overdue).await?;
                }
                _ => break,
            }
        }
        Err(StoreError::TooMany { what: "sessions", limit })
    }

    /// Finds out which sessions of an owner are still kept, and notes it. Returns how many.
    async fn settle(&self, owner: &str, ids: Vec<String>) -> Result<usize, StoreError> {
        let mut settle = Call::new(&SESSION_SETTLE).key(self.key("sessions", owner));
        let mut kept = 0;
        for id in ids {
            let call = Call::new(&SESSION_TILL).key(self.key("session", &id)).repeatable();
            let till: String = self.shared().link.call(call).await?;
            kept += usize::from(till != "0");
            settle = settle.arg(id).arg(till);
        }
        self.shared().link.call::<()>(settle.repeatable()).await?;
        Ok(kept)
    }

    /// Gives up the place of a session among those of its owner.
    async fn release(&self, owner: &str, id: &str) -> Result<(), StoreError> {
        let call = Call::new(&SESSION_SETTLE).key(self.key("sessions", owner)).arg(id).arg("0");
        self.shared().link.call(call.repeatable()).await
    }

    async fn create_session(&self, session: NewSession) -> Result<(), StoreError> {
        let is_new = match &session.owner {
            Some(owner) => self.reserve(&session, owner).await?,
            None => false,
        };
        let owner = session.owner.as_ref().map(|owner| format!("+{owner}")).unwrap_or_default();
        let call = Call::new(&SESSION_CREATE).key(self.key("session", &session.id)).number(session.idle).arg(owner);
        let call = session.fields.iter().fold(call, |call, (name, value)| call.arg(name).arg(value));
        if self.shared().link.call::<bool>(call).await? {
            return Ok(());
        }
        if let Some(owner) = session.owner.filter(|_| is_new) {
            self.release(&owner, &session.id).await?;
        }
        Err(StoreError::Exists)
    }
}

impl SessionStore for Redis {
    fn create(&self, session: NewSession) -> Boxed<'_, Result<(), StoreError>> {
        Box::pin(self.create_session(session))
    }

    fn load<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<Option<SessionRecord>, StoreError>> {
        Box::pin(async move {
            let call = Call::new(&SESSION_LOAD).key(self.key("session", id)).repeatable();
            let Some(found) = self.shared().link.call::<Option<Vec<(String, Vec<u8>)>>>(call).await? else {
                return Ok(None);
            };
            let mut record = SessionRecord::default();
            for (name, value) in found {
                match (name.as_str(), name.strip_prefix(':')) {
                    (_, Some(name)) => drop(record.fields.insert(name.to_owned(), value.into())),
                    ("owner", _) => record.owner = Some(text(value)?),
                    ("version", _) => record.version = text(value)?.parse().map_err(StoreError::unavailable)?,
                    _ => {}
                }
            }
            Ok(Some(record))
        })
    }

    fn touch<'a>(&'a self, id: &'a str, idle: Duration) -> Boxed<'a, Result<Option<u64>, StoreError>> {
        Box::pin(async move {
            let call = Call::new(&SESSION_TOUCH).key(self.key("session", id)).number(idle).repeatable();
            self.shared().link.call(call).await
        })
    }

    fn change<'a>(
        &'a self,
        id: &'a str,
        fields: Vec<(String, Option<Bytes>)>,
    ) -> Boxed<'a, Result<Option<u64>, StoreError>> {
        Box::pin(async move {
            let mut call = Call::new(&SESSION_CHANGE).key(self.key("session", id)).repeatable();
            for (name, value) in fields {
                // A mark tells an empty value from none.
                let value = value.map(|value| [b"+", &value[..]].concat()).unwrap_or_default();
                call = call.arg(name).arg(value);
            }
            self.shared().link.call(call).await
        })
    }

    fn remove<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            let call = Call::new(&SESSION_REMOVE).key(self.key("session", id));
            let (was_there, owner) = self.shared().link.call::<(bool, Option<String>)>(call).await?;
            if let Some(owner) = owner {
                self.release(&owner, id).await?;
            }
            Ok(was_there)
        })
    }

    fn count<'a>(&'a self, owner: &'a str) -> Boxed<'a, Result<usize, StoreError>> {
        Box::pin(async move {
            let call = Call::new(&SESSION_COUNT).key(self.key("sessions", owner)).repeatable();
            let (live, overdue) = self.shared().link.call::<(usize, Vec<String>)>(call).await?;
            let late = if overdue.is_empty() { 0 } else { self.settle(owner, overdue).await? };
            Ok(live.saturating_add(late))
        })
    }
}

fn text(bytes: Vec<u8>) -> Result<String, StoreError> {
    String::from_utf8(bytes).map_err(StoreError::unavailable)
}
