//! Nothing in a repository runs a program, and nothing leads out of it. Each of these succeeds against a server that calls git.

use super::fixture::{Fixture, HISTORY};

/// A repository whose configuration tries to run a program in many ways; the program leaves a file `../ran`.
fn armed(extra: &str) -> Fixture {
    let fixture = Fixture::after(HISTORY);
    let marker = fixture.directory().join("ran");
    let program = fixture.directory().join("program.sh");
    std::fs::write(&program, format!("#!/bin/sh\necho \"$0 $@\" >> '{}'\ncat\n", marker.display())).unwrap();
    fixture.shell("chmod +x ../program.sh");
    let program = program.display().to_string();
    fixture.shell(&extra.replace("PROGRAM", &program));
    // The setup itself may have run it.
    let _ = std::fs::remove_file(marker);
    fixture
}

fn has_run(fixture: &Fixture) -> bool {
    fixture.directory().join("ran").exists()
}

/// Everything that the server can do.
fn use_all_tools(fixture: &Fixture) {
    fixture.write("digits.txt", "changed\n");
    let repository = fixture.open();
    let _ = repository.status();
    let _ = repository.diff_unstaged(3);
    let _ = repository.add(&[".".to_owned()]);
    let _ = repository.diff_staged(3);
    let _ = repository.diff_with("HEAD~1", 3);
    let _ = repository.commit("message");
    let _ = repository.show("HEAD");
    let _ = repository.log(&Default::default());
    let _ = repository.branches("all", None, None);
    let _ = repository.create_branch("new", None);
    let _ = repository.checkout("feature");
    let _ = repository.checkout("main");
    let _ = repository.reset();
}

#[test]
fn hooks_do_not_run() {
    let hooks = "pre-commit prepare-commit-msg commit-msg post-commit post-checkout post-index-change reference-transaction pre-auto-gc fsmonitor-watchman";
    let fixture = armed(&format!("for hook in {hooks}; do cp PROGRAM .git/hooks/$hook; done"));
    use_all_tools(&fixture);
    assert!(!has_run(&fixture));
    let fixture = armed(&format!(
        "mkdir ../hooks; for hook in {hooks}; do cp PROGRAM ../hooks/$hook; done; git config core.hooksPath ../hooks"
    ));
    use_all_tools(&fixture);
    assert!(!has_run(&fixture));
}

#[test]
fn configured_programs_do_not_run() {
    let fixture = armed(
        "git config core.fsmonitor PROGRAM; git config diff.external PROGRAM; git config core.pager PROGRAM; git config pager.log PROGRAM; \
         git config diff.evil.textconv PROGRAM; git config diff.evil.command PROGRAM; echo '* diff=evil' > .git/info/attributes; \
         git config core.sshCommand PROGRAM; git config credential.helper '!PROGRAM'; git config core.editor PROGRAM; \
         git config gpg.program PROGRAM; git config commit.gpgSign true; git config core.alternateRefsCommand PROGRAM; \
         git config merge.evil.driver PROGRAM; git config uploadpack.packObjectsHook PROGRAM; git config interactive.diffFilter PROGRAM",
    );
    use_all_tools(&fixture);
    assert!(!has_run(&fixture));
    assert_eq!(fixture.git("-c core.fsmonitor= log -1 --format=%s main"), "message", "and the commit was made");
}

#[test]
fn filters_fail_the_call_unless_they_are_allowed() {
    let script = "git config filter.evil.clean PROGRAM; git config filter.evil.smudge PROGRAM; \
                  echo '*.txt filter=evil' > .gitattributes";
    let fixture = armed(script);
    fixture.write("digits.txt", "changed\n");
    for failure in [
        fixture.open().add(&["digits.txt".to_owned()]).unwrap_err(),
        fixture.open().diff_unstaged(3).unwrap_err(),
        fixture.open().status().unwrap_err(),
    ] {
        let text = failure.to_string();
        assert!(text.contains("content filter 'evil'") && text.contains("--allow-filters"), "{text}");
    }
    fixture.shell("rm .gitattributes; git checkout -q -f; echo '*.txt filter=evil' > .git/info/attributes");
    let _ = std::fs::remove_file(fixture.directory().join("ran"));
    assert!(fixture.open().checkout("feature").unwrap_err().to_string().contains("--allow-filters"));
    assert_eq!(fixture.git("symbolic-ref HEAD"), "refs/heads/main", "nothing was changed");
    assert!(!has_run(&fixture));

    fixture.write("digits.txt", "changed\n");
    fixture.open_with_filters().add(&["digits.txt".to_owned()]).unwrap();
    assert!(has_run(&fixture));
}

