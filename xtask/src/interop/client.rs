//! The clients, each in one pinned version.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;

use crate::workspace::Workspace;
use crate::{install, node};

/// How client and server talk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Transport {
    Stdio,
    /// Streamable HTTP.
    Http,
    /// HTTP+SSE.
    Sse,
}

impl Transport {
    pub(super) const ALL: &[Self] = &[Self::Stdio, Self::Http, Self::Sse];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::Sse => "sse",
        }
    }
}

/// Which half of the protocol's history a client is made to speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    Legacy,
    Modern,
}

/// A client and what it can do.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) name: &'static str,
    kit: Kit,
    pub(super) era: Era,
    /// What it must agree on with a server that speaks all revisions.
    pub(super) revision: &'static str,
    pub(super) transports: &'static [Transport],
    /// The features that it, or its revision, does not have.
    pub(super) lacks: &'static [&'static str],
}

/// Where a client comes from, and the script of ours that drives it.
#[derive(Debug, PartialEq, Eq)]
enum Kit {
    /// The Python package `mcp`.
    Python {
        version: &'static str,
        with: &'static [&'static str],
        script: &'static str,
    },
    Npm {
        package: &'static str,
        version: &'static str,
        script: &'static str,
    },
    /// The crate `rmcp`, in the version that its driver's manifest names.
    Rmcp,
}

const PYTHON_1: &str = "python/client_1.py";
const PYTHON_2: Kit = Kit::Python { version: "2.3.0", with: &[], script: "python/client_2.py" };
const TYPESCRIPT_2: Kit =
    Kit::Npm { package: "@modelcontextprotocol/client", version: "2.4.0", script: "client_2.mjs" };
const NO_SSE: &[Transport] = &[Transport::Stdio, Transport::Http];

/// A client that speaks both eras is here twice, one below the other.
pub(super) const CLIENTS: &[Client] = &[
    Client {
        name: "python 1.0.0",
        kit: Kit::Python { version: "1.0.0", with: &[], script: PYTHON_1 },
        era: Era::Legacy,
        revision: "2024-11-05",
        transports: &[Transport::Stdio, Transport::Sse],
        lacks: &["structured", "elicit", "cancel"],
    },
    Client {
        name: "python 1.9.4",
        // It imports something that newer releases of pydantic no longer have.
        kit: Kit::Python { version: "1.9.4", with: &["pydantic==2.11.7"], script: PYTHON_1 },
        era: Era::Legacy,
        revision: "2025-03-26",
        transports: Transport::ALL,
        lacks: &["structured", "elicit"],
    },
    Client {
        name: "python 1.22.0",
        kit: Kit::Python { version: "1.22.0", with: &[], script: PYTHON_1 },
        era: Era::Legacy,
        revision: "2025-06-18",
        transports: Transport::ALL,
        lacks: &[],
    },
    Client {
        name: "python 1.30.0",
        kit: Kit::Python { version: "1.30.0", with: &[], script: PYTHON_1 },
        era: Era::Legacy,
        revision: "2025-11-25",
        transports: Transport::ALL,
        lacks: &[],
    },
    Client {
        name: "python 2.3.0 legacy",
        kit: PYTHON_2,
        era: Era::Legacy,
        revision: "2025-11-25",
        transports: Transport::ALL,
        lacks: &[],
    },
    Client {
        name: "python 2.3.0",
        kit: PYTHON_2,
        era: Era::Modern,
        revision: "2026-07-28",
        transports: NO_SSE,
        lacks: &["ping"],
    },
    Client {
        name: "typescript 1.32.2",
        kit: Kit::Npm { package: "@modelcontextprotocol/sdk", version: "1.32.2", script: "client_1.mjs" },
        era: Era::Legacy,
        revision: "2025-11-25",
        transports: Transport::ALL,
        lacks: &[],
    },
    Client {
        name: "typescript 2.4.0 legacy",
        kit: TYPESCRIPT_2,
        era: Era::Legacy,
        revision: "2025-11-25",
        transports: Transport::ALL,
        lacks: &[],
    },
    Client {
        name: "typescript 2.4.0",
        kit: TYPESCRIPT_2,
        era: Era::Modern,
        revision: "2026-07-28",
        transports: NO_SSE,
        lacks: &["ping"],
    },
    Client {
        name: "rmcp 3.8.0 legacy",
        kit: Kit::Rmcp,
        era: Era::Legacy,
        revision: "2025-11-25",
        transports: NO_SSE,
        lacks: &[],
    },
    Client {
        name: "rmcp 3.8.0",
        kit: Kit::Rmcp,
        era: Era::Modern,
        revision: "2026-07-28",
        transports: NO_SSE,
        lacks: &["ping"],
    },
];

