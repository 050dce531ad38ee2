//! Attacks that succeed against a server that checks a path as text and then uses it as text.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::directories::Directories;
use super::edit::{Edit, edit_file};
use super::failure::Failure;
use super::limits::{Limits, Unwatched};
use super::list::{SortBy, list_directory, list_with_sizes};
use super::location::Location;
use super::read::{Part, read_text};
use super::search::search_files;
use super::test_directory::TestDirectory;
use super::tree::directory_tree;
use super::write::{WriteRules, create_directory, move_file, write_file};

/// `allowed/d/f` and, outside, `outside/f`. The link `spare` beside them leads out; exchanged with `allowed/d` it takes its place.
struct Scene {
    directory: TestDirectory,
    directories: Directories,
}

impl Scene {
    fn new() -> Self {
        let directory = TestDirectory::new();
        directory.write("allowed/d/f", "inside");
        directory.write("allowed/g", "inside");
        directory.write("outside/f", "SECRET");
        directory.link("spare", directory.path().join("outside"));
        let directories = Directories::open([directory.path().join("allowed").to_str().unwrap()], |_| {}).unwrap();
        Self { directory, directories }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.directory.path().join(path)
    }

    fn locate(&self, argument: &str) -> Location {
        self.directories.locate(argument).unwrap()
    }

    /// Puts the link in the place of the directory, or back, in one step.
    fn swap(&self) {
        renameat_with(CWD, self.at("spare"), CWD, self.at("allowed/d"), RenameFlags::EXCHANGE).unwrap();
    }

    /// What is outside, as it must stay.
    #[track_caller]
    fn check_outside(&self) {
        assert_eq!(self.directory.read("outside/f"), "SECRET");
        let names: Vec<_> =
            std::fs::read_dir(self.at("outside")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["f"]);
    }
}

const LIMITS: Limits = Limits { answer_bytes: 1 << 20, entries: 1000, depth: 10 };
const RULES: WriteRules = WriteRules { refuse_hard_links: false };

fn read(location: &Location) -> Result<String, Failure> {
    read_text(location, Part::Whole, &LIMITS)
}

/// T-160: the directory is swapped for a link after the path was checked.
#[test]
fn a_directory_that_became_a_link_is_not_followed() {
    let scene = Scene::new();
    let (file, new, dir) = (scene.locate("d/f"), scene.locate("d/new"), scene.locate("d"));
    let (other, deep) = (scene.locate("g"), scene.locate("d/x/y"));
    scene.swap();
    let edit = Edit { old_text: "SECRET".to_owned(), new_text: "x".to_owned() };
    let results: Vec<(&str, Result<String, Failure>)> = vec![
        ("read", read(&file)),
        ("tail", read_text(&file, Part::Tail(1.0), &LIMITS)),
        ("media", super::media::read_media(&file, &LIMITS).map(|media| media.base64)),
        ("info", super::info::file_info(&file, &jiff::tz::TimeZone::UTC)),
        ("list", list_directory(&dir, &LIMITS)),
        ("sizes", list_with_sizes(&dir, SortBy::Name, &LIMITS)),
        ("tree", directory_tree(&dir, &[], &LIMITS, &Unwatched).map(|tree| tree.json)),
        ("search", search_files(&scene.directories, &dir, "**", &[], &LIMITS, &Unwatched).map(|found| found.text)),
        ("edit", edit_file(&file, &[edit], false, &LIMITS, RULES)),
        ("replace", write_file(&file, b"x", RULES).map(|()| String::new())),
        ("create", write_file(&new, b"x", RULES).map(|()| String::new())),
        ("mkdir", create_directory(&deep).map(|()| String::new())),
        ("move in", move_file(&other, &new).map(|()| String::new())),
        ("move out", move_file(&file, &scene.locate("h")).map(|()| String::new())),
    ];
    for (what, result) in results {
        assert!(result.is_err(), "{what}: {result:?}");
    }
    scene.check_outside();
    assert_eq!(scene.directory.read("allowed/g"), "inside");
}

/// T-160, CVE-2025-53109: links that lead out, in every form.
#[test]
fn links_that_lead_out_are_refused() {
    let scene = Scene::new();
    let link = |path: &str, target: &str| scene.directory.link(path, target);
    link("allowed/file", "../outside/f");
    link("allowed/dir", "../outside");
    link("allowed/up", "..");
    link("allowed/absolute", scene.at("outside").to_str().unwrap());
    link("allowed/chain", "absolute");
    link("allowed/new", "../outside/new");
    for path in ["file", "dir/f", "up/outside/f", "absolute/f", "chain/f", "dir", "d/../dir/f"] {
        let failure = scene.directories.locate(path).unwrap_err().to_string();
        assert!(failure.starts_with("Access denied - symlink target outside allowed directories: "), "{failure}");
    }
    let dangling = scene.directories.locate("new").unwrap_err().to_string();
    assert_eq!(dangling, format!("Parent directory does not exist: {}", scene.at("allowed").display()));
    // A link inside may lead to another place inside, also by its absolute path.
    link("allowed/good", scene.at("allowed/g").to_str().unwrap());
    assert_eq!(read(&scene.locate("good")).unwrap(), "inside");
}

