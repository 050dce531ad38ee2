//! What the tools do, without the protocol.

use std::os::unix::fs::PermissionsExt;

use super::directories::Directories;
use super::edit::{Edit, edit_file};
use super::failure::Failure;
use super::limits::{Limits, Unwatched, Watcher};
use super::list::{SortBy, list_directory, list_with_sizes};
use super::location::Location;
use super::read::{Part, read_text};
use super::search::search_files;
use super::test_directory::TestDirectory;
use super::tree::directory_tree;
use super::walk::Cut;
use super::write::{WriteRules, create_directory, move_file, write_file};

struct Files {
    directory: TestDirectory,
    directories: Directories,
    limits: Limits,
}

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = TestDirectory::new();
        for (path, content) in files {
            directory.write(path, content);
        }
        let directories = Directories::open([directory.path().to_str().unwrap()], |_| {}).unwrap();
        Self { directory, directories, limits: Limits::default() }
    }

    fn at(&self, path: &str) -> String {
        self.directory.path().join(path).to_str().unwrap().to_owned()
    }

    fn locate(&self, path: &str) -> Location {
        self.directories.locate(path).unwrap()
    }

    fn read(&self, path: &str, part: Part) -> Result<String, String> {
        read_text(&self.locate(path), part, &self.limits).map_err(|failure| failure.to_string())
    }

    fn write(&self, path: &str, content: &str) -> Result<(), String> {
        let location = self.directories.locate(path).map_err(|failure| failure.to_string())?;
        write_file(&location, content.as_bytes(), WriteRules::default()).map_err(|failure| failure.to_string())
    }

    fn search(&self, pattern: &str, excluded: &[&str]) -> Vec<String> {
        let excluded: Vec<String> = excluded.iter().map(|pattern| (*pattern).to_owned()).collect();
        let root = self.locate(&self.at(""));
        let found = search_files(&self.directories, &root, pattern, &excluded, &self.limits, &Unwatched).unwrap();
        let prefix = format!("{}/", self.directory.path().display());
        found.text.lines().map(|line| line.strip_prefix(&prefix).unwrap_or(line).to_owned()).collect()
    }
}

#[test]
fn heads_and_tails() {
    let files = Files::new(&[("lf", "1\n2\n3\n"), ("crlf", "1\r\n2\r\n3\r\n"), ("open", "1\n2"), ("empty", "")]);
    for (path, part, expected) in [
        ("lf", Part::Head(2.0), "1\n2"),
        ("lf", Part::Head(9.0), "1\n2\n3"),
        ("lf", Part::Head(1.5), "1\n2"),
        ("lf", Part::Head(-1.0), ""),
        ("lf", Part::Tail(2.0), "3\n"),
        ("lf", Part::Tail(9.0), "1\n2\n3\n"),
        ("crlf", Part::Head(2.0), "1\r\n2\r"),
        ("crlf", Part::Tail(2.0), "3\n"),
        ("crlf", Part::Whole, "1\r\n2\r\n3\r\n"),
        ("open", Part::Tail(1.0), "2"),
        ("open", Part::Head(2.0), "1\n2"),
        ("empty", Part::Head(1.0), ""),
        ("empty", Part::Tail(1.0), ""),
    ] {
        assert_eq!(files.read(path, part).as_deref(), Ok(expected), "{path} {part:?}");
    }
    let long: String = (0..50_000).map(|line| format!("line {line}\n")).collect();
    files.directory.write("long", &long);
    assert_eq!(files.read("long", Part::Head(20_000.0)).unwrap().lines().last(), Some("line 19999"));
    assert_eq!(files.read("long", Part::Tail(20_000.0)).unwrap().lines().next(), Some("line 30001"));
    assert_eq!(Part::new(Some(0.0), Some(3.0)).unwrap(), Part::Tail(3.0));
    assert!(Part::new(Some(1.0), Some(3.0)).is_err());
}

