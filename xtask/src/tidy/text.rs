//! All text files: how they end, where their links lead, and what only its author's machine would understand.

use std::path::Path;

use crate::files::File;

/// This file must name what it forbids.
const THIS_FILE: &str = "xtask/src/tidy/text.rs";

/// Beginnings of paths that exist on one machine only.
const MACHINE_PATHS: &[&str] = &["/work/", "/root/", "/home/runner/"];

/// Documents and folders that are not part of the project.
const ELSEWHERE: &[&str] =
    &["DESIGN.md", "STYLE.md", "DESIGN §", "performance.md", "conformance.md", "reference-servers.md", "../shared"];

/// Files that may look outside the project, each with the reason.
const MAY_LOOK_OUTSIDE: &[(&str, &str)] = &[(".ci/run", "finds the official schemas beside the checkout")];

pub(super) fn problems(files: &[File], root: &Path) -> Vec<String> {
    let home = std::env::var("HOME").ok().filter(|home| home.len() > 1).map(|home| format!("{home}/"));
    let mut paths: Vec<&str> = MACHINE_PATHS.to_vec();
    paths.extend(home.as_deref());
    paths.extend(root.to_str());
    files.iter().flat_map(|file| of_file(file, &paths, files)).collect()
}

fn of_file(file: &File, machine_paths: &[&str], files: &[File]) -> Vec<String> {
    let mut problems = Vec::new();
    if !file.text.is_empty() && !file.text.ends_with('\n') {
        problems.push("does not end with a newline".to_owned());
    }
    if file.path != Path::new(THIS_FILE) {
        let path = machine_paths.iter().find(|path| begins_a_path(&file.text, path));
        problems.extend(path.map(|path| format!("has a path of one machine, {path}")));
        let may_look = MAY_LOOK_OUTSIDE.iter().any(|(allowed, _)| Path::new(allowed) == file.path);
        let word = ELSEWHERE.iter().find(|word| !may_look && file.text.contains(*word));
        problems.extend(word.map(|word| format!("speaks of {word}, which is not part of the project")));
    }
    if file.is_markdown() {
        let broken = relative_links(&file.text).filter(|link| !leads_somewhere(file, link, files));
        problems.extend(broken.map(|link| format!("links to {link}, which does not exist")));
    }
    problems.into_iter().map(|problem| format!("{}: {problem}", file.path.display())).collect()
}

/// Says whether `path` stands in the text as the beginning of an absolute path, not as the middle of a longer one or of a URL.
fn begins_a_path(text: &str, path: &str) -> bool {
    text.match_indices(path).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "/.-_}$~".contains(c))
    })
}

/// Returns the targets of markdown links within the project, without their fragments.
fn relative_links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|target| !target.contains("://") && !target.starts_with('#'))
        .map(|target| target.split('#').next().unwrap_or(target))
}

fn leads_somewhere(file: &File, link: &str, files: &[File]) -> bool {
    let mut target = file.path.parent().unwrap_or(Path::new("")).to_owned();
    for part in link.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match part {
            ".." if !target.pop() => return false,
            ".." => {}
            part => target.push(part),
        }
    }
    files.iter().any(|other| other.path.starts_with(&target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: usize) {
        let files =
            [File { path: path.into(), text: text.into() }, File { path: "docs/guide.md".into(), text: String::new() }];
        let problems = of_file(&files[0], &["/root/"], &files);
        assert_eq!(problems.len(), expected, "{problems:?}");
    }

    #[test]
    fn files_end_with_a_newline() {
        check("a.txt", "text", 1);
        check("a.txt", "text\n", 0);
        check("a.txt", "", 0);
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        check("a.rs", "let x = \"/root/x\";\n", 1);
        check("a.rs", "let x = \"file:///root/x\";\n", 0);
        check("a.rs", "let x = \"demo/root/x\";\n", 0);
    }

    #[test]
    fn documents_from_elsewhere_are_found() {
        check("a.rs", "// See STYLE.md.\n", 1);
        check("a.rs", "// See SECURITY.md.\n", 0);
        check(".ci/run", "ls ../shared\n", 0);
    }

    #[test]
    fn links_lead_somewhere() {
        check("README.md", "[a](docs/guide.md#part) [b](docs) [c](https://example.com/x) [d](#here)\n", 0);
        check("tests/a/README.md", "[a](../../docs/guide.md) [b](./README.md)\n", 0);
        check("README.md", "[a](docs/missing.md)\n", 1);
        check("README.md", "[a](../docs/guide.md)\n", 1);
        check("a.txt", "[a](docs/missing.md)\n", 0);
    }
}
