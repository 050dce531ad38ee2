//! What is shown is what git prints, byte for byte.

use jackfield_servers::git::LogRange;

use super::fixture::{Fixture, HISTORY};

/// Compares everything that only reads with the output of git.
#[track_caller]
fn check(fixture: &Fixture) {
    let repository = fixture.open();
    assert_eq!(repository.status().unwrap(), fixture.git("status"));
    assert_eq!(repository.diff_unstaged(3).unwrap(), fixture.git("diff"));
    assert_eq!(repository.diff_staged(3).unwrap(), fixture.git("diff --cached"));
    assert_eq!(repository.diff_staged(0).unwrap(), fixture.git("diff --cached --unified=0"));
    for (kind, option) in [("local", ""), ("remote", "-r"), ("all", "-a")] {
        assert_eq!(repository.branches(kind, None, None).unwrap(), fixture.git(&format!("branch {option}")));
    }
}

#[track_caller]
fn check_after(script: &str) {
    check(&Fixture::after(&format!("{HISTORY}\n{script}")));
}

#[test]
fn a_repository_without_commits() {
    check(&Fixture::after(""));
    check(&Fixture::after("echo a > a; echo b > b; git add a"));
}

#[test]
fn changes_of_every_kind() {
    check_after("");
    check_after("echo new > new.txt; mkdir -p sub/deep empty; echo x > sub/deep/x; touch 'with space' 'ünïcode'");
    check_after("echo changed >> digits.txt; git add digits.txt; echo again >> digits.txt");
    check_after("git rm -q data.bin; rm src/main.py; chmod +x digits.txt");
    check_after("git mv digits.txt moved.txt; sed -i s/three/THREE/ moved.txt; git add .");
    check_after("rm digits.txt; ln -s src/main.py digits.txt; ln -s nowhere dangling");
    check_after("rm digits.txt; ln -s src/main.py digits.txt; git add .");
    check_after(
        "printf 'no newline' > digits.txt; printf 'x\\0y' > data.bin; git add data.bin; : > empty; git add empty",
    );
    check_after(
        "git mv src/main.py src/app.py; git mv digits.txt src/digits.txt; mkdir 'a b'; git mv data.bin 'a b/data bin'",
    );
    check_after("echo intent > intent; git add -N intent");
}

#[test]
fn ignored_files_are_not_untracked() {
    check_after(
        "printf '*.log\\n/build/\\n!keep.log\\n' > .gitignore; touch a.log keep.log; mkdir -p build/x only; touch build/x/y only/z.log",
    );
    check_after(
        "mkdir -p src/gen; echo '*' > src/gen/.gitignore; touch src/gen/file; echo local >> .git/info/exclude; touch local",
    );
    check_after(
        "git init -q nested; touch nested/file; git config status.showUntrackedFiles all; mkdir d; touch d/1 d/2",
    );
    check_after("git config status.showUntrackedFiles no; touch x; git add -f src");
}

#[test]
fn a_detached_head() {
    check_after("git checkout -q v1.0");
    check_after("git checkout -q HEAD~1");
    check_after("git checkout -q v1.0; git commit -q --allow-empty -m more");
    check_after("git checkout -q --detach");
}

#[test]
fn upstreams() {
    let remote = "git clone -q . ../remote.git --bare; git remote add origin ../remote.git; git fetch -q; git branch -q -u origin/main;";
    check_after(remote);
    check_after(&format!("{remote} git commit -q --allow-empty -m a; git commit -q --allow-empty -m b"));
    check_after(&format!("{remote} git reset -q --hard HEAD~1"));
    check_after(&format!("{remote} git reset -q --hard HEAD~1; git commit -q --allow-empty -m diverged"));
    check_after(&format!("{remote} git update-ref -d refs/remotes/origin/main"));
    check_after(&format!("{remote} git remote set-head origin main; git branch -q -u feature"));
}

#[test]
fn operations_in_progress() {
    let conflict = "git checkout -q -b other; sed -i s/two/TWO/ digits.txt; git commit -qam theirs; git checkout -q main; \
                    sed -i s/two/zwei/ digits.txt; git commit -qam ours;";
    let fixture = Fixture::after(&format!("{HISTORY}\n{conflict}"));
    fixture.attempt("git merge other");
    assert_eq!(fixture.open().status().unwrap(), fixture.git("status"));
    assert_eq!(fixture.open().diff_staged(3).unwrap(), fixture.git("diff --cached"));
    assert_eq!(fixture.open().diff_with("HEAD", 3).unwrap(), fixture.git("diff HEAD"));
    fixture.shell("git add digits.txt");
    check(&fixture);
    fixture.shell("git merge --abort");
    for command in ["git cherry-pick other", "git rebase other", "git revert --no-edit HEAD~1"] {
        fixture.attempt(command);
        assert_eq!(fixture.open().status().unwrap(), fixture.git("status"), "{command}");
        fixture.attempt("git cherry-pick --abort; git rebase --abort; git revert --abort; git reset -q --hard main");
    }
    fixture.attempt("git bisect start");
    check(&fixture);
}

#[test]
fn deleted_and_changed_sides_of_a_conflict() {
    let fixture = Fixture::after(&format!(
        "{HISTORY}\ngit checkout -q -b other; git rm -q digits.txt; git commit -qm gone; git checkout -q main; \
         echo x >> digits.txt; git commit -qam changed"
    ));
    fixture.attempt("git merge other");
    assert_eq!(fixture.open().status().unwrap(), fixture.git("status"));
}

