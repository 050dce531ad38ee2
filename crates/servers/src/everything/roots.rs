//! The roots of clients: asked for when they may have changed, and remembered in between.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use jackfield::protocol::Root;
use jackfield::transport::Session;
use jackfield::{Cx, Error, Server, State, tool};

pub(super) fn add(server: Server) -> Server {
    server.state(KnownRoots::default()).on_initialized(fetch_roots).on_roots_changed(fetch_roots)
}

/// What clients said last, by session.
#[derive(Default)]
pub(super) struct KnownRoots(Mutex<HashMap<usize, Known>>);

struct Known {
    /// While this is kept no other session has the same name.
    session: Weak<Session>,
    roots: Vec<Root>,
}

impl KnownRoots {
    fn lock(&self) -> MutexGuard<'_, HashMap<usize, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of(&self, cx: &Cx) -> Option<Vec<Root>> {
        let session = cx.session()?;
        self.lock().get(&Arc::as_ptr(session).addr()).map(|known| known.roots.clone())
    }

    fn note(&self, cx: &Cx, roots: &[Root]) {
        let Some(session) = cx.session() else { return };
        let mut known = self.lock();
        // Sessions may end without a word.
        known.retain(|_, known| known.session.strong_count() > 0);
        let (session, name) = (Arc::downgrade(session), Arc::as_ptr(session).addr());
        known.insert(name, Known { session, roots: roots.to_vec() });
    }
}

/// Looks at the roots of a client that has some, and says so in the log.
async fn fetch_roots(cx: Cx) {
    if cx.has_roots()
        && let Ok(roots) = cx.roots().await
        && let Ok(known) = cx.state::<KnownRoots>()
    {
        known.note(&cx, &roots);
        cx.info(format!("Roots updated: {} root(s) received from client", roots.len()));
    }
}

/// List the roots that the client offers.
#[tool(
    name = "get-roots-list",
    title = "Get Roots List Tool",
    read_only,
    destructive = false,
    idempotent,
    open_world = false
)]
pub(super) async fn get_roots_list(known: State<KnownRoots>, cx: &Cx) -> Result<String, Error> {
    let roots = match known.of(cx) {
        Some(roots) => roots,
        None => cx.roots().await?,
    };
    known.note(cx, &roots);
    if roots.is_empty() {
        return Ok(
            "The client supports roots but no roots are currently configured. Add one there and call this tool again."
                .to_owned(),
        );
    }
    let lines: Vec<_> = roots
        .iter()
        .enumerate()
        .map(|(index, root)| {
            let name = root.name.as_deref().unwrap_or("Unnamed Root");
            format!("{}. {name}\n   URI: {}", index + 1, root.uri)
        })
        .collect();
    Ok(format!(
        "Current MCP Roots ({} total):\n\n{}\n\nNote: this server only shows the roots. It does not read their files.",
        roots.len(),
        lines.join("\n\n")
    ))
}