#[test]
fn invalid_bytes_become_replacement_characters() {
    let files = Files::new(&[]);
    files.directory.write("bad", b"\xef\xbb\xbfok \xff\xfe\xc3( \xe2\x82 end");
    let expected = "\u{feff}ok \u{fffd}\u{fffd}\u{fffd}( \u{fffd} end";
    assert_eq!(files.read("bad", Part::Whole).as_deref(), Ok(expected));
}

#[test]
fn what_cannot_be_read_is_told_as_node_does() {
    let mut files = Files::new(&[("d/f", "12345")]);
    let error = |result: Result<String, String>| result.unwrap_err();
    assert_eq!(error(files.read("d", Part::Whole)), "EISDIR: illegal operation on a directory, read");
    let missing = format!("ENOENT: no such file or directory, open '{}'", files.at("d/x/y"));
    assert_eq!(error(files.read("d/x/y", Part::Whole)), missing);
    assert_eq!(error(files.read("d/x/y", Part::Tail(1.0))), missing.replace("open", "stat"));
    let below_a_file = files.directories.locate("d/f/x").unwrap_err().to_string();
    assert_eq!(below_a_file, format!("ENOTDIR: not a directory, realpath '{}'", files.at("d/f/x")));
    let listing = list_directory(&files.locate("d/f"), &files.limits).unwrap_err().to_string();
    assert_eq!(listing, format!("ENOTDIR: not a directory, scandir '{}'", files.at("d/f")));
    files.limits.answer_bytes = 4;
    assert!(error(files.read("d/f", Part::Whole)).starts_with("File too large: "));
    assert!(error(files.read("d/f", Part::Tail(2.0))).starts_with("File too large: "));
}

#[test]
fn relative_paths_mean_the_first_directory_that_takes_them() {
    let files = Files::new(&[("a/x", "a"), ("b/x", "b"), ("b/y", "b")]);
    let directories = Directories::open([files.at("a"), files.at("b")], |_| {}).unwrap();
    let path = |argument: &str| directories.locate(argument).map(|location| location.path).ok();
    assert_eq!(path("x").unwrap().to_str(), Some(files.at("a/x").as_str()));
    // Whether or not it exists.
    assert_eq!(path("y").unwrap().to_str(), Some(files.at("a/y").as_str()));
    assert_eq!(path("../b/y").unwrap().to_str(), Some(files.at("b/y").as_str()));
    assert_eq!(path("../c"), None);
    let none = Directories::default().locate("x").unwrap_err().to_string();
    assert!(none.starts_with("Access denied - path outside allowed directories: ") && none.ends_with("/x not in "));
}

#[test]
fn a_name_is_found_in_another_unicode_form() {
    let files = Files::new(&[("caf\u{e9}/f", "x")]);
    assert_eq!(files.locate("cafe\u{301}/f").path.to_str(), Some(files.at("caf\u{e9}/f").as_str()));
    assert_eq!(files.locate("cafe\u{301}/new").path.to_str(), Some(files.at("caf\u{e9}/new").as_str()));
    // Two names with the same composed form as a third: Å as a letter, decomposed, and as the sign.
    files.directory.write("\u{c5}", "");
    files.directory.write("A\u{30a}", "");
    let ambiguous = files.directories.locate("\u{212b}").unwrap_err().to_string();
    assert_eq!(ambiguous, "Ambiguous Unicode path component: \u{212b}");
}

