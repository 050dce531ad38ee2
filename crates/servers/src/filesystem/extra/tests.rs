//! What the additional tools do, without the protocol.

use super::change::{TRASH, append, copy, delete};
use super::content::{Query, search};
use super::lines::read_lines;
use super::outline::outline;
use crate::filesystem::directories::Directories;
use crate::filesystem::limits::{Limits, Unwatched};
use crate::filesystem::location::Location;
use crate::filesystem::test_directory::TestDirectory;
use crate::filesystem::walk::Cut;
use crate::filesystem::write::WriteRules;

struct Files {
    directory: TestDirectory,
    directories: Directories,
}

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = TestDirectory::new();
        for (path, content) in files {
            directory.write(path, content);
        }
        let directories = Directories::open([directory.path().to_str().unwrap()], |_| {}).unwrap();
        Self { directory, directories }
    }

    fn locate(&self, path: &str) -> Location {
        self.directories.locate_link(path).unwrap()
    }

    fn root(&self) -> Location {
        self.locate(".")
    }
}

fn query(pattern: &str) -> Query {
    Query { pattern: pattern.to_owned(), ignore_case: false, glob: None, ignored: false, page: 100, cursor: None }
}

#[test]
fn content_is_found_where_ignore_files_leave_it() {
    let files = Files::new(&[
        (".gitignore", "build/\n*.log\n!keep.log\n"),
        ("a.rs", "fn one() {}\nfn two() {}\n"),
        ("build/x.rs", "fn hidden() {}\n"),
        ("d/.ignore", "secret.rs\n"),
        ("d/b.rs", "// Fn\nfn three() {}\n"),
        ("d/keep.log", "fn kept\n"),
        ("d/drop.log", "fn dropped\n"),
        ("d/secret.rs", "fn secret() {}\n"),
        (".git/config", "fn config\n"),
        ("binary", "fn \0 binary\n"),
    ]);
    let found = |query: &Query| search(&files.root(), query, &Limits::default(), &Unwatched).unwrap().text;
    assert_eq!(
        found(&query(r"^fn \w+")),
        "a.rs:1: fn one() {}\na.rs:2: fn two() {}\nd/b.rs:2: fn three() {}\nd/keep.log:1: fn kept\n"
    );
    let everything = found(&Query { ignored: true, ..query("secret|hidden") });
    assert_eq!(everything, "build/x.rs:1: fn hidden() {}\nd/.ignore:1: secret.rs\nd/secret.rs:1: fn secret() {}\n");
    let narrowed = Query { glob: Some("d/*.rs".to_owned()), ignore_case: true, ..query("^// fn") };
    assert_eq!(found(&narrowed), "d/b.rs:1: // Fn\n");
    assert_eq!(found(&query("nowhere")), "No matches found");
    // The rules above a directory hold in it too.
    let below = search(&files.locate("d"), &query("fn"), &Limits::default(), &Unwatched).unwrap().text;
    assert_eq!(below, "b.rs:2: fn three() {}\nkeep.log:1: fn kept\n");
    let one = search(&files.locate("d/drop.log"), &query("fn"), &Limits::default(), &Unwatched).unwrap().text;
    assert_eq!(one, "drop.log:1: fn dropped\n");
    let bad = search(&files.root(), &query("("), &Limits::default(), &Unwatched).unwrap_err().to_string();
    assert!(bad.starts_with("Invalid pattern: "), "{bad}");
}

#[test]
fn pages_of_matches_follow_each_other() {
    let files = Files::new(&[("a/x", "m\nm\nn\nm\n"), ("a.txt", "m\n"), ("b", "m\nm\n")]);
    let mut query = Query { page: 2, ..query("m") };
    let mut pages = Vec::new();
    loop {
        let page = search(&files.root(), &query, &Limits::default(), &Unwatched).unwrap();
        pages.push(page.text);
        match page.next {
            Some(next) => query.cursor = Some(next),
            None => break,
        }
    }
    // In byte order the directory `a` comes before `a.txt`.
    assert_eq!(pages, ["a/x:1: m\na/x:2: m\n", "a/x:4: m\na.txt:1: m\n", "b:1: m\nb:2: m\n"]);
    query.cursor = Some("nonsense".to_owned());
    assert!(search(&files.root(), &query, &Limits::default(), &Unwatched).is_err());
}