/// A client that is ready to run.
#[derive(Debug)]
pub(super) struct Driver {
    program: PathBuf,
    arguments: Vec<PathBuf>,
}

impl Driver {
    /// Returns the command for a transport; the target is a URL or the words of a command.
    pub(super) fn command(&self, transport: Transport, target: &[String]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).arg(transport.name()).args(target);
        // Python would write what it compiles beside our scripts.
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }
}

impl Client {
    /// Says whether both are installed by the same step.
    pub(super) fn is_of_the_kit_of(&self, other: &Self) -> bool {
        self.kit == other.kit
    }

    /// Installs the client below `target/interop`; an error says why that is not possible.
    pub(super) fn install(&self, workspace: &Workspace) -> Result<Driver, String> {
        let era = match self.era {
            Era::Legacy => "legacy",
            Era::Modern => "modern",
        };
        match self.kit {
            Kit::Python { version, with, script } => {
                let python = python(workspace, version, with)?;
                let mut arguments = vec![scripts(workspace).join(script)];
                if script != PYTHON_1 {
                    arguments.push(era.into());
                }
                Ok(Driver { program: python, arguments })
            }
            Kit::Npm { package, version, script } => {
                let program = node::at_least(20, workspace)?;
                let folder = npm(workspace, package, version)?;
                let mut arguments = vec![beside_packages(workspace, &folder, script)?];
                if script != "client_1.mjs" {
                    arguments.push(era.into());
                }
                Ok(Driver { program, arguments })
            }
            Kit::Rmcp => Ok(Driver { program: rmcp(workspace)?, arguments: vec![era.into()] }),
        }
    }
}

/// Returns the folder with our scripts.
pub(super) fn scripts(workspace: &Workspace) -> PathBuf {
    workspace.root.join("tests/interop")
}

/// Returns the folder with all that is installed and written.
pub(super) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("interop")
}

/// Returns a Python that has the package `mcp`.
pub(super) fn python(workspace: &Workspace, version: &str, with: &[&str]) -> Result<PathBuf, String> {
    let venv = folder(workspace).join(format!("python-{version}"));
    let pinned: Vec<String> =
        std::iter::once(format!("mcp=={version}")).chain(with.iter().map(|&pin| pin.to_owned())).collect();
    install::once(&venv, &pinned.join(" "), || install::python(&venv, pinned.iter().cloned()))?;
    Ok(venv.join("bin/python"))
}

/// Returns the folder that has an npm package in its `node_modules`.
pub(super) fn npm(workspace: &Workspace, package: &str, version: &str) -> Result<PathBuf, String> {
    let name = package.rsplit('/').next().unwrap_or(package);
    let folder = folder(workspace).join(format!("npm-{name}-{version}"));
    let pinned = format!("{package}@{version}");
    install::once(&folder, &pinned, || install::npm(&folder, std::iter::once(pinned.clone())))?;
    Ok(folder)
}

/// Puts our scripts beside the packages: that is the only place from where Node finds them.
fn beside_packages(workspace: &Workspace, folder: &Path, script: &str) -> Result<PathBuf, String> {
    for name in ["checks.mjs", script] {
        let from = scripts(workspace).join("typescript").join(name);
        std::fs::copy(&from, folder.join(name)).map_err(|error| format!("can not copy {}: {error}", from.display()))?;
    }
    Ok(folder.join(script))
}

/// Builds the driver of `rmcp`, apart from our own workspace.
fn rmcp(workspace: &Workspace) -> Result<PathBuf, String> {
    let target = folder(workspace).join("rmcp");
    let manifest = scripts(workspace).join("rmcp-client/Cargo.toml");
    let mut cargo = workspace.cargo();
    cargo.args(["build", "--quiet", "--locked", "--manifest-path"]).arg(manifest);
    install::quietly(cargo.arg("--target-dir").arg(&target))?;
    Ok(target.join("debug/interop-rmcp-client"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interop::report::FEATURES;

    #[test]
    fn what_a_client_lacks_is_a_feature() {
        for client in CLIENTS {
            assert!(client.lacks.iter().all(|lack| FEATURES.contains(lack)), "{}", client.name);
        }
    }

    #[test]
    fn every_revision_has_a_client() {
        for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] {
            assert!(CLIENTS.iter().any(|client| client.revision == revision), "{revision}");
        }
    }

    #[test]
    fn the_manifest_of_the_driver_names_the_version_of_rmcp() {
        let workspace = Workspace::find().unwrap();
        let manifest = std::fs::read_to_string(scripts(&workspace).join("rmcp-client/Cargo.toml")).unwrap();
        let client = CLIENTS.iter().find(|client| matches!(client.kit, Kit::Rmcp)).unwrap();
        let version = client.name.split_whitespace().nth(1).unwrap();
        assert!(manifest.contains(&format!("version = \"={version}\"")), "{manifest}");
    }
}