#[test]
fn files_are_written_whole_and_keep_their_permissions() {
    let files = Files::new(&[("run.sh", "old"), ("d/f", "x")]);
    std::fs::set_permissions(files.at("run.sh"), std::fs::Permissions::from_mode(0o750)).unwrap();
    files.write("run.sh", "new").unwrap();
    assert_eq!(files.directory.read("run.sh"), "new");
    let mode = std::fs::metadata(files.at("run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
    files.write("new", "1").unwrap();
    assert_eq!(files.directory.read("new"), "1");
    let missing = files.write("none/f", "x").unwrap_err();
    assert_eq!(missing, format!("ENOENT: no such file or directory, open '{}'", files.at("none/f")));
    let long = "n".repeat(250);
    files.write(&long, "1").unwrap();
    files.write(&long, "2").unwrap();
    assert_eq!(files.directory.read(&long), "2");
    let mut names: Vec<_> = std::fs::read_dir(files.at("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["d", "new", long.as_str(), "run.sh"].map(std::ffi::OsString::from));
    // Through a link the file itself is written.
    files.directory.link("link", "run.sh");
    files.write("link", "linked").unwrap();
    assert_eq!(files.directory.read("run.sh"), "linked");
    assert!(std::fs::symlink_metadata(files.at("link")).unwrap().is_symlink());
}

#[test]
fn read_only_directories_are_not_changed() {
    let files = Files::new(&[("a/f", "x"), ("a/b/g", "y")]);
    let directories = Directories::open([files.at("a") + ":ro", files.at("a/b")], |_| {}).unwrap();
    let locate = |path: &str| directories.locate(&files.at(path)).unwrap();
    let refused = |result: Result<(), Failure>| {
        let failure = result.unwrap_err().to_string();
        assert!(failure.starts_with("Access denied - directory is read-only: "), "{failure}");
    };
    refused(write_file(&locate("a/f"), b"x", WriteRules::default()));
    refused(write_file(&locate("a/new"), b"x", WriteRules::default()));
    refused(create_directory(&locate("a/d")));
    refused(move_file(&locate("a/f"), &locate("a/b/f")));
    refused(move_file(&locate("a/b/g"), &locate("a/g")));
    let edit = Edit { old_text: "x".to_owned(), new_text: "z".to_owned() };
    let edits = std::slice::from_ref(&edit);
    refused(edit_file(&locate("a/f"), edits, false, &files.limits, WriteRules::default()).map(drop));
    edit_file(&locate("a/f"), edits, true, &files.limits, WriteRules::default()).unwrap();
    // The innermost directory decides.
    write_file(&locate("a/b/g"), b"z", WriteRules::default()).unwrap();
    assert_eq!(files.directory.read("a/f"), "x");
}

#[test]
fn directories_are_opened_as_the_command_line_names_them() {
    let files = Files::new(&[("real/f", "x"), ("odd:ro/f", "x"), ("file", "")]);
    files.directory.link("link", "real");
    let mut warnings = Vec::new();
    let arguments = ["link", "none", "file", "odd:ro", "real:ro"].map(|name| files.at(name));
    let directories = Directories::open(&arguments, |warning| warnings.push(warning)).unwrap();
    let paths: Vec<_> = directories.paths().map(|(path, ro)| (path.to_str().unwrap().to_owned(), ro)).collect();
    let expected = [("link", false), ("real", false), ("odd:ro", false), ("real", true)];
    assert_eq!(paths, expected.map(|(name, read_only)| (files.at(name), read_only)));
    let expected = [
        format!("Warning: Cannot access directory {}, skipping", files.at("none")),
        format!("Warning: {} is not a directory, skipping", files.at("file")),
    ];
    assert_eq!(warnings, expected);
    assert!(Directories::open([files.at("none")], |_| {}).is_err());
    assert!(Directories::open([""; 0], |_| {}).unwrap().is_empty());
}

#[test]
fn directories_are_created_with_those_above() {
    let files = Files::new(&[("f", "x")]);
    for _ in 0..2 {
        create_directory(&files.locate("a/b/c")).unwrap();
    }
    assert!(std::path::Path::new(&files.at("a/b/c")).is_dir());
    let exists = create_directory(&files.locate("f")).unwrap_err().to_string();
    assert_eq!(exists, format!("EEXIST: file already exists, mkdir '{}'", files.at("f")));
}

#[test]
fn moves_replace_nothing_and_move_links_themselves() {
    let files = Files::new(&[("a", "a"), ("b", "b"), ("d/f", "f")]);
    files.directory.link("link", "a");
    let moved = |from: &str, to: &str| {
        let from = files.directories.locate_link(from).unwrap();
        move_file(&from, &files.locate(to)).map_err(|failure| failure.to_string())
    };
    for taken in ["b", "d", "link"] {
        let resolved = if taken == "link" { "a" } else { taken };
        assert_eq!(moved("a", taken), Err(format!("Destination already exists: {}", files.at(resolved))));
    }
    moved("link", "d/link").unwrap();
    assert!(std::fs::symlink_metadata(files.at("d/link")).unwrap().is_symlink());
    assert_eq!(files.directory.read("a"), "a");
    moved("d", "e").unwrap();
    assert_eq!(files.directory.read("e/f"), "f");
    let missing = moved("none", "x").unwrap_err();
    let expected = format!("ENOENT: no such file or directory, rename '{}' -> '{}'", files.at("none"), files.at("x"));
    assert_eq!(missing, expected);
    assert!(moved("e", "e/inner").unwrap_err().starts_with("EINVAL: invalid argument, rename "));
}

#[test]
fn listings() {
    let files = Files::new(&[("b", "12"), ("a.txt", ""), ("B", "123"), ("_x", "1"), ("d/f", "")]);
    files.directory.link("to-d", "d");
    let root = files.locate(&files.at(""));
    assert_eq!(
        list_directory(&root, &files.limits).unwrap(),
        "[FILE] B\n[FILE] _x\n[FILE] a.txt\n[FILE] b\n[DIR] d\n[FILE] to-d"
    );
    let by_name = list_with_sizes(&root, SortBy::Name, &files.limits).unwrap();
    let names: Vec<&str> = by_name.lines().take(6).map(|line| line.split_whitespace().nth(1).unwrap()).collect();
    assert_eq!(names, ["_x", "a.txt", "b", "B", "d", "to-d"]);
    assert!(by_name.starts_with("[FILE] _x                                    1 B\n"), "{by_name}");
    assert!(by_name.contains(&format!("[DIR] d{} \n", " ".repeat(29))), "{by_name:?}");
    assert!(by_name.contains("\n\nTotal: 5 files, 1 directories\nCombined size: "));
    let by_size = list_with_sizes(&root, SortBy::Size, &files.limits).unwrap();
    let names: Vec<&str> =
        by_size.lines().skip(2).take(4).map(|line| line.split_whitespace().nth(1).unwrap()).collect();
    assert_eq!(names, ["B", "b", "_x", "a.txt"]);
}

#[test]
fn trees_are_json_as_javascript_writes_it() {
    let files = Files::new(&[("a \"q\"/x", ""), ("b", ""), ("m/node/y", ""), ("m/z", "")]);
    std::fs::create_dir(files.at("empty")).unwrap();
    let tree = |excluded: &[&str]| {
        let excluded: Vec<String> = excluded.iter().map(|pattern| (*pattern).to_owned()).collect();
        directory_tree(&files.locate(&files.at("")), &excluded, &files.limits, &Unwatched).unwrap().json
    };
    assert_eq!(tree(&["*"]), "[]");
    let expected = "[\n  {\n    \"name\": \"a \\\"q\\\"\",\n    \"type\": \"directory\",\n    \"children\": [\n      {\n        \"name\": \"x\",\n        \"type\": \"file\"\n      }\n    ]\n  },\n  {\n    \"name\": \"empty\",\n    \"type\": \"directory\",\n    \"children\": []\n  },\n  {\n    \"name\": \"m\",\n    \"type\": \"directory\",\n    \"children\": [\n      {\n        \"name\": \"z\",\n        \"type\": \"file\"\n      }\n    ]\n  }\n]";
    // Without a star a pattern means that name anywhere.
    assert_eq!(tree(&["node", "b"]), expected);
    assert!(tree(&["*.x"]).contains("\"node\""));
}

#[test]
fn searches_go_depth_first_and_skip_what_is_excluded() {
    let files = Files::new(&[("a.js", ""), ("d/b.js", ""), ("d/e/c.js", ""), ("d/e.js", ""), ("x/y.js", "")]);
    files.directory.link("in.js", "a.js");
    files.directory.link("out.js", "/etc/hostname");
    files.directory.link("dangling.js", "none");
    files.directory.link("to-d", "d");
    assert_eq!(files.search("**/*.js", &[]), ["a.js", "d/b.js", "d/e/c.js", "d/e.js", "in.js", "x/y.js"]);
    assert_eq!(files.search("**/*.js", &["d", "x/**"]), ["a.js", "in.js"]);
    assert_eq!(files.search("*", &[]), ["a.js", "d", "in.js", "to-d", "x"]);
    assert_eq!(files.search("*.zig", &[]), ["No matches found"]);
}

#[test]
fn limits_of_walks_are_told() {
    let mut files = Files::new(&[("a/b/c/d", ""), ("e", "")]);
    let cut = |files: &Files| {
        let root = files.locate(&files.at(""));
        let found = search_files(&files.directories, &root, "**", &[], &files.limits, &Unwatched).unwrap();
        let tree = directory_tree(&root, &[], &files.limits, &Unwatched).unwrap();
        assert!(serde_json::from_str::<serde_json::Value>(&tree.json).is_ok());
        (found.cut, tree.cut)
    };
    assert_eq!(cut(&files), (None, None));
    files.limits.depth = 2;
    assert_eq!(cut(&files), (Some(Cut::Depth(2)), Some(Cut::Depth(2))));
    files.limits = Limits { entries: 3, ..Limits::default() };
    assert_eq!(cut(&files), (Some(Cut::Entries(3)), Some(Cut::Entries(3))));
    files.limits = Limits { answer_bytes: 10, ..Limits::default() };
    assert_eq!(cut(&files), (Some(Cut::Bytes(10)), Some(Cut::Bytes(10))));
    assert_eq!(Cut::Entries(3).to_string(), "The result is incomplete: only the first 3 entries were looked at");
}

#[test]
fn walks_end_when_nobody_waits() {
    struct Gone(std::cell::Cell<u32>);
    impl Watcher for Gone {
        fn is_cancelled(&self) -> bool {
            self.0.set(self.0.get() + 1);
            self.0.get() > 2
        }
        fn progress(&self, _: u64) {}
    }
    let files = Files::new(&[("a/b/c/d/e/f", "")]);
    let root = files.locate(&files.at(""));
    let watcher = Gone(std::cell::Cell::default());
    let found = search_files(&files.directories, &root, "**", &[], &files.limits, &watcher);
    assert_eq!(found.unwrap_err(), Failure::cancelled());
    // Not all six levels were asked for.
    assert!(watcher.0.get() < 6);
    let watcher = Gone(std::cell::Cell::default());
    assert_eq!(directory_tree(&root, &[], &files.limits, &watcher).unwrap_err(), Failure::cancelled());
}

#[test]
fn edits_are_shown_as_a_diff() {
    let files = Files::new(&[("f", "one\r\ntwo\r\n")]);
    let edit = |old: &str, new: &str| Edit { old_text: old.to_owned(), new_text: new.to_owned() };
    let run = |edits: &[Edit], dry_run| {
        edit_file(&files.locate("f"), edits, dry_run, &files.limits, WriteRules::default())
            .map_err(|failure| failure.to_string())
    };
    let path = files.at("f");
    let header = format!("Index: {path}\n{}\n--- {path}\toriginal\n+++ {path}\tmodified\n", "=".repeat(67));
    let expected = format!("```diff\n{header}@@ -1,2 +1,2 @@\n one\n-two\n+2\n```\n\n");
    assert_eq!(run(&[edit("two", "2")], true), Ok(expected.clone()));
    assert_eq!(files.directory.read("f"), "one\r\ntwo\r\n");
    assert!(run(&[edit("one", "1"), edit("none", "x")], false).is_err());
    assert_eq!(files.directory.read("f"), "one\r\ntwo\r\n");
    assert_eq!(run(&[edit("two", "2")], false), Ok(expected));
    assert_eq!(files.directory.read("f"), "one\n2\n");
}