#[test]
fn lines_are_read_by_number() {
    let files = Files::new(&[("f", "a\nb\nc\nd")]);
    let read = |first, count| read_lines(&files.locate("f"), first, count, &Limits::default(), &Unwatched).unwrap();
    assert_eq!(read(2, 2), "     2\tb\n     3\tc\n");
    assert_eq!(read(4, u64::MAX), "     4\td");
    assert_eq!(read(9, 1), "");
    let small = Limits { answer_bytes: 3, ..Limits::default() };
    assert!(read_lines(&files.locate("f"), 1, 9, &small, &Unwatched).is_err());
}

#[test]
fn text_is_appended() {
    let files = Files::new(&[("f", "a")]);
    let rules = WriteRules { refuse_hard_links: true };
    append(&files.locate("f"), b"b", rules).unwrap();
    append(&files.locate("new"), b"c", rules).unwrap();
    assert_eq!((files.directory.read("f"), files.directory.read("new")), ("ab".to_owned(), "c".to_owned()));
    // In place, so that another name of the file would change with it.
    std::fs::hard_link(files.directory.path().join("f"), files.directory.path().join("g")).unwrap();
    assert!(append(&files.locate("f"), b"x", rules).is_err());
    assert!(append(&files.root(), b"x", rules).is_err());
    assert_eq!(files.directory.read("g"), "ab");
}

#[test]
fn copies_replace_nothing() {
    let files = Files::new(&[("a", "a"), ("b", "b")]);
    copy(&files.locate("a"), &files.locate("c"), &Unwatched).unwrap();
    assert_eq!(files.directory.read("c"), "a");
    let taken = copy(&files.locate("a"), &files.locate("b"), &Unwatched).unwrap_err().to_string();
    assert!(taken.starts_with("Destination already exists: "), "{taken}");
    assert_eq!(files.directory.read("b"), "b");
}

#[test]
fn what_is_deleted_lies_in_the_trash() {
    let files = Files::new(&[("d/e/f", "x"), ("g", "y")]);
    files.directory.link("l", "g");
    for path in ["d/e", "l", "g"] {
        let place = delete(&files.locate(path)).unwrap();
        assert!(place.starts_with(files.directory.path().join(TRASH)), "{place:?}");
        assert!(std::fs::symlink_metadata(&place).is_ok(), "{place:?}");
        assert!(std::fs::symlink_metadata(files.directory.path().join(path)).is_err());
        assert!(delete(&files.directories.locate(place.parent().unwrap().to_str().unwrap()).unwrap()).is_err());
    }
    assert!(delete(&files.root()).is_err());
    assert!(delete(&files.locate("none")).is_err());
}

#[test]
fn outlines_have_levels_and_limits() {
    let files = Files::new(&[(".gitignore", "x\n"), ("a/b/c", ""), ("a/x", ""), ("z", "")]);
    let limits = |entries, depth| Limits { entries, depth, ..Limits::default() };
    let text = |ignored, limits: Limits| {
        let outline = outline(&files.root(), ignored, &limits, &Unwatched).unwrap();
        (outline.text, outline.cut)
    };
    assert_eq!(text(false, limits(100, 9)), (".gitignore\na/\n  b/\n    c\nz\n".to_owned(), None));
    assert_eq!(text(true, limits(100, 1)).0, ".gitignore\na/\n  b/\n  x\nz\n");
    assert_eq!(text(false, limits(2, 9)), (".gitignore\na/\n".to_owned(), Some(Cut::Entries(2))));
}
