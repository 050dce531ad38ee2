//! `jackfield serve filesystem` as a process.

use crate::run::{Folder, JACKFIELD, Ran, command, finish, with_server};

fn served(folder: &Folder, options: &[&str], call: &[&str]) -> Ran {
    let directory = folder.path().join("data");
    let server = [&[JACKFIELD, "serve", "filesystem"][..], options, &[directory.to_str().unwrap()]].concat();
    with_server(&[&["call"][..], call].concat(), &server)
}

fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    folder.write("data/a.txt", "inside\n");
    folder.write("secret.txt", "outside\n");
    folder
}

#[test]
fn a_directory_is_served() {
    let folder = folder();
    let read = served(&folder, &[], &["read_text_file", "path=a.txt"]).ok();
    assert!(read.starts_with("inside\n"), "{read}");
    let ran = served(&folder, &["--read-only"], &["write_file", "path=b.txt", "content=x"]);
    assert_ne!(ran.code, Some(0), "{ran:?}");
    assert!(!folder.path().join("data/b.txt").exists());
}

/// With the wall of the kernel around it, where there is one, the server still does all its work.
#[test]
fn a_process_that_is_kept_in_its_directories_works() {
    let folder = folder();
    let tape = folder.path().join("tapes");
    std::fs::create_dir(&tape).unwrap();
    let tape = tape.join("a.tape");
    for roots in ["within", "ignore"] {
        let options = ["--roots", roots, "--extra-tools", "--tape", tape.to_str().unwrap()];
        served(&folder, &options, &["write_file", "path=b.txt", "content=x"]).ok();
        served(&folder, &options, &["create_directory", "path=d/e"]).ok();
        served(&folder, &options, &["move_file", "source=b.txt", "destination=d/e/c.txt"]).ok();
        served(&folder, &options, &["delete_file", "path=d"]).ok();
        let info = served(&folder, &options, &["get_file_info", "path=a.txt"]).ok();
        assert!(info.contains("GMT"), "{info}");
    }
    assert!(std::fs::metadata(tape).unwrap().len() > 0);
}

#[test]
fn what_cannot_be_used_is_told_at_the_start() {
    let folder = folder();
    let start = |arguments: &[&str]| {
        let mut serve = command();
        serve.args(["serve", "filesystem"]).args(arguments).current_dir(folder.path());
        finish(serve, "")
    };
    let none = start(&["none"]);
    assert_eq!(none.code, Some(1), "{none:?}");
    let path = folder.path().canonicalize().unwrap().join("none");
    assert!(none.err.contains(&format!("Warning: Cannot access directory {}, skipping\n", path.display())), "{none:?}");
    assert!(none.err.contains("Error: None of the specified directories are accessible\n"), "{none:?}");
    let some = start(&["none", "secret.txt", "--", "data"]);
    assert_eq!(some.code, Some(0), "{some:?}");
    assert!(some.err.contains("secret.txt is not a directory, skipping\n"), "{some:?}");
    assert!(some.err.contains("Secure MCP Filesystem Server running on stdio\n"), "{some:?}");
}
