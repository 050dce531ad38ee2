//! The environment of the server, as far as it may be shown.

use std::collections::BTreeMap;

use jackfield::{Server, State, tool};

/// Which environment variables are shown. The environment often holds secrets, so most are not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ShowEnvironment {
    /// `PATH`, `HOME`, `LANG` and `TZ`.
    #[default]
    Harmless,
    /// Those too, and the ones named here.
    Named(Vec<String>),
    /// All of them.
    All,
}

const HARMLESS: [&str; 4] = ["PATH", "HOME", "LANG", "TZ"];

impl ShowEnvironment {
    fn shows(&self, name: &str) -> bool {
        match self {
            Self::Harmless => HARMLESS.contains(&name),
            Self::Named(names) => HARMLESS.contains(&name) || names.iter().any(|known| known == name),
            Self::All => true,
        }
    }
}

pub(super) fn add(server: Server, shown: ShowEnvironment) -> Server {
    server.state(shown)
}

/// Return the environment variables of the server that may be shown.
#[tool(
    name = "get-env",
    title = "Print Environment Tool",
    read_only,
    destructive = false,
    idempotent,
    open_world = false
)]
pub(super) fn get_env(shown: State<ShowEnvironment>) -> Result<String, serde_json::Error> {
    let visible: BTreeMap<_, _> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into_owned())))
        .filter(|(name, _)| shown.shows(name))
        .collect();
    serde_json::to_string_pretty(&visible)
}
