//! The contract of directory handles, for each platform's code that can run here.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::{Kind, linux, met_a_link, other};
use crate::filesystem::test_directory::TestDirectory;

macro_rules! contract {
    ($name:ident, $module:ident) => {
        mod $name {
            use super::*;

            fn opened(directory: &TestDirectory) -> $module::Dir {
                $module::Dir::open_ambient(directory.path()).unwrap()
            }

            #[test]
            fn files_are_created_read_and_removed() {
                let directory = TestDirectory::new();
                let dir = opened(&directory);
                let name = OsStr::new("a.txt");
                dir.create_file(name).unwrap().write_all(b"one").unwrap();
                assert!(dir.create_file(name).is_err());
                let mut text = String::new();
                dir.file(Path::new("a.txt")).unwrap().read_to_string(&mut text).unwrap();
                assert_eq!(text, "one");
                dir.append(name).unwrap().write_all(b" two").unwrap();
                assert_eq!(dir.stat(Path::new("a.txt")).unwrap().size, 7);
                dir.sync().unwrap();
                dir.remove_file(name).unwrap();
                assert!(dir.stat_name(name).is_err());
            }

            #[test]
            fn entries_say_what_they_are() {
                let directory = TestDirectory::new();
                fs::write(directory.path().join("f"), "x").unwrap();
                fs::create_dir(directory.path().join("d")).unwrap();
                symlink("nowhere", directory.path().join("l")).unwrap();
                let mut entries = opened(&directory).listing(Path::new("")).unwrap().entries().unwrap();
                entries.sort_by(|left, right| left.name.cmp(&right.name));
                let kinds: Vec<Kind> = entries.iter().map(|entry| entry.kind).collect();
                assert_eq!(kinds, [Kind::Directory, Kind::File, Kind::Link]);
            }

            #[test]
            fn nothing_outside_is_reached() {
                let directory = TestDirectory::new();
                let inside = directory.path().join("inside");
                fs::create_dir_all(inside.join("d")).unwrap();
                fs::write(directory.path().join("secret"), "x").unwrap();
                symlink("..", inside.join("up")).unwrap();
                symlink("../secret", inside.join("link")).unwrap();
                symlink(directory.path(), inside.join("absolute")).unwrap();
                let dir = $module::Dir::open_ambient(&inside).unwrap();
                for path in ["up/secret", "link", "absolute/secret", "../secret", "d/../../secret"] {
                    assert!(dir.file(Path::new(path)).is_err(), "{path}");
                }
                for path in ["up", "absolute", "..", "d/../.."] {
                    assert!(dir.dir(Path::new(path)).is_err(), "{path}");
                    assert!(dir.listing(Path::new(path)).is_err(), "{path}");
                }
                assert!(dir.file(&directory.path().join("secret")).is_err());
                assert!(dir.append(OsStr::new("link")).is_err());
                assert!(dir.child(OsStr::new("up")).is_err());
            }

            #[test]
            fn a_rename_to_a_new_name_replaces_nothing() {
                let directory = TestDirectory::new();
                let dir = opened(&directory);
                let at = |name: &str| -> PathBuf { directory.path().join(name) };
                fs::write(at("a"), "a").unwrap();
                fs::write(at("b"), "b").unwrap();
                fs::create_dir(at("d")).unwrap();
                fs::create_dir(at("e")).unwrap();
                symlink("a", at("l")).unwrap();
                for (from, to) in [("a", "b"), ("a", "l"), ("a", "d"), ("d", "e"), ("d", "a"), ("l", "b")] {
                    let error = dir.rename_new(OsStr::new(from), &dir, OsStr::new(to)).unwrap_err();
                    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists, "{from} {to}");
                }
                for (from, to) in [("a", "x"), ("d", "y"), ("l", "z")] {
                    dir.rename_new(OsStr::new(from), &dir, OsStr::new(to)).unwrap();
                }
                dir.replace(OsStr::new("b"), &dir, OsStr::new("x")).unwrap();
                assert_eq!(fs::read_to_string(at("x")).unwrap(), "b");
                assert!(at("y").is_dir() && fs::symlink_metadata(at("z")).unwrap().is_symlink());
            }

            #[test]
            fn a_fifo_is_not_waited_for() {
                let directory = TestDirectory::new();
                directory.fifo("pipe");
                let dir = opened(&directory);
                assert_eq!(dir.stat(Path::new("pipe")).unwrap().kind, Kind::Other);
                // Either it is not opened, or it is open at once.
                let _ = dir.file(Path::new("pipe"));
                assert!(dir.append(OsStr::new("pipe")).is_err());
            }
        }
    };
}

contract!(on_linux, linux);
contract!(elsewhere, other);

#[test]
fn a_link_where_none_may_be_is_recognised() {
    let directory = TestDirectory::new();
    fs::create_dir(directory.path().join("d")).unwrap();
    fs::write(directory.path().join("d/f"), "x").unwrap();
    symlink("d", directory.path().join("l")).unwrap();
    let dir = linux::Dir::open_ambient(directory.path()).unwrap();
    // Even one that stays inside: the path had no link when it was checked.
    assert!(met_a_link(&dir.file(Path::new("l/f")).unwrap_err()));
    assert!(met_a_link(&dir.listing(Path::new("l")).unwrap_err()));
    assert!(!met_a_link(&dir.file(Path::new("none/f")).unwrap_err()));
}
