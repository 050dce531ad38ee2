//! To whom belongs what outlives a request.

use std::fmt;
use std::sync::Arc;

use jackfield_peer::{Caller, Incoming, Principal, Session};
use jackfield_store::TaskId;

use crate::questions::seal::context;

/// Who is calling, for those who count by caller: the user, or without one the session; everyone of whom neither is known is one caller.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CallerKey(String);

impl CallerKey {
    pub(crate) fn of(incoming: &Incoming) -> Self {
        Self(Owner::of(incoming).name)
    }
}

impl fmt::Debug for CallerKey {
    /// The name of a session is known to nobody else, and that of a user is nobody else's business.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallerKey")
    }
}

/// To whom belongs what outlives a request.
pub(crate) struct Owner {
    pub(crate) name: String,
    /// Whether it is one user or session.
    pub(crate) is_known: bool,
    pub(crate) user: Option<String>,
}

impl Owner {
    /// The user; without one the session; without either everyone who knows the id.
    pub(crate) fn of(incoming: &Incoming) -> Self {
        Self::new(&incoming.caller, incoming.session.as_ref())
    }

    pub(crate) fn new(caller: &Caller, session: Option<&Arc<Session>>) -> Self {
        if let Some(user) = &caller.principal {
            let Principal { issuer, subject, client, .. } = user;
            let client = client.as_deref().unwrap_or_default();
            let name = format!("user {} {} {issuer}{subject}{client}", issuer.len(), subject.len());
            return Self { name, is_known: true, user: Some(user.subject.clone()) };
        }
        match session {
            Some(session) => Self { name: session_name(session), is_known: true, user: None },
            None => Self { name: "everyone".to_owned(), is_known: false, user: None },
        }
    }

    /// What cursors of the owner's list are bound to.
    pub(crate) fn binding(&self) -> Vec<u8> {
        context(&[b"tasks", self.name.as_bytes()])
    }
}

/// What a session is called as an owner, where only this process serves it.
struct Name(String);

/// What a session is called as an owner; nobody can guess it.
fn session_name(session: &Session) -> String {
    if let Some(name) = session.outlet().session_name() {
        return name.to_owned();
    }
    let mut extensions = session.extensions();
    if let Some(known) = extensions.get::<Name>() {
        return known.0.clone();
    }
    let name = format!("session {}", TaskId::random());
    extensions.insert(Name(name.clone()));
    name
}

/// Makes a session that belongs to the same owner, for what is done in its name after it has ended.
pub(crate) fn stand_in(session: &Session) -> Session {
    let stand_in = Session::new(session.caller().clone(), session.outlet().clone());
    stand_in.extensions().insert(Name(session_name(session)));
    stand_in
}
