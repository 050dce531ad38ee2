//! Questions of the server when nobody is there to be asked.

use crate::run::{Folder, with_demo};

/// CLI-043: a form is declined with a note, or filled in by the command line, in both eras.
#[test]
fn forms_are_answered_by_the_command_line_or_declined() {
    for revision in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        let call = ["call", "trigger-elicitation-request", "--revision", revision];
        let ran = with_demo(&call);
        assert!(ran.err.contains("asks: Please provide inputs") && ran.err.contains("declined"), "{ran:?}");
        assert!(ran.ok().contains("User declined"));
        let ran = with_demo(&[&call[..], &["--answer", "email=a@b.example"]].concat());
        assert!(ran.err.contains("no --answer for name"), "{ran:?}");
        let ran = with_demo(&[&call[..], &["--answer", "name=Ada", "--answer", "integer=1000"]].concat());
        assert!(ran.err.contains("--answer integer: it must be a whole number from 1 to 100"), "{ran:?}");
        let out = with_demo(&[&call[..], &["--answer", "name=Ada", "--answer", "check=yes"]].concat()).ok();
        assert!(out.contains("- Name: Ada") && out.contains("- Agreed to terms: true"), "{out}");
    }
}

/// CLI-031, CLI-045: nothing is opened and no model is asked without a person.
#[test]
fn pages_and_models_need_a_person_or_the_command_line() {
    let ran = with_demo(&["call", "trigger-url-elicitation", "url=https://example.com/x"]);
    assert!(ran.err.contains("asks you to open https://example.com/x"), "{ran:?}");
    assert!(ran.ok().contains("User declined to open the URL"));
    for revision in ["2025-11-25", "2026-07-28"] {
        let call = ["call", "trigger-sampling-request", "prompt=hello", "--revision", revision];
        let ran = with_demo(&call);
        assert!(ran.code != Some(0) && ran.err.contains("no --reply is given"), "{ran:?}");
        let out = with_demo(&[&call[..], &["--reply", "forty-two"]].concat()).ok();
        assert!(out.contains("forty-two"), "{out}");
    }
}

#[test]
fn roots_are_those_of_the_command_line() {
    let folder = Folder::new();
    let name = folder.write("a b/x", "").parent().unwrap().to_owned();
    let out = with_demo(&["call", "get-roots-list", "--root", name.to_str().unwrap()]).ok();
    let uri = format!("file://{}/a%20b", folder.path().display());
    assert!(out.contains("1. a b") && out.contains(&uri), "{out}");
}
