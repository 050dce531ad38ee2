//! The clients, each in one pinned version.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;

use crate::pinned::{
    PYDANTIC_2_11, PYTHON_1, PYTHON_1_0, PYTHON_1_9, PYTHON_1_22, PYTHON_2, Pinned, RMCP, TYPESCRIPT_1,
    TYPESCRIPT_2_CLIENT,
};
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
        package: &'static Pinned,
        with: &'static [&'static Pinned],
        script: &'static str,
    },
    Npm {
        package: &'static Pinned,
        script: &'static str,
    },
    /// The crate `rmcp`, in the version that its driver's manifest names.
    Rmcp,
}

const PYTHON_1_SCRIPT: &str = "python/client_1.py";
const PYTHON_2_KIT: Kit = Kit::Python { package: &PYTHON_2, with: &[], script: "python/client_2.py" };
const TYPESCRIPT_2_KIT: Kit = Kit::Npm { package: &TYPESCRIPT_2_CLIENT, script: "client_2.mjs" };
const NO_SSE: &[Transport] = &[Transport::Stdio, Transport::Http];

/// A client that speaks both eras is here twice, one below the other.
pub(super) const CLIENTS: &[Client] = &[
    Client {
        name: PYTHON_1_0.label,
        kit: Kit::Python { package: &PYTHON_1_0, with: &[], script: PYTHON_1_SCRIPT },
        era: Era::Legacy,
        revision: "2024-11-05",
        transports: &[Transport::Stdio, Transport::Sse],
        lacks: &["structured", "elicit", "cancel"],
    },
    Client {
        name: PYTHON_1_9.label,
        kit: Kit::Python { package: &PYTHON_1_9, with: &[&PYDANTIC_2_11], script: PYTHON_1_SCRIPT },
        era: Era::Legacy,
        revision: "2025-03-26",
        transports: Transport::ALL,
        lacks: &["structured", "elicit"],
    },
    Client {
        name: PYTHON_1_22.label,
        kit: Kit::Python { package: &PYTHON_1_22, with: &[], script: PYTHON_1_SCRIPT },
        era: Era::Legacy,
        revision: "2025-06-18",
        transports: Transport::ALL,
        lacks: &[],
    },
    Client {
        name: PYTHON_1.label,
        kit: Kit::Python { package: &PYTHON_1, with: &[], script: PYTHON_1_SCRIPT },
        era: Era::Legacy,
        revision: "2025-11-25",
        transports: Transport::ALL,
        lacks: &[],
    },
    Client {
        name: PYTHON_2.legacy_label,
        kit: PYTHON_2_KIT,
        era: Era::Legacy,
        revision: "2025-11-25",
        transports: Transport::ALL,
        lacks: &[],
    },
    Client {
        name: PYTHON_2.label,
        kit: PYTHON_2_KIT,
        era: Era::Modern,
        revision: "2026-07-28",
        transports: NO_SSE,
        lacks: &["ping"],
    },
    Client {
        name: TYPESCRIPT_1.label,
        kit: Kit::Npm { package: &TYPESCRIPT_1, script: "client_1.mjs" },
        era: Era::Legacy,
        revision: "2025-11-25",
        transports: Transport::ALL,
        lacks: &[],
    },
    Client {
        name: TYPESCRIPT_2_CLIENT.legacy_label,
        kit: TYPESCRIPT_2_KIT,
        era: Era::Legacy,
        revision: "2025-11-25",
        transports: Transport::ALL,
        lacks: &[],
    },
    Client {
        name: TYPESCRIPT_2_CLIENT.label,
        kit: TYPESCRIPT_2_KIT,
        era: Era::Modern,
        revision: "2026-07-28",
        transports: NO_SSE,
        lacks: &["ping"],
    },
    Client {
        name: RMCP.legacy_label,
        kit: Kit::Rmcp,
        era: Era::Legacy,
        revision: "2025-11-25",
        transports: NO_SSE,
        lacks: &[],
    },
    Client {
        name: RMCP.label,
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
            Kit::Python { package, with, script } => {
                let python = python(workspace, package, with)?;
                let mut arguments = vec![scripts(workspace).join(script)];
                if script != PYTHON_1_SCRIPT {
                    arguments.push(era.into());
                }
                Ok(Driver { program: python, arguments })
            }
            Kit::Npm { package, script } => {
                let program = node::at_least(20, workspace)?;
                let folder = npm(workspace, package)?;
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
pub(super) fn python(workspace: &Workspace, package: &Pinned, with: &[&Pinned]) -> Result<PathBuf, String> {
    let venv = folder(workspace).join(format!("python-{}", package.version));
    install::python_once(&venv, &[&[package], with].concat())?;
    Ok(venv.join("bin/python"))
}

/// Returns the folder that has an npm package in its `node_modules`.
pub(super) fn npm(workspace: &Workspace, package: &Pinned) -> Result<PathBuf, String> {
    let name = package.name.rsplit('/').next().unwrap_or(package.name);
    let folder = folder(workspace).join(format!("npm-{name}-{}", package.version));
    install::npm_once(&folder, package)?;
    Ok(folder)
}

/// Puts our scripts beside the packages: that is the only place from where Node finds them.
fn beside_packages(workspace: &Workspace, folder: &Path, script: &str) -> Result<PathBuf, String> {
    for name in ["checks.mjs", script] {
        let from = scripts(workspace).join("typescript").join(name);
        std::fs::copy(&from, folder.join(name)).map_err(|error| format!("cannot copy {}: {error}", from.display()))?;
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
}