/// T-160, CVE-2025-53110, and a path that is outside but for white space at its end.
#[test]
fn directories_that_share_a_prefix_are_outside() {
    let scene = Scene::new();
    scene.directory.write("allowed_evil/f", "SECRET");
    for path in [scene.at("allowed_evil/f"), scene.at("allowed "), scene.at("allowed/../outside/f"), PathBuf::from("/")]
    {
        let failure = scene.directories.locate(path.to_str().unwrap()).unwrap_err().to_string();
        assert!(failure.starts_with("Access denied - path outside allowed directories: "), "{failure}");
    }
    assert!(scene.directories.locate("d/f\0").is_err());
}

#[test]
fn writing_on_an_allowed_directory_writes_nothing_beside_it() {
    let scene = Scene::new();
    let before = std::fs::read_dir(scene.directory.path()).unwrap().count();
    let failure = write_file(&scene.locate(scene.at("allowed").to_str().unwrap()), b"x", RULES).unwrap_err();
    assert!(failure.to_string().starts_with("EISDIR: illegal operation on a directory, "), "{failure}");
    assert!(!failure.to_string().contains(".tmp"), "{failure}");
    assert_eq!(std::fs::read_dir(scene.directory.path()).unwrap().count(), before);
    // A directory below is refused too, and leaves nothing.
    let failure = write_file(&scene.locate("d"), b"x", RULES).unwrap_err().to_string();
    assert!(failure.starts_with("EISDIR: illegal operation on a directory, rename '"), "{failure}");
    assert_eq!(std::fs::read_dir(scene.at("allowed")).unwrap().count(), 2);
}

/// T-160
#[test]
fn fifos_are_refused_at_once() {
    let scene = Scene::new();
    scene.directory.fifo("allowed/pipe");
    let pipe = scene.locate("pipe");
    let refused = format!("Access denied - not a regular file: {}", scene.at("allowed/pipe").display());
    assert_eq!(read(&pipe).unwrap_err().to_string(), refused);
    assert_eq!(write_file(&pipe, b"x", RULES).unwrap_err().to_string(), refused);
    assert!(super::info::file_info(&pipe, &jiff::tz::TimeZone::UTC).unwrap().contains("isFile: false"));
}

#[test]
fn an_allowed_directory_is_not_moved() {
    let scene = Scene::new();
    let root = scene.locate(scene.at("allowed").to_str().unwrap());
    let failure = move_file(&root, &scene.locate("d/x")).unwrap_err().to_string();
    assert!(failure.starts_with("EBUSY: resource busy or locked, rename '"), "{failure}");
}

#[test]
fn files_with_another_name_are_not_written_where_that_is_forbidden() {
    let scene = Scene::new();
    std::fs::hard_link(scene.at("outside/f"), scene.at("allowed/linked")).unwrap();
    let rules = WriteRules { refuse_hard_links: true };
    let failure = write_file(&scene.locate("linked"), b"x", rules).unwrap_err().to_string();
    assert!(failure.starts_with("Access denied - file has more than one hard link: "), "{failure}");
    write_file(&scene.locate("g"), b"x", rules).unwrap();
    // Without the rule the name gets a file of its own; what is outside stays.
    write_file(&scene.locate("linked"), b"x", RULES).unwrap();
    assert_eq!(scene.directory.read("outside/f"), "SECRET");
}

/// How long a race runs: a number of attempts, or `JACKFIELD_RACE_SECONDS`.
fn attempts() -> Box<dyn FnMut() -> bool> {
    let seconds = std::env::var("JACKFIELD_RACE_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    match seconds.map(Duration::from_secs) {
        Some(duration) => {
            let start = Instant::now();
            Box::new(move || start.elapsed() < duration)
        }
        None => {
            let mut left = 3000;
            Box::new(move || {
                left -= 1;
                left >= 0
            })
        }
    }
}

/// Runs an operation again and again while another thread swaps the directory and the link.
fn race(scene: &Scene, mut operation: impl FnMut()) -> u64 {
    let (stop, swaps) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                scene.swap();
                swaps.fetch_add(1, Ordering::Relaxed);
            }
        });
        let mut goes_on = attempts();
        while goes_on() {
            operation();
        }
        stop.store(true, Ordering::Relaxed);
    });
    swaps.into_inner()
}

/// T-160
#[test]
fn reading_never_leaks_while_a_directory_is_swapped_for_a_link() {
    let scene = Scene::new();
    let (mut read_inside, mut refused) = (0_u64, 0_u64);
    race(&scene, || match scene.directories.locate("d/f").and_then(|location| read(&location)) {
        Ok(text) => {
            assert_eq!(text, "inside");
            read_inside += 1;
        }
        Err(_) => refused += 1,
    });
    println!("read inside {read_inside} times, refused {refused} times");
    scene.check_outside();
}

/// T-160
#[test]
fn writing_never_leaks_while_a_directory_is_swapped_for_a_link() {
    let scene = Scene::new();
    let mut count = 0_u64;
    race(&scene, || {
        count += 1;
        let name = if count.is_multiple_of(2) { "d/f" } else { "d/new" };
        if let Ok(location) = scene.directories.locate(name) {
            let _ = write_file(&location, b"written", RULES);
        }
    });
    scene.check_outside();
    let real = if scene.at("spare").is_symlink() { scene.at("allowed/d") } else { scene.at("spare") };
    no_temporary_files(&real);
}

#[track_caller]
fn no_temporary_files(directory: &Path) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let name = entry.unwrap().file_name();
        assert!(!name.to_string_lossy().ends_with(".tmp"), "{name:?}");
    }
}
