//! The servers that ours stand in for, installed below `target`.

use crate::bench::Program;
use crate::install;
use crate::node;
use crate::pinned::{
    PYTHON_1, PYTHON_2, Pinned, SERVER_EVERYTHING, SERVER_FETCH, SERVER_FILESYSTEM, SERVER_GIT, SERVER_MEMORY,
    SERVER_SEQUENTIAL_THINKING, SERVER_SQLITE, SERVER_TIME,
};
use crate::workspace::Workspace;

/// Installs the original of a server; the error says why that is not possible.
pub(super) fn original(workspace: &Workspace, server: &str) -> Result<Program, String> {
    match server {
        "filesystem" => npm(workspace, &SERVER_FILESYSTEM),
        "memory" => npm(workspace, &SERVER_MEMORY),
        "everything" => npm(workspace, &SERVER_EVERYTHING),
        "sequentialthinking" => npm(workspace, &SERVER_SEQUENTIAL_THINKING),
        "git" => python(workspace, &SERVER_GIT, &PYTHON_2),
        "time" => python(workspace, &SERVER_TIME, &PYTHON_2),
        "fetch" => python(workspace, &SERVER_FETCH, &PYTHON_2),
        // It does not run on the newer library.
        "sqlite" => python(workspace, &SERVER_SQLITE, &PYTHON_1),
        _ => Err("there is none".to_owned()),
    }
}

fn npm(workspace: &Workspace, package: &Pinned) -> Result<Program, String> {
    let node = node::at_least(20, workspace)?;
    let folder = workspace.target.join("originals").join(package.name.replace('/', "-"));
    install::npm_once(&folder, package)?;
    let script = folder.join("node_modules").join(package.name).join("dist/index.js");
    Ok(Program { path: node, arguments: vec![script.display().to_string()] })
}

fn python(workspace: &Workspace, package: &Pinned, library: &Pinned) -> Result<Program, String> {
    let venv = workspace.target.join("originals").join(package.name);
    install::python_once(&venv, &[package, library])?;
    Ok(Program { path: venv.join("bin").join(package.name), arguments: Vec::new() })
}
