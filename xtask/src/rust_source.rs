//! What can be read off Rust source line by line, because all of it is formatted by rustfmt: an item ends with the first line that
//! closes it at its own indentation.

use std::ops::RangeInclusive;

/// A test function, with its attributes and the comments above it.
#[derive(Debug)]
pub(crate) struct TestFunction<'a> {
    pub(crate) name: &'a str,
    /// The line of its `fn`, from 1.
    pub(crate) line: usize,
    /// The comments directly above it and inside its body.
    pub(crate) comments: Vec<&'a str>,
}

/// Returns the test functions of a source file: those below an attribute such as `#[test]` or `#[tokio::test(…)]`.
pub(crate) fn test_functions(source: &str) -> Vec<TestFunction<'_>> {
    let lines: Vec<&str> = source.lines().collect();
    let attributes = (0..lines.len()).filter(|&at| is_test_attribute(lines[at]));
    attributes.filter_map(|at| test_function(&lines, at)).collect()
}

/// Returns the lines, from 1, of the modules that exist in test builds only. Such a module stands at the left margin.
pub(crate) fn test_modules(source: &str) -> Vec<RangeInclusive<usize>> {
    let lines: Vec<&str> = source.lines().collect();
    let mut found = Vec::new();
    for at in (0..lines.len()).filter(|&at| lines[at] == "#[cfg(test)]" || lines[at].starts_with("#[cfg(all(test")) {
        let module = (at + 1..lines.len()).find(|&line| !lines[line].starts_with("#["));
        let Some(module) = module.filter(|&line| lines[line].starts_with("mod ")) else { continue };
        let end = if lines[module].ends_with('{') { closing_line(&lines, module) } else { module };
        found.push(at + 1..=end + 1);
    }
    found
}

/// Returns the lines outside of test modules with their numbers, from 1.
pub(crate) fn shipped_lines(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let tests = test_modules(source);
    let numbered = source.lines().enumerate().map(|(at, line)| (at + 1, line));
    numbered.filter(move |(number, _)| !tests.iter().any(|range| range.contains(number)))
}

/// Says whether a line is nothing but a comment.
pub(crate) fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// Returns the comment of a line. The slashes of a URL do not begin one: nothing but blanks or code and a blank stands before a comment.
fn comment(line: &str) -> Option<&str> {
    let begins = |at: usize| at == 0 || line[..at].ends_with(' ');
    line.match_indices("//").find(|(at, _)| begins(*at)).map(|(at, _)| &line[at..])
}

fn is_test_attribute(line: &str) -> bool {
    let Some(attribute) = line.trim_start().strip_prefix("#[") else { return false };
    let path = attribute.split(['(', ']']).next().unwrap_or_default();
    path == "test" || path.ends_with("::test")
}

fn test_function<'a>(lines: &[&'a str], attribute: usize) -> Option<TestFunction<'a>> {
    let header = |line: &str| {
        let line = line.trim_start();
        line.starts_with("#[") || line.starts_with("//")
    };
    let start = attribute - lines[..attribute].iter().rev().take_while(|line| header(line)).count();
    let function = (attribute + 1..lines.len()).find(|&at| function_name(lines[at]).is_some())?;
    let end = closing_line(lines, function);
    let comments = lines[start..=end].iter().filter_map(|line| comment(line)).collect();
    Some(TestFunction { name: function_name(lines[function])?, line: function + 1, comments })
}

fn function_name(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ")?;
    rest.split(['(', '<']).next()
}

/// Returns the line that closes the item which begins at `start`: the first with its indentation that begins with a closing brace, or
/// the line itself if it closes what it opens.
fn closing_line(lines: &[&str], start: usize) -> usize {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let depth = indentation(lines[start]);
    if lines[start].ends_with('}') || lines[start].ends_with(';') {
        return start;
    }
    let closes = |line: &str| indentation(line) == depth && line.trim_start().starts_with('}');
    // A line such as `) {` continues the signature.
    (start + 1..lines.len()).find(|&at| closes(lines[at])).unwrap_or(lines.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<(&str, Vec<&str>)> {
        test_functions(source).into_iter().map(|test| (test.name, test.comments)).collect()
    }

    #[test]
    fn tests_are_found_with_the_comments_that_belong_to_them() {
        let source = "// elsewhere\n\n/// One.\n#[test]\nfn a() {\n    // Two.\n    f(\"http://x\"); // Three.\n}\n// elsewhere\nfn b() {}\n";
        assert_eq!(found(source), [("a", vec!["/// One.", "// Two.", "// Three."])]);
    }

    #[test]
    fn tests_of_libraries_modules_and_macros_are_found() {
        let source = "mod tests {\n    #[tokio::test(start_paused = true)]\n    // One.\n    async fn a() {\n        f();\n    }\n\n    proptest! {\n        \
                      #[test]\n        fn b(x in 0..9) {\n            g(x);\n        }\n    }\n}\n";
        assert_eq!(found(source), [("a", vec!["// One."]), ("b", vec![])]);
        assert_eq!(test_functions(source)[0].line, 4);
        assert_eq!(found("#[test_log]\nfn a() {}\n#[cfg(test)]\nfn b() {}\n"), []);
    }

    #[test]
    fn a_signature_may_take_several_lines() {
        let source = "#[test]\nfn a(\n    b: u8,\n) {\n    // One.\n}\n// elsewhere\n";
        assert_eq!(found(source), [("a", vec!["// One."])]);
    }

    #[test]
    fn test_modules_are_left_out() {
        let source = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {\n    }\n}\n#[cfg(test)]\n#[path = \"x.rs\"]\nmod other;\nfn c() {}\n";
        let kept: Vec<&str> = shipped_lines(source).map(|(_, line)| line).collect();
        assert_eq!(kept, ["fn a() {}", "fn c() {}"]);
        assert_eq!(test_modules(source), [2..=6, 7..=9]);
        assert_eq!(test_modules("#[cfg(all(test, unix))]\nmod tests {\n}\n"), [1..=3]);
        // An item that only tests use, but that is no module, is short and stays.
        assert_eq!(test_modules("#[cfg(test)]\nuse a;\n"), []);
    }
}