#[test]
fn a_filter_of_a_global_configuration_does_not_run_either() {
    // A driver that only the attributes of the repository select, as `git lfs install` configures it for the user.
    let fixture = armed(
        "git config filter.lfs.clean PROGRAM; git config filter.lfs.required true; echo '*.bin filter=lfs' > .gitattributes",
    );
    std::fs::write(fixture.root().join("data.bin"), b"new").unwrap();
    assert!(fixture.open().add(&["data.bin".to_owned()]).is_err());
    assert!(fixture.open().add(&["digits.txt".to_owned()]).is_ok(), "other files are not concerned");
    assert!(!has_run(&fixture));
}

#[test]
fn options_are_refused_before_anything_is_looked_up() {
    let fixture = Fixture::after(HISTORY);
    let hash = fixture.git("rev-parse HEAD");
    std::fs::write(fixture.root().join(".git/refs/heads/--output=pwned"), hash + "\n").unwrap();
    let repository = fixture.open();
    for (failure, message) in [
        (repository.diff_with("--output=pwned", 3).err(), "Invalid target: '--output=pwned' - cannot start with '-'"),
        (repository.show("--output=pwned").err(), "Invalid revision: '--output=pwned' - cannot start with '-'"),
        (repository.checkout("--output=pwned").err(), "Invalid branch name: '--output=pwned' - cannot start with '-'"),
        (repository.create_branch("-x", None).err(), "Invalid branch name: '-x' - cannot start with '-'"),
        (repository.create_branch("x", Some("-y")).err(), "Invalid base branch: '-y' - cannot start with '-'"),
        (repository.branches("local", Some("-x"), None).err(), "Invalid contains value: '-x' - cannot start with '-'"),
        (
            repository.branches("local", None, Some("-x")).err(),
            "Invalid not_contains value: '-x' - cannot start with '-'",
        ),
    ] {
        assert_eq!(failure.unwrap().to_string(), message);
    }
    assert!(!fixture.exists("pwned"));
}

#[test]
fn files_outside_are_not_staged() {
    let fixture =
        Fixture::after(&format!("{HISTORY}\necho secret > ../outside.txt; ln -s ../outside.txt link; ln -s .. up"));
    let outside = fixture.directory().join("outside.txt").display().to_string();
    let before = fixture.git("ls-files");
    for file in ["../outside.txt", outside.as_str(), "link", "up/outside.txt", "src/../../outside.txt"] {
        let failure = fixture.open().add(&[file.to_owned()]).unwrap_err().to_string();
        assert_eq!(failure, format!("Path '{file}' is outside the repository '{}'", fixture.path()));
    }
    assert_eq!(fixture.git("ls-files"), before);
    // With everything, links are staged as links.
    fixture.open().add(&[".".to_owned()]).unwrap();
    assert_eq!(fixture.git("cat-file -p :link"), "../outside.txt");
    assert!(fixture.git("ls-files --stage link").starts_with("120000"));
    assert!(!fixture.git("ls-files").contains("outside"));
}

#[test]
fn files_behind_a_link_are_not_read_as_tracked_files() {
    let fixture = Fixture::after(&format!(
        "{HISTORY}\nmkdir ../elsewhere; echo secret > ../elsewhere/main.py; rm -r src; ln -s ../elsewhere src"
    ));
    let repository = fixture.open();
    assert!(!repository.diff_unstaged(3).unwrap().contains("secret"));
    assert!(repository.status().unwrap().contains("deleted:    src/main.py"));
    repository.add(&[".".to_owned()]).unwrap();
    assert!(!fixture.git("diff --cached").contains("secret"));
}

#[test]
fn a_checkout_does_not_write_through_a_link() {
    let script = "git checkout -q -b deep; mkdir dir; echo payload > dir/file; git add .; git commit -qm deep; git checkout -q main; \
                  mkdir ../target; ln -s ../target dir; echo dir >> .git/info/exclude";
    let fixture = Fixture::after(&format!("{HISTORY}\n{script}"));
    let _ = fixture.open().checkout("deep");
    assert!(!fixture.directory().join("target/file").exists());
}

#[test]
fn a_hostile_tree_is_not_checked_out() {
    for name in [".git", "..", ".GIT", "git~1"] {
        let fixture = Fixture::after(HISTORY);
        fixture.shell(&format!(
            "blob=$(echo evil | git hash-object -w --stdin); \
             inner=$(printf '100755 config\\0' > ../t; echo $blob | sed 's/../\\\\x&/g' | xargs -0 printf >> ../t; git hash-object -w -t tree --literally ../t); \
             printf '40000 {name}\\0' > ../t; echo $inner | sed 's/../\\\\x&/g' | xargs -0 printf >> ../t; tree=$(git hash-object -w -t tree --literally ../t); \
             git update-ref refs/heads/evil $(git commit-tree $tree -m evil </dev/null)"
        ));
        let config = fixture.read(".git/config");
        assert!(fixture.open().checkout("evil").is_err(), "{name}");
        assert_eq!(fixture.read(".git/config"), config);
        assert_eq!(fixture.git("symbolic-ref HEAD"), "refs/heads/main");
    }
}
