//! The first example of the documentation stays short.

#[test]
fn the_first_example_has_at_most_14_lines() {
    let documentation = include_str!("../../src/lib.rs");
    let first = documentation.split("```").nth(1).unwrap();
    let lines = first.lines().skip(1).filter(|line| !line.trim_start_matches("//!").trim().is_empty());
    assert!(lines.count() <= 14, "{first}");
}
