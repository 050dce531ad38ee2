//! The roots of clients: asked for when they may have changed, and remembered in between.

use jackfield::protocol::Root;
use jackfield::{Cx, Error, Server, tool};

pub(super) fn add(server: Server) -> Server {
    server.on_initialized(fetch_roots).on_roots_changed(fetch_roots)
}

/// What the client of a session said last, kept with the session.
struct KnownRoots(Vec<Root>);

fn known(cx: &Cx) -> Option<Vec<Root>> {
    cx.session()?.extensions().get_ref::<KnownRoots>().map(|known| known.0.clone())
}

fn note(cx: &Cx, roots: &[Root]) {
    if let Some(session) = cx.session() {
        session.extensions().insert(KnownRoots(roots.to_vec()));
    }
}

/// Looks at the roots of a client that has some, and says so in the log.
async fn fetch_roots(cx: Cx) {
    if cx.has_roots()
        && let Ok(roots) = cx.roots().await
    {
        note(&cx, &roots);
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
pub(super) async fn get_roots_list(cx: &Cx) -> Result<String, Error> {
    let roots = match known(cx) {
        Some(roots) => roots,
        None => cx.roots().await?,
    };
    note(cx, &roots);
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
