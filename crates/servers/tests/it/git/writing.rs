//! What changes a repository leaves it as git would.

use jackfield_servers::git::Staged;

use super::fixture::{Fixture, HISTORY};

/// The index as git lists it, and that git finds nothing wrong with the repository.
#[track_caller]
fn staged(fixture: &Fixture) -> String {
    fixture.shell("git fsck --strict --no-dangling 2>&1");
    fixture.git("ls-files --stage")
}

/// Plays the same on two copies, once with git, and compares index, status and references.
#[track_caller]
fn check(script: &str, by_git: &str, act: impl FnOnce(&Fixture)) {
    let ours = Fixture::after(&format!("{HISTORY}\n{script}"));
    let theirs = Fixture::after(&format!("{HISTORY}\n{script}"));
    act(&ours);
    theirs.attempt(by_git);
    assert_eq!(staged(&ours), staged(&theirs));
    for command in ["status --porcelain=v2 --branch", "for-each-ref", "ls-files --others", "log -1 --format=%T%n%P%n%B"]
    {
        assert_eq!(ours.git(command), theirs.git(command), "{command}");
    }
}

fn files(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn files_directories_and_patterns_are_staged() {
    let script = "printf '*.log\\n' > .gitignore; touch a.log x.txt y.txt 'sp ace'; mkdir -p d/e; echo 1 > d/e/f; rm src/main.py; echo c >> digits.txt; chmod +x digits.txt; ln -s digits.txt lnk";
    for names in [
        &["."][..],
        &["d"],
        &["*.txt"],
        &["digits.txt", "lnk"],
        &["src/main.py"],
        &["src"],
        &[":(glob)*.txt", ":!x.txt"],
        &["d/e/../e/f"],
    ] {
        let quoted: Vec<_> = names.iter().map(|name| format!("'{name}'")).collect();
        check(script, &format!("git add -- {}", quoted.join(" ")), |fixture| {
            assert_eq!(fixture.open().add(&files(names)), Ok(Staged::Changed), "{names:?}");
        });
    }
    check(
        "echo 1 > a; mkdir d; echo 2 > d/x; git add .; rm a; mkdir a; mv d/x a/x; rmdir d; echo 3 > d",
        "git add .",
        |fixture| {
            assert_eq!(fixture.open().add(&files(&["."])), Ok(Staged::Changed));
        },
    );
    check(
        "git init -q nested; cd nested; git config user.name n; git config user.email n; git commit -q --allow-empty -m n",
        "git add nested",
        |fixture| {
            assert_eq!(fixture.open().add(&files(&["nested"])), Ok(Staged::Changed));
        },
    );
    check("git config core.autocrlf input; printf 'a\\r\\nb\\r\\n' > crlf", "git add crlf", |fixture| {
        assert_eq!(fixture.open().add(&files(&["crlf"])), Ok(Staged::Changed));
    });
}

#[test]
fn an_absolute_path_inside_is_staged() {
    check("echo n > n", "git add n", |fixture| {
        let path = format!("{}/n", fixture.path());
        assert_eq!(fixture.open().add(&[path]), Ok(Staged::Changed));
    });
}

#[test]
fn nothing_new_is_no_failure_and_what_is_missing_or_ignored_is_one() {
    let fixture = Fixture::after(&format!("{HISTORY}\necho '*.log' > .gitignore; touch a.log; mkdir empty"));
    let repository = fixture.open();
    assert_eq!(repository.add(&files(&["digits.txt"])), Ok(Staged::Nothing));
    assert_eq!(repository.add(&files(&["empty"])), Ok(Staged::Nothing));
    assert_eq!(repository.add(&files(&[".git/config"])), Ok(Staged::Nothing));
    let missing = repository.add(&files(&["nope.txt"])).unwrap_err().to_string();
    assert_eq!(missing, "fatal: pathspec 'nope.txt' did not match any files");
    let ignored = repository.add(&files(&["a.log", ".gitignore"])).unwrap_err().to_string();
    assert!(
        ignored.starts_with("The following paths are ignored by one of your .gitignore files:\na.log\nhint: "),
        "{ignored}"
    );
    assert!(fixture.git("ls-files").contains(".gitignore"), "the others are staged");
    assert!(repository.add(&files(&[""])).unwrap_err().to_string().contains("empty string is not a valid pathspec"));
    assert!(repository.add(&[]).is_err());
}

#[test]
fn a_file_that_changes_in_the_same_moment_is_noticed() {
    let fixture = Fixture::after(HISTORY);
    for content in ["aa\n", "bb\n", "cc\n"] {
        fixture.write("digits.txt", content);
        fixture.open().add(&files(&["digits.txt"])).unwrap();
        // Same size, and possibly the same time as the index.
        fixture.write("digits.txt", &content.to_uppercase());
        fixture.write("other", content);
        fixture.open().add(&files(&["other"])).unwrap();
        assert!(fixture.open().status().unwrap().contains("modified:   digits.txt"));
        assert!(fixture.git("status --porcelain").contains("M digits.txt"));
    }
}

#[test]
fn everything_is_unstaged() {
    check("echo n > n; git rm -q data.bin; echo x >> digits.txt; git add .", "git reset -q", |fixture| {
        fixture.open().reset().unwrap();
    });
    let unborn = Fixture::after("touch a; git add a");
    assert_eq!(unborn.open().reset().unwrap_err().to_string(), "fatal: Not a valid object name HEAD");
}

#[test]
fn commits_have_the_tree_parents_and_message_of_git() {
    let script = format!("{HISTORY}\necho n > n; mkdir -p a/b; echo x > a/b/c; echo y > a.b; git add .");
    let (ours, theirs) = (Fixture::after(&script), Fixture::after(&script));
    let (hash, note) = ours.open().commit("New\n\n  body \n").unwrap();
    theirs.shell("printf 'New\n\n  body \n' | git commit -q --cleanup=verbatim -F -");
    assert_eq!(hash, ours.git("rev-parse HEAD"));
    assert_eq!(note, "");
    let text = |fixture: &Fixture| fixture.git("log -1 --format=%T%n%P%n%an%n%ae%n%cn%n%ce%n%B");
    assert_eq!(text(&ours), text(&theirs));
    assert_eq!(staged(&ours), staged(&theirs));
    let fixture = Fixture::after(HISTORY);
    assert!(fixture.open().commit("nothing").unwrap_err().to_string().starts_with("No changes staged for commit."));
    let unborn = Fixture::after("echo a > a; git add a");
    unborn.open().commit("first").unwrap();
    assert_eq!(unborn.git("log --format=%s"), "first");
    assert_eq!(unborn.git("reflog -1 --format=%gs"), "commit (initial): first");
}

#[test]
fn a_merge_is_concluded() {
    let fixture = Fixture::after(&format!("{HISTORY}\ngit merge -q --no-ff --no-commit feature"));
    let heads = fixture.git("rev-parse HEAD feature").replace('\n', " ");
    fixture.open().commit("merged").unwrap();
    assert_eq!(fixture.git("log -1 --format=%P"), heads);
    assert_eq!(fixture.git("status"), "On branch main\nnothing to commit, working tree clean");
    assert!(!fixture.exists(".git/MERGE_HEAD") && !fixture.exists(".git/MERGE_MSG"));
}

#[test]
fn an_autostash_comes_back_after_a_merge_or_is_kept() {
    let script = format!("{HISTORY}\necho local >> src/main.py; git merge -q --no-ff --no-commit --autostash feature");
    let fixture = Fixture::after(&script);
    assert!(!fixture.read("src/main.py").contains("local"));
    let (_, note) = fixture.open().commit("merged").unwrap();
    assert_eq!(note, "\nApplied autostash.");
    assert!(fixture.read("src/main.py").ends_with("local\n"));
    assert_eq!(fixture.git("status --porcelain"), " M src/main.py");

    let conflict = Fixture::after(&script);
    conflict.shell("echo other >> src/main.py; git add .");
    let (_, note) = conflict.open().commit("merged").unwrap();
    assert!(note.contains("Your changes are safe in the stash"), "{note}");
    assert_eq!(conflict.git("stash list --format=%gs"), "autostash");
}

#[test]
fn an_unresolved_conflict_is_not_committed() {
    let fixture = Fixture::after(&format!(
        "{HISTORY}\necho a >> digits.txt; git commit -qam a; git checkout -q feature; echo b > digits.txt; git add .; git commit -qm b; git checkout -q main"
    ));
    fixture.attempt("git merge feature");
    let before = fixture.git("rev-parse HEAD");
    assert!(fixture.open().commit("m").unwrap_err().to_string().contains("\tdigits.txt"));
    assert!(
        fixture
            .open()
            .checkout("feature")
            .unwrap_err()
            .to_string()
            .contains("you need to resolve your current index first")
    );
    assert_eq!(fixture.git("rev-parse HEAD"), before);
}

#[test]
fn switching_is_what_git_does() {
    for (script, target) in [
        ("", "feature"),
        ("", "v1.0"),
        ("", "HEAD~1"),
        ("git checkout -q feature", "main"),
        ("echo untracked > u; echo staged > s; git add s", "feature"),
        ("echo kept >> src/main.py", "feature"),
        ("git checkout -q feature", "@{-1}"),
        ("git checkout -q --detach", "main"),
        ("git merge -q --no-ff --no-commit feature", "HEAD~1"),
    ] {
        check(script, &format!("git checkout -q '{target}'"), |fixture| {
            // Conflicts with local changes make both fail in the same way.
            let _ = fixture.open().checkout(target);
        });
    }
    let fixture = Fixture::after(HISTORY);
    assert_eq!(fixture.open().checkout("feature").unwrap(), "Switched to branch 'feature'");
    assert_eq!(fixture.git("reflog -1 --format=%gs"), "checkout: moving from main to feature");
    let short = &fixture.git("rev-parse v1.0")[..7];
    assert_eq!(fixture.open().checkout("v1.0").unwrap(), format!("HEAD is now detached at {short}"));
    assert_eq!(fixture.git("status").lines().next(), Some("HEAD detached at v1.0"));
    assert!(
        fixture.open().checkout("HEAD:src").unwrap_err().to_string().contains("Cannot switch branch to a non-commit")
    );
}

#[test]
fn modes_links_and_directories_that_become_files_are_switched() {
    let script = "git checkout -q -b kinds; chmod +x digits.txt; rm -r src; echo file > src; ln -s digits.txt link; mkdir -p n/e; echo d > n/e/w; git add .; git commit -qm kinds; git checkout -q main";
    check(script, "git checkout -q kinds", |fixture| {
        fixture.open().checkout("kinds").unwrap();
        assert_eq!(std::fs::read_link(fixture.root().join("link")).unwrap().to_str(), Some("digits.txt"));
    });
    check(&format!("{script}; git checkout -q kinds"), "git checkout -q main", |fixture| {
        fixture.open().checkout("main").unwrap();
        assert!(!fixture.exists("n"), "empty directories go away");
    });
}

#[test]
fn local_changes_are_never_lost_by_switching() {
    let fixture = Fixture::after(&format!("{HISTORY}\necho mine > feature.txt; echo changed > digits.txt"));
    let failure = fixture.open().checkout("feature").unwrap_err().to_string();
    assert_eq!(
        failure,
        "error: Your local changes to the following files would be overwritten by checkout:\n\tdigits.txt\n\
         Please commit your changes or stash them before you switch branches.\n\
         error: The following untracked working tree files would be overwritten by checkout:\n\tfeature.txt\n\
         Please move or remove them before you switch branches.\nAborting"
    );
    assert_eq!(fixture.read("feature.txt"), "mine\n");
    assert_eq!(fixture.read("digits.txt"), "changed\n");
    assert_eq!(fixture.git("symbolic-ref HEAD"), "refs/heads/main");
}

#[test]
fn branches_are_made_from_references() {
    let fixture = Fixture::after(HISTORY);
    let repository = fixture.open();
    assert_eq!(repository.create_branch("topic", None).unwrap(), "Created branch 'topic' from 'main'");
    assert_eq!(repository.create_branch("t2", Some("feature")).unwrap(), "Created branch 't2' from 'feature'");
    assert_eq!(repository.create_branch("t3", Some("v1.1")).unwrap(), "Created branch 't3' from 'v1.1'");
    assert_eq!(fixture.git("rev-parse t2"), fixture.git("rev-parse feature"));
    assert_eq!(fixture.git("rev-parse t3"), fixture.git("rev-parse 'v1.1^{commit}'"));
    for (name, base, message) in [
        ("feature", None, "Cannot create branch 'feature': refs/heads/feature already exists"),
        ("x", Some("nope"), "No item found with id nope"),
        (
            "a b",
            None,
            "Invalid reference 'refs/heads/a b': references cannot contain spaces, tildes (~), carets (^), colons (:), question marks (?), asterisks (*), open brackets ([) or backslashes (\\)",
        ),
        ("feature/x", None, "Cannot create branch 'feature/x': refs/heads/feature already exists"),
    ] {
        assert_eq!(repository.create_branch(name, base).unwrap_err().to_string(), message);
    }
    fixture.shell("git checkout -q --detach");
    assert!(fixture.open().create_branch("y", None).unwrap_err().to_string().starts_with("HEAD is detached"));
    let unborn = Fixture::after("");
    assert_eq!(
        unborn.open().create_branch("x", None).unwrap_err().to_string(),
        "Ref 'main' did not resolve to an object"
    );
}
