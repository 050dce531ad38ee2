//! `--repository` holds for what is opened, not only for the path that was given.

use jackfield_servers::git::{Access, RepositoryError};

use super::fixture::{Fixture, HISTORY};

fn confined(fixture: &Fixture) -> Access {
    Access::confined([fixture.root()]).unwrap()
}

/// The message without the reason that may follow.
#[track_caller]
fn refused(fixture: &Fixture, path: &str) {
    let failure = fixture.try_open(path, confined(fixture)).unwrap_err().to_string();
    let expected = format!("Repository path '{path}' is outside the allowed repository '{}'", fixture.path());
    assert!(failure.starts_with(&expected), "{failure}");
}

/// The secret repository next to the allowed one.
const OTHER: &str = "git init -q ../other; cd ../other; git config user.name o; git config user.email o@x; echo secret > s; git add .; git commit -qm secret; cd ../repo";

#[test]
fn other_paths_are_outside() {
    let fixture = Fixture::after(&format!("{HISTORY}\n{OTHER}\nln -s ../other inside"));
    let directory = fixture.directory().display().to_string();
    for path in [
        directory.clone(),
        format!("{directory}/other"),
        format!("{}/../other", fixture.path()),
        format!("{}/inside", fixture.path()),
        format!("{directory}/repo_evil"),
    ] {
        let failure = fixture.try_open(&path, confined(&fixture)).unwrap_err().to_string();
        assert!(failure.contains("is outside the allowed repository"), "{path}: {failure}");
    }
    assert!(fixture.try_open(&fixture.path(), confined(&fixture)).is_ok());
    let missing = format!("{}/missing", fixture.path());
    assert_eq!(fixture.try_open(&missing, confined(&fixture)).unwrap_err().to_string(), missing);
}

#[test]
fn a_git_file_that_leads_elsewhere_is_refused() {
    let fixture =
        Fixture::after(&format!("{HISTORY}\n{OTHER}\nmkdir trap; echo 'gitdir: ../../other/.git' > trap/.git"));
    refused(&fixture, &format!("{}/trap", fixture.path()));
    let linked = Fixture::after(&format!("{HISTORY}\n{OTHER}\nmkdir trap; ln -s ../../other/.git trap/.git"));
    refused(&linked, &format!("{}/trap", linked.path()));
}

#[test]
fn a_worktree_of_another_repository_is_refused() {
    let fixture = Fixture::after(&format!("{HISTORY}\n{OTHER}\ngit -C ../other worktree add -q --detach ../repo/trap"));
    refused(&fixture, &format!("{}/trap", fixture.path()));
}

#[test]
fn a_common_directory_elsewhere_is_refused() {
    let fixture = Fixture::after(&format!(
        "{HISTORY}\n{OTHER}\nmkdir -p trap/.git; echo ../../../other/.git > trap/.git/commondir; cp ../other/.git/HEAD trap/.git/HEAD"
    ));
    refused(&fixture, &format!("{}/trap", fixture.path()));
}

#[test]
fn objects_elsewhere_are_refused() {
    let alternates =
        Fixture::after(&format!("{HISTORY}\n{OTHER}\necho ../../../other/.git/objects > .git/objects/info/alternates"));
    refused(&alternates, &alternates.path());
    let linked =
        Fixture::after(&format!("{HISTORY}\n{OTHER}\nrm -r .git/objects; ln -s ../../other/.git/objects .git/objects"));
    refused(&linked, &linked.path());
    let packs = Fixture::after(&format!(
        "{HISTORY}\n{OTHER}\ngit -C ../other gc -q; rm -r .git/objects/pack; ln -s ../../../other/.git/objects/pack .git/objects/pack"
    ));
    refused(&packs, &packs.path());
    let references =
        Fixture::after(&format!("{HISTORY}\n{OTHER}\nln -s ../../../../other/.git/refs/heads .git/refs/heads/linked"));
    refused(&references, &references.path());
}

#[test]
fn a_working_tree_that_is_configured_to_be_elsewhere_is_refused() {
    let fixture = Fixture::after(&format!("{HISTORY}\nmkdir ../elsewhere; git config core.worktree ../../elsewhere"));
    let failure = fixture.try_open(&fixture.path(), confined(&fixture)).unwrap_err().to_string();
    assert!(failure.contains("is configured to be elsewhere"), "{failure}");
}

#[test]
fn own_worktrees_and_submodules_are_inside() {
    let fixture = Fixture::after(&format!("{HISTORY}\ngit worktree add -q tree feature"));
    let path = format!("{}/tree", fixture.path());
    let repository = fixture.try_open(&path, confined(&fixture)).unwrap();
    assert_eq!(repository.status().unwrap(), "On branch feature\nnothing to commit, working tree clean");
    assert!(repository.branches("local", None, None).unwrap().contains("* feature\n+ main"));
}

#[test]
fn a_linked_worktree_may_be_named_itself() {
    let fixture = Fixture::after(&format!("{HISTORY}\ngit worktree add -q ../tree feature"));
    let path = fixture.directory().join("tree");
    let access = Access::confined([path.clone()]).unwrap();
    assert!(fixture.try_open(path.to_str().unwrap(), access).is_ok());
    // Its main repository is not allowed by that.
    let access = Access::confined([path]).unwrap();
    assert!(fixture.try_open(&fixture.path(), access).is_err());
    // A git file that nothing confirms does not widen what is allowed.
    let trap =
        Fixture::after(&format!("{HISTORY}\n{OTHER}\nmkdir ../trap; echo 'gitdir: ../other/.git' > ../trap/.git"));
    let path = trap.directory().join("trap");
    let access = Access::confined([path.clone()]).unwrap();
    assert!(trap.try_open(path.to_str().unwrap(), access).is_err());
}

#[test]
fn only_the_root_of_a_repository_is_one() {
    let fixture = Fixture::after(&format!("{HISTORY}\nmkdir ../plain"));
    for path in [format!("{}/src", fixture.path()), format!("{}/plain", fixture.directory().display())] {
        assert_eq!(fixture.try_open(&path, Access::unrestricted()).unwrap_err().to_string(), path);
    }
    // The option finds the enclosing working tree, as `git rev-parse --show-toplevel` does.
    let access = Access::confined([fixture.root().join("src")]).unwrap();
    assert!(fixture.try_open(&fixture.path(), access).is_ok());
    assert!(matches!(Access::confined([fixture.directory().join("plain")]), Err(RepositoryError::Invalid(_))));
    assert!(matches!(Access::confined([fixture.directory().join("nope")]), Err(RepositoryError::Missing(_))));
}

#[cfg(unix)]
#[test]
fn a_repository_of_another_user_is_refused() {
    let fixture = Fixture::after(HISTORY);
    if std::os::unix::fs::chown(fixture.root().join(".git"), Some(12345), None).is_err() {
        eprintln!("skipped: only root can give a directory to another user");
        return;
    }
    let failure = fixture.try_open(&fixture.path(), Access::unrestricted()).unwrap_err().to_string();
    assert!(failure.starts_with("detected dubious ownership in repository at"), "{failure}");
}