#[test]
fn diffs_with_a_commit() {
    let fixture = Fixture::after(&format!(
        "{HISTORY}\necho more >> digits.txt; git rm -q --cached data.bin; echo n > n; git add n; rm src/main.py"
    ));
    for target in ["HEAD", "feature", "v1.0", "v1.1", "HEAD~1", "HEAD^{tree}"] {
        let expected = fixture.git(&format!("diff '{target}'"));
        assert_eq!(fixture.open().diff_with(target, 3).unwrap(), expected, "{target}");
    }
}

#[test]
fn settings_that_shape_diffs() {
    for setting in [
        "diff.noprefix true",
        "diff.mnemonicPrefix true",
        "diff.renames false",
        "core.abbrev 12",
        "core.quotePath false",
    ] {
        check_after(&format!(
            "git config {setting}; git mv digits.txt zähler.txt; echo x >> zähler.txt; git add .; echo y >> src/main.py"
        ));
    }
    check_after("git config core.fileMode false; chmod +x digits.txt");
    check_after(
        "git config core.autocrlf true; printf 'a\\r\\nb\\r\\n' > crlf; git add crlf; printf 'a\\r\\nc\\r\\n' > crlf",
    );
    check_after("echo '*.txt -diff' > .gitattributes; echo x >> digits.txt");
}

#[test]
fn many_similar_files_are_renamed_like_in_git() {
    check_after(
        "mkdir a b; for i in 1 2 3 4 5 6; do seq $i 40 > a/$i.txt; done; git add .; git commit -qm many; \
         for i in 1 2 3 4 5 6; do git mv a/$i.txt b/$((7 - i)).txt; echo extra$i >> b/$((7 - i)).txt; done; git add .",
    );
}

#[test]
fn submodules() {
    let submodule = "git init -q ../lib; (cd ../lib; git config user.name L; git config user.email l@x; echo l > l; git add .; git commit -qm l); \
                     git -c protocol.file.allow=always submodule -q add ../lib lib; git commit -qm 'add lib';";
    check_after(submodule);
    check_after(&format!("{submodule} echo dirty >> lib/l; touch lib/untracked"));
    check_after(&format!(
        "{submodule} (cd lib; git config user.name L; git config user.email l@x; git commit -q --allow-empty -m n)"
    ));
}

#[test]
fn branches_that_contain_a_commit() {
    let fixture = Fixture::after(HISTORY);
    let repository = fixture.open();
    for commit in ["feature", "main", "v1.0"] {
        let expected = fixture.git(&format!("branch --contains {commit}"));
        assert_eq!(repository.branches("local", Some(commit), None).unwrap(), expected);
        let expected = fixture.git(&format!("branch --no-contains {commit}"));
        assert_eq!(repository.branches("local", None, Some(commit)).unwrap(), expected);
    }
    assert!(repository.branches("local", Some("nope"), None).is_err());
}

#[test]
fn the_history_has_the_order_of_git() {
    let fixture = Fixture::after(&format!(
        "{HISTORY}\ngit merge -q --no-ff feature -m merged; for i in 1 2 3; do git commit -q --allow-empty -m $i; done"
    ));
    let expected =
        fixture.git("log --format='Commit: %H%nAuthor: %an%nDate: %ad%nMessage: %B' --date=format:'%Y-%m-%d %H:%M:%S'");
    let hashes = |text: &str| -> Vec<String> {
        text.lines().filter_map(|line| line.strip_prefix("Commit: ").map(str::to_owned)).collect()
    };
    let log = fixture.open().log(&LogRange { max_count: -1, ..LogRange::default() }).unwrap();
    assert_eq!(hashes(&log), hashes(&expected));
    let two = fixture.open().log(&LogRange { max_count: 2, ..LogRange::default() }).unwrap();
    assert_eq!(hashes(&two), hashes(&expected)[..2]);
    assert!(two.contains("\nDate: 2023-11-15 00:13:20+02:00\nMessage: 3\n"), "{two}");
    let none = LogRange { max_count: -1, since: Some("2023-11-16T00:00:00"), until: None };
    assert_eq!(fixture.open().log(&none).unwrap(), "");
}

#[test]
fn commits_files_and_directories_are_shown() {
    let fixture = Fixture::after(HISTORY);
    let repository = fixture.open();
    assert_eq!(repository.show("HEAD:src").unwrap(), "main.py");
    assert_eq!(repository.show("HEAD:").unwrap(), "data.bin\ndigits.txt\nsrc/");
    assert_eq!(repository.show("v1.0:src/main.py").unwrap(), fixture.read("src/main.py"));
    let shown = repository.show("HEAD").unwrap();
    assert!(
        shown.starts_with(&format!("commit {}\nAuthor: Ann Author <ann@example.org>\n", fixture.git("rev-parse HEAD")))
    );
    assert!(
        shown.contains("\n    Second commit\n    \n    With a body.\n\n--- /dev/null\n+++ b/data.bin\nBinary files"),
        "{shown}"
    );
    assert!(shown.contains("\n--- a/numbers.txt\n+++ b/digits.txt\n@@ -8,3 +8,4 @@ seven\n"), "{shown}");
    for (revision, message) in [
        ("nope", "Ref 'nope' did not resolve to an object"),
        ("HEAD:nope", "\"Blob or Tree named 'nope' not found\""),
        ("main..feature", "Ref 'main..feature' did not resolve to an object"),
        (
            "HEAD~99",
            "Ref 'Invalid revision spec 'HEAD~99' - not enough parent commits to reach '~99'' did not resolve to an object",
        ),
    ] {
        assert_eq!(repository.show(revision).unwrap_err().to_string(), message);
    }
}
