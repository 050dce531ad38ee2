//! The hunks of a unified diff.

use gix::diff::blob::{Algorithm, Diff, InternedInput};

use super::answer::Answer;

/// How hunks are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct HunkOptions {
    pub(super) context: usize,
    /// Hunks with at most so many more common lines between them become one.
    pub(super) inter_hunk_context: usize,
    pub(super) algorithm: Algorithm,
    pub(super) suppress_blank_empty: bool,
}

/// A run of lines that differs, counted from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Difference {
    old: (usize, usize),
    new: (usize, usize),
}

/// Writes all hunks. `before_first` is written once if there are any.
pub(super) fn write(old: &[u8], new: &[u8], options: HunkOptions, before_first: &[u8], out: &mut Answer) {
    let old_lines = lines(old);
    let new_lines = lines(new);
    let differences = differences(old, new, options.algorithm);
    let mut function = Vec::new();
    let mut searched: Option<usize> = None;
    let mut rest = differences.as_slice();
    if !rest.is_empty() {
        out.push(before_first);
    }
    while !rest.is_empty() && !out.is_full() {
        let (group, others) = rest.split_at(group_length(rest, options));
        rest = others;
        let hunk = Hunk::around(group, options.context, old_lines.len(), new_lines.len());
        if let Some(found) = enclosing_function(&old_lines, hunk.old.0, searched) {
            function = found.to_vec();
        }
        searched = Some(hunk.old.0);
        hunk.write(group, &old_lines, &new_lines, &function, options, out);
    }
}

/// Lines with their ends.
pub(super) fn lines(content: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', content) {
        lines.push(&content[start..=end]);
        start = end + 1;
    }
    if start < content.len() {
        lines.push(&content[start..]);
    }
    lines
}

fn differences(old: &[u8], new: &[u8], algorithm: Algorithm) -> Vec<Difference> {
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(algorithm, &input);
    diff.postprocess_lines(&input);
    let range = |range: std::ops::Range<u32>| (range.start as usize, range.end as usize);
    diff.hunks().map(|hunk| Difference { old: range(hunk.before), new: range(hunk.after) }).collect()
}

/// How many of the differences are close enough to be one hunk.
fn group_length(differences: &[Difference], options: HunkOptions) -> usize {
    let most_common = options.context.saturating_mul(2).saturating_add(options.inter_hunk_context);
    let close = differences.windows(2).take_while(|pair| pair[1].old.0 - pair[0].old.1 <= most_common);
    1 + close.count()
}

/// The lines of a hunk with its context.
struct Hunk {
    old: (usize, usize),
    new: (usize, usize),
}

impl Hunk {
    fn around(group: &[Difference], context: usize, old_count: usize, new_count: usize) -> Self {
        let (first, last) = (group[0], group[group.len() - 1]);
        let before = context.min(first.old.0).min(first.new.0);
        let after = context.min(old_count - last.old.1).min(new_count - last.new.1);
        Self { old: (first.old.0 - before, last.old.1 + after), new: (first.new.0 - before, last.new.1 + after) }
    }

    fn write(
        &self,
        group: &[Difference],
        old_lines: &[&[u8]],
        new_lines: &[&[u8]],
        function: &[u8],
        options: HunkOptions,
        out: &mut Answer,
    ) {
        out.push(format!("@@ -{} +{} @@", range(self.old), range(self.new)));
        if !function.is_empty() {
            out.push(" ");
            out.push(function);
        }
        out.push("\n");
        let mut at = self.old.0;
        for difference in group {
            write_context(&old_lines[at..difference.old.0], options, out);
            write_lines('-', &old_lines[difference.old.0..difference.old.1], out);
            write_lines('+', &new_lines[difference.new.0..difference.new.1], out);
            at = difference.old.1;
        }
        write_context(&old_lines[at..self.old.1], options, out);
    }
}

/// `start,count` with lines from one; a count of one is left out, and an empty range names the line before it.
pub(super) fn range((start, end): (usize, usize)) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        count => format!("{},{count}", start + 1),
    }
}

fn write_context(lines: &[&[u8]], options: HunkOptions, out: &mut Answer) {
    for line in lines {
        if options.suppress_blank_empty && *line == b"\n" {
            out.push("\n");
        } else {
            write_lines(' ', std::slice::from_ref(line), out);
        }
    }
}

fn write_lines(mark: char, lines: &[&[u8]], out: &mut Answer) {
    for line in lines {
        out.push([mark as u8]);
        out.push(line);
        if !line.ends_with(b"\n") {
            out.push("\n\\ No newline at end of file\n");
        }
    }
}

/// The last line before `before` that looks like the beginning of a function, not further up than was searched already.
fn enclosing_function<'a>(lines: &[&'a [u8]], before: usize, searched: Option<usize>) -> Option<&'a [u8]> {
    const LONGEST: usize = 80;
    let from = searched.unwrap_or(0);
    let line =
        lines.get(from..before)?.iter().rev().find(|line| {
            line.first().is_some_and(|first| first.is_ascii_alphabetic() || matches!(first, b'_' | b'$'))
        })?;
    Some(line[..line.len().min(LONGEST)].trim_ascii_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(old: &str, new: &str, context: usize) -> String {
        let options =
            HunkOptions { context, inter_hunk_context: 0, algorithm: Algorithm::Myers, suppress_blank_empty: false };
        let mut out = Answer::new(1 << 20);
        write(old.as_bytes(), new.as_bytes(), options, b"", &mut out);
        out.finish("")
    }

    #[test]
    fn changes_that_share_context_are_one_hunk() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n";
        let new = "1\nX\n3\n4\n5\n6\nY\n8\n";
        assert_eq!(diff(old, new, 2), "@@ -1,8 +1,8 @@\n 1\n-2\n+X\n 3\n 4\n 5\n 6\n-7\n+Y\n 8\n");
        assert_eq!(diff(old, new, 0), "@@ -2 +2 @@\n-2\n+X\n@@ -7 +7 @@\n-7\n+Y\n");
    }

    #[test]
    fn an_empty_side_names_the_line_before() {
        assert_eq!(diff("", "a\n", 3), "@@ -0,0 +1 @@\n+a\n");
        assert_eq!(diff("a\n", "", 3), "@@ -1 +0,0 @@\n-a\n");
        assert_eq!(diff("1\n2\n", "1\nx\n2\n", 0), "@@ -1,0 +2 @@\n+x\n");
    }

    #[test]
    fn a_missing_newline_is_shown() {
        assert_eq!(diff("a", "a\n", 3), "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
    }

    #[test]
    fn a_hunk_names_the_function_that_it_is_in_and_the_last_one_stays() {
        let old = "fn main() {\n1\n2\n3\n4\n5\n6\n7\n8\n9\n}\n";
        let new = old.replace("5\n", "X\n").replace("9\n", "Y\n");
        let expected = "@@ -6 +6 @@ fn main() {\n-5\n+X\n@@ -10 +10 @@ fn main() {\n-9\n+Y\n";
        assert_eq!(diff(old, &new, 0), expected);
    }
}
