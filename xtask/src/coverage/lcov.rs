//! The format in which LLVM tells how often each line was reached.

use std::path::PathBuf;

/// The lines of one source file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) lines: Vec<Line>,
}

/// A line with code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) number: usize,
    pub(super) is_reached: bool,
}

/// Reads a report. What is not about lines is passed over.
pub(super) fn files(report: &str) -> Vec<Source> {
    let mut found: Vec<Source> = Vec::new();
    for row in report.lines() {
        if let Some(path) = row.strip_prefix("SF:") {
            found.push(Source { path: PathBuf::from(path), lines: Vec::new() });
        } else if let Some(line) = row.strip_prefix("DA:").and_then(line)
            && let Some(file) = found.last_mut()
        {
            file.lines.push(line);
        }
    }
    found
}

/// `12,3` says that line 12 was reached three times. Some writers add a checksum.
fn line(fields: &str) -> Option<Line> {
    let mut fields = fields.split(',');
    let number = fields.next()?.parse().ok()?;
    let count: u64 = fields.next()?.parse().ok()?;
    Some(Line { number, is_reached: count > 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_belong_to_the_file_above_them() {
        let report =
            "SF:/a.rs\nFN:1,f\nFNDA:2,f\nDA:1,2\nDA:3,0\nLF:2\nend_of_record\nSF:/b.rs\nDA:7,1,sum\nend_of_record\n";
        let line = |number, is_reached| Line { number, is_reached };
        assert_eq!(
            files(report),
            [
                Source { path: "/a.rs".into(), lines: vec![line(1, true), line(3, false)] },
                Source { path: "/b.rs".into(), lines: vec![line(7, true)] },
            ]
        );
    }

    #[test]
    fn what_is_no_report_has_no_files() {
        assert_eq!(files("DA:1,2\nDA:x\n"), []);
    }
}
