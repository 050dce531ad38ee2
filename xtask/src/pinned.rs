//! The packages of others that are installed here, each in one version. No other file of this program names one.
//!
//! The crates among them stand in manifests of their own too, which cargo reads; a test compares.

/// A package in one version.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Pinned {
    registry: Registry,
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// What tables call it, with its version.
    pub(crate) label: &'static str,
    /// The same for a client that is made to speak the older era.
    pub(crate) legacy_label: &'static str,
}

/// Where a package comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Registry {
    Npm,
    PyPi,
    Crates,
}

macro_rules! pinned {
    ($($constant:ident = $registry:ident $name:literal $version:literal, $title:literal;)*) => {
        $(pub(crate) const $constant: Pinned = Pinned {
            registry: Registry::$registry,
            name: $name,
            version: $version,
            label: concat!($title, " ", $version),
            legacy_label: concat!($title, " ", $version, " legacy"),
        };)*

        #[cfg(test)]
        const ALL: &[&Pinned] = &[$(&$constant),*];
    };
}

pinned! {
    // The Python SDK: the newest release that speaks each revision, and the newest of all.
    PYTHON_1_0 = PyPi "mcp" "1.0.0", "python";
    PYTHON_1_9 = PyPi "mcp" "1.9.4", "python";
    PYTHON_1_22 = PyPi "mcp" "1.22.0", "python";
    PYTHON_1 = PyPi "mcp" "1.30.0", "python";
    PYTHON_2 = PyPi "mcp" "2.3.0", "python";
    // Version 1.9 of the Python SDK imports something that newer releases no longer have.
    PYDANTIC_2_11 = PyPi "pydantic" "2.11.7", "pydantic";
    FASTMCP = PyPi "fastmcp" "4.1.0", "fastmcp";

    // The TypeScript SDK, which has a package for each side since 2.0.
    TYPESCRIPT_1 = Npm "@modelcontextprotocol/sdk" "1.32.2", "typescript";
    TYPESCRIPT_2_CLIENT = Npm "@modelcontextprotocol/client" "2.4.0", "typescript";
    TYPESCRIPT_2_SERVER = Npm "@modelcontextprotocol/server" "2.4.0", "typescript";

    // The reference servers.
    SERVER_EVERYTHING = Npm "@modelcontextprotocol/server-everything" "2026.8.31", "server-everything";
    SERVER_FILESYSTEM = Npm "@modelcontextprotocol/server-filesystem" "2026.8.31", "server-filesystem";
    SERVER_MEMORY = Npm "@modelcontextprotocol/server-memory" "2026.8.31", "server-memory";
    SERVER_SEQUENTIAL_THINKING = Npm "@modelcontextprotocol/server-sequential-thinking" "2026.8.31", "server-sequential-thinking";
    SERVER_GIT = PyPi "mcp-server-git" "2026.10.19", "server-git";
    SERVER_TIME = PyPi "mcp-server-time" "2026.10.19", "server-time";
    SERVER_FETCH = PyPi "mcp-server-fetch" "2026.10.24", "server-fetch";
    SERVER_SQLITE = PyPi "mcp-server-sqlite" "2025.4.25", "server-sqlite";

    // The newest conformance suite that knows the newest revision.
    CONFORMANCE = Npm "@modelcontextprotocol/conformance" "0.2.0-alpha.12", "conformance";
    OIDC_PROVIDER = Npm "oidc-provider" "9.13.3", "oidc-provider";
    // What is installed where the machine has no Node, or an older one.
    NODE = Npm "node" "22.23.3", "node";

    // Linked data: readers, validators and a reasoner that are not ours.
    PYSHACL = PyPi "pyshacl" "0.40.1", "pyshacl";
    RDFLIB = PyPi "rdflib" "7.6.0", "rdflib";
    PYLD = PyPi "PyLD" "3.3.0", "PyLD";
    OWLRL = PyPi "owlrl" "7.6.2", "owlrl";
    JSONSCHEMA = PyPi "jsonschema" "4.26.0", "jsonschema";
    PYYAML = PyPi "PyYAML" "6.0.3", "PyYAML";

    RMCP = Crates "rmcp" "3.8.0", "rmcp";
    TOWER_MCP = Crates "tower-mcp" "0.25.0", "tower-mcp";
    CARGO_HACK = Crates "cargo-hack" "0.6.46", "cargo-hack";
    CARGO_LLVM_COV = Crates "cargo-llvm-cov" "0.9.1", "cargo-llvm-cov";
}

impl Pinned {
    /// Returns name and version in the form of its registry's installer.
    pub(crate) fn requirement(&self) -> String {
        let Self { name, version, .. } = self;
        match self.registry {
            Registry::Npm | Registry::Crates => format!("{name}@{version}"),
            Registry::PyPi => format!("{name}=={version}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files;
    use crate::workspace::Workspace;

    #[test]
    fn requirements_have_the_form_of_their_registry() {
        assert_eq!(PYTHON_2.requirement(), format!("mcp=={}", PYTHON_2.version));
        assert_eq!(NODE.requirement(), format!("node@{}", NODE.version));
        assert_eq!(PYTHON_2.legacy_label, format!("{} legacy", PYTHON_2.label));
    }

    #[test]
    fn nothing_is_pinned_twice() {
        for (place, pinned) in ALL.iter().enumerate() {
            assert!(!ALL[..place].contains(pinned), "{}", pinned.requirement());
        }
    }

    #[test]
    fn manifests_name_the_same_versions_of_crates() {
        let workspace = Workspace::find().unwrap();
        let all = files::of(&workspace.root).unwrap();
        let manifests: Vec<_> = all.iter().filter(|file| file.path.ends_with("Cargo.toml")).collect();
        for (pinned, expected) in [(RMCP, 4), (TOWER_MCP, 1)] {
            let start = format!("{} = ", pinned.name);
            let lines = manifests.iter().flat_map(|file| file.text.lines()).filter(|line| line.starts_with(&start));
            let lines: Vec<&str> = lines.collect();
            assert_eq!(lines.len(), expected, "{lines:?}");
            let version = format!("version = \"={}\"", pinned.version);
            assert!(lines.iter().all(|line| line.contains(&version)), "{lines:?}");
        }
    }
}
