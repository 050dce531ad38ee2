//! What the guide says about extensions.

use jackfield::protocol::{SKILLS_EXTENSION, TASKS_EXTENSION};

/// The extensions that some part of Jackfield declares.
fn supported() -> Vec<&'static str> {
    let of_auth = include_str!("../../../auth/src/client/oauth.rs");
    let declared =
        of_auth.lines().filter(|line| line.starts_with("const ") && line.contains("\"io.modelcontextprotocol/"));
    let declared: Vec<&str> = declared.map(|line| line.split('"').nth(1).unwrap()).collect();
    assert_eq!(declared.len(), 2, "{declared:?}");
    [TASKS_EXTENSION, SKILLS_EXTENSION].into_iter().chain(declared).collect()
}

/// XEXT-004: the first page that people see names them all.
#[test]
fn the_readme_names_all_extensions() {
    let readme = include_str!("../../../../README.md");
    for id in supported() {
        assert!(readme.contains(&format!("`{id}`")), "{id}");
    }
}

/// XEXT-007: for each extension there is a row that says what a peer gets which does not have it.
#[test]
fn the_guide_says_what_happens_without_an_extension() {
    let guide = include_str!("../../src/guide/extensions.rs");
    for id in supported() {
        let row = guide.lines().find(|line| line.starts_with(&format!("//! | `{id}` |")));
        let row = row.unwrap_or_else(|| panic!("the guide has no row for {id}"));
        let fallback = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        assert!(fallback.len() > 20, "{id}: {fallback}");
    }
}
