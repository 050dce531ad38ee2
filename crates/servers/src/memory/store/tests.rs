//! What the files contain after a process dies, or writes at the same time.

use std::fs;
use std::path::PathBuf;

use super::super::entity::{Addition, Entity};
use super::*;

/// A directory of its own, removed at the end.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("jackfield-memory-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("memory.jsonl")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file()).unwrap_or_default()
    }

    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// Copies the files as they are at this moment: what a process leaves that is killed now.
    fn killed(&self, name: &str) -> Self {
        let copy = Self::new(name);
        for file in self.names() {
            fs::copy(self.0.join(&file), copy.0.join(&file)).unwrap();
        }
        copy
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn create(name: &str) -> Change {
    let entity = Entity { name: name.to_owned(), entity_type: "t".to_owned(), observations: Vec::new() };
    Change::CreateEntities { entities: vec![entity] }
}

fn observe(name: &str, text: &str) -> Change {
    let addition = Addition { entity_name: name.to_owned(), contents: vec![text.to_owned()] };
    Change::AddObservations { observations: vec![addition] }
}

fn entities(store: &Store) -> Vec<String> {
    store.read(|graph| graph.entities().map(|entity| entity.name).collect()).unwrap()
}

const ADA: &str = r#"{"type":"entity","name":"Ada","entityType":"person","observations":["o"]}"#;

#[test]
fn looking_makes_no_files_and_changing_leaves_one() {
    let directory = Directory::new("files");
    let store = Store::open(&directory.file()).unwrap();
    assert_eq!(entities(&store), [""; 0]);
    assert!(store.change(&observe("nobody", "x")).unwrap_err().contains("nobody"));
    assert_eq!(directory.names(), [""; 0]);
    store.change(&create("a")).unwrap();
    assert_eq!(directory.names(), ["memory.jsonl.journal"]);
    store.close();
    assert_eq!(directory.names(), ["memory.jsonl"]);
    assert_eq!(directory.text(), "{\"type\":\"entity\",\"name\":\"a\",\"entityType\":\"t\",\"observations\":[]}\n");
}

#[test]
fn what_was_acknowledged_survives_a_kill_and_half_a_line_is_no_change() {
    let directory = Directory::new("kill");
    fs::write(directory.file(), ADA).unwrap();
    let store = Store::open(&directory.file()).unwrap();
    store.change(&create("a")).unwrap();
    store.change(&observe("Ada", "new")).unwrap();
    let after = directory.killed("kill-after");
    let journal = after.0.join("memory.jsonl.journal");
    let mut half = fs::read(&journal).unwrap();
    half.extend_from_slice(b"{\"change\":\"create_entities\",\"entities\":[{\"name\":\"ha");
    fs::write(&journal, half).unwrap();
    let next = Store::open(&after.file()).unwrap();
    assert_eq!(entities(&next), ["Ada", "a"]);
    next.change(&create("b")).unwrap();
    next.close();
    assert_eq!(after.names(), ["memory.jsonl"]);
    assert!(after.text().contains(r#""observations":["o","new"]"#), "{}", after.text());
    assert_eq!(after.text().lines().count(), 3);
}

/// Between the new file and the end of the journal, a kill leaves both; the changes must not be made twice.
#[test]
fn a_kill_after_the_file_was_written_does_not_repeat_changes() {
    let directory = Directory::new("twice");
    let store = Store::open(&directory.file()).unwrap();
    store.change(&create("a")).unwrap();
    store.change(&Change::DeleteEntities { names: vec!["a".to_owned()] }).unwrap();
    store.change(&create("a")).unwrap();
    store.change(&create("b")).unwrap();
    let mut known = store.shared.known();
    let written = store.shared.files.write(&known.graph).unwrap();
    let end = journal::mark_folded(&store.shared.files.journal, known.journal_end, written.digest).unwrap();
    store.shared.files.replace(written).unwrap();
    known.journal_end = end;
    known.is_loaded = false;
    drop(known);
    let killed = directory.killed("twice-killed");
    let next = Store::open(&killed.file()).unwrap();
    assert_eq!(entities(&next), ["a", "b"]);
    assert_eq!(killed.names(), ["memory.jsonl"]);
}

#[test]
fn changes_of_other_programs_are_merged() {
    let directory = Directory::new("foreign");
    fs::write(directory.file(), ADA).unwrap();
    let store = Store::open(&directory.file()).unwrap();
    store.change(&create("ours")).unwrap();
    // A program that knows of no journal and no lock.
    fs::write(directory.file(), format!("{ADA}\n{}", ADA.replace("Ada", "Theirs"))).unwrap();
    assert_eq!(entities(&store), ["Ada", "Theirs", "ours"]);
    store.change(&observe("Theirs", "seen")).unwrap();
    fs::write(directory.file(), ADA.replace("Ada", "Theirs")).unwrap();
    store.close();
    let text = directory.text();
    assert!(!text.contains("Ada") && text.contains("ours") && text.contains("seen"), "{text}");
}

#[test]
fn two_stores_on_one_file_lose_nothing() {
    let directory = Directory::new("two");
    let path = directory.file();
    let work = |who: &'static str| {
        let path = path.clone();
        std::thread::spawn(move || {
            let store = Store::open(&path).unwrap();
            for index in 0..25 {
                store.change(&create(&format!("{who}{index}"))).unwrap();
                if index % 10 == 9 {
                    store.shared.known().fold(&store.shared.files).unwrap();
                }
            }
            store.close();
        })
    };
    let threads: Vec<_> = ["a", "b", "c"].into_iter().map(work).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let store = Store::open(&directory.file()).unwrap();
    assert_eq!(entities(&store).len(), 75);
    drop(store);
    assert_eq!(directory.names(), ["memory.jsonl"]);
}

#[test]
fn broken_lines_are_set_aside_before_the_file_is_written() {
    let directory = Directory::new("broken");
    fs::write(directory.file(), format!("{ADA}\n{{not json\n")).unwrap();
    let store = Store::open(&directory.file()).unwrap();
    assert_eq!(entities(&store), ["Ada"]);
    assert_eq!(directory.names(), ["memory.jsonl"]);
    store.change(&create("a")).unwrap();
    store.close();
    assert_eq!(directory.names(), ["memory.jsonl", "memory.jsonl.broken"]);
    assert_eq!(fs::read_to_string(directory.0.join("memory.jsonl.broken")).unwrap(), "{not json\n");
    assert_eq!(directory.text().lines().count(), 2);
}

#[test]
fn what_a_killed_writer_left_is_removed_and_nothing_else() {
    let directory = Directory::new("leftovers");
    fs::write(directory.0.join("memory.jsonl.0123.jackfield.tmp"), "half").unwrap();
    fs::write(directory.0.join("memory.jsonl.0123.tmp"), "of another program").unwrap();
    let store = Store::open(&directory.file()).unwrap();
    assert_eq!(entities(&store), [""; 0]);
    assert_eq!(directory.names(), ["memory.jsonl.0123.tmp"]);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::PermissionsExt;
    let directory = Directory::new("links");
    let real = directory.0.join("real.jsonl");
    fs::write(&real, ADA).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink(&real, directory.file()).unwrap();
    let store = Store::open(&directory.file()).unwrap();
    store.change(&create("a")).unwrap();
    store.close();
    assert!(fs::symlink_metadata(directory.file()).unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_to_string(&real).unwrap().lines().count(), 2);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_without_its_path() {
    let directory = Directory::new("unreadable");
    fs::create_dir(directory.file()).unwrap();
    let store = Store::open(&directory.file()).unwrap();
    let error = store.read(|graph| graph.all()).unwrap_err();
    assert!(error.starts_with("the memory file cannot be used") && !error.contains("jackfield-memory"), "{error}");
}
