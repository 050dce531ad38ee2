//! `cargo xtask tidy`: rules of the project that no other tool checks.

mod layers;
mod manifests;
mod sources;
mod text;
mod threats;

use anyhow::{Result, bail};

use crate::files;
use crate::workspace::Workspace;

/// Prints every broken rule; fails when there is one.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let problems = problems(workspace)?;
    for problem in &problems {
        println!("{problem}");
    }
    if !problems.is_empty() {
        bail!("the project has {} untidy places, listed above", problems.len());
    }
    Ok(())
}

fn problems(workspace: &Workspace) -> Result<Vec<String>> {
    let files = files::of(&workspace.root)?;
    let mut problems = layers::problems(&workspace.packages, &files);
    problems.extend(manifests::problems(workspace)?);
    problems.extend(sources::problems(&files));
    problems.extend(text::problems(&files, &workspace.root));
    problems.extend(threats::problems(&files));
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_tidy() {
        let problems = problems(&Workspace::find().unwrap()).unwrap();
        assert!(problems.is_empty(), "\n{}", problems.join("\n"));
    }
}
