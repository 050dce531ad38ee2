//! Searching in the content of files, page by page.

use std::ffi::OsStr;
use std::path::Path;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::sinks::Lossy;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};

use crate::filesystem::beneath::{Dir, Kind, Stat};
use crate::filesystem::failure::Failure;
use crate::filesystem::glob::Glob;
use crate::filesystem::limits::{Limits, Watcher};
use crate::filesystem::location::Location;
use crate::filesystem::walk::{Cut, Walk};

use super::ignored::IgnoreRules;

/// What is looked for, and how much of it.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) pattern: String,
    pub(crate) ignore_case: bool,
    /// Only files whose path relative to the directory matches.
    pub(crate) glob: Option<String>,
    /// Also what ignore files leave out.
    pub(crate) ignored: bool,
    /// How many lines are returned at once.
    pub(crate) page: usize,
    /// Where the page before ended.
    pub(crate) cursor: Option<String>,
}

/// Lines that match, and where the next page begins.
#[derive(Debug)]
pub(crate) struct Matches {
    pub(crate) text: String,
    pub(crate) next: Option<String>,
    pub(crate) cut: Option<Cut>,
}

/// The most characters of a line that are shown.
const SHOWN: usize = 400;

/// The most memory for one line.
const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// The most memory for a compiled regular expression.
const LARGEST_REGEX: usize = 10 * 1024 * 1024;

/// Searches all regular files below a directory, or one file. Binary files end at their first NUL.
pub(crate) fn search(
    location: &Location,
    query: &Query,
    limits: &Limits,
    watcher: &dyn Watcher,
) -> Result<Matches, Failure> {
    let mut builder = RegexMatcherBuilder::new();
    builder.case_insensitive(query.ignore_case).line_terminator(Some(b'\n'));
    let matcher = builder.size_limit(LARGEST_REGEX).dfa_size_limit(LARGEST_REGEX).build(&query.pattern);
    let matcher = matcher.map_err(|error| Failure::new(format!("Invalid pattern: {error}")))?;
    let names: Vec<String> = location.relative().iter().map(|name| name.to_string_lossy().into_owned()).collect();
    let mut search = Search {
        matcher,
        searcher: SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(LONGEST_LINE))
            .build(),
        glob: query.glob.as_deref().map(Glob::new).transpose()?,
        rules: (!query.ignored).then(|| IgnoreRules::above(location)),
        after: query.cursor.as_deref().map(Position::parse).transpose()?,
        page: query.page,
        walk: Walk::new(limits, watcher),
        base: names.len(),
        names,
        text: String::new(),
        found: 0,
        next: None,
    };
    let failed = |error: std::io::Error| location.failure(&error, "scandir");
    let stat = location.dir().stat(location.relative()).map_err(failed)?;
    if stat.kind == Kind::Directory {
        let dir = location.dir().listing(location.relative()).map_err(failed)?;
        search.directory(&dir).map_err(failed)?;
    } else {
        let parent = location.parent().map_err(failed)?;
        // A file that is named is searched whatever ignore files say.
        search.base = search.base.saturating_sub(1);
        search.file(&parent, location.name().unwrap_or_default());
    }
    if search.walk.is_cancelled() {
        return Err(Failure::cancelled());
    }
    let cut = search.walk.cut();
    let text = if search.found == 0 { "No matches found".to_owned() } else { search.text };
    Ok(Matches { text, next: search.next, cut })
}

/// A line of a file, by the names from the searched directory. Positions follow each other as the walk does.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Position {
    names: Vec<String>,
    line: u64,
}

impl Position {
    fn parse(cursor: &str) -> Result<Self, Failure> {
        let parts = cursor.split_once(':').and_then(|(line, path)| Some((line.parse().ok()?, path)));
        let (line, path) = parts.ok_or_else(|| Failure::new("Invalid cursor"))?;
        Ok(Self { names: path.split('/').map(str::to_owned).collect(), line })
    }

    fn write(names: &[String], line: u64) -> String {
        format!("{line}:{}", names.join("/"))
    }
}

struct Search<'a> {
    matcher: RegexMatcher,
    searcher: Searcher,
    glob: Option<Glob>,
    rules: Option<IgnoreRules>,
    after: Option<Position>,
    page: usize,
    walk: Walk<'a>,
    /// How many names lead from the allowed directory to the searched one.
    base: usize,
    names: Vec<String>,
    text: String,
    found: usize,
    next: Option<String>,
}

impl Search<'_> {
    fn directory(&mut self, dir: &Dir) -> std::io::Result<()> {
        let depth = self.names.len();
        if let Some(rules) = &mut self.rules {
            rules.enter(dir, depth);
        }
        for entry in self.walk.entries(dir)? {
            if self.next.is_some() || self.walk.is_cancelled() || !self.walk.may_look() {
                break;
            }
            self.names.push(entry.name.to_string_lossy().into_owned());
            if !self.is_before_page() && !self.rules.as_ref().is_some_and(|rules| rules.hold(&self.names, entry.kind)) {
                self.entry(dir, &entry.name, entry.kind);
            }
            self.names.pop();
        }
        if let Some(rules) = &mut self.rules {
            rules.leave(depth);
        }
        Ok(())
    }

    /// Whether the current path was searched for an earlier page.
    fn is_before_page(&self) -> bool {
        let current = &self.names[self.base..];
        self.after.as_ref().is_some_and(|after| !after.names.starts_with(current) && current < &after.names[..])
    }

    fn entry(&mut self, dir: &Dir, name: &OsStr, kind: Kind) {
        match kind {
            Kind::Directory if self.walk.may_enter(self.names.len() - self.base) => {
                if let Ok(child) = dir.child(name) {
                    // One that cannot be read is left out.
                    let _ = self.directory(&child);
                }
            }
            Kind::File if self.glob.as_ref().is_none_or(|glob| glob.is_match(&self.names[self.base..])) => {
                self.file(dir, name);
            }
            _ => {}
        }
    }

    /// Searches one file; one that cannot be read is left out.
    fn file(&mut self, dir: &Dir, name: &OsStr) {
        let is_file = |stat: Stat| stat.kind == Kind::File;
        if !dir.stat_name(name).is_ok_and(is_file) {
            return;
        }
        let Ok(file) = dir.file(Path::new(name)) else { return };
        if !file.metadata().is_ok_and(|metadata| is_file(Stat::of(&metadata))) {
            return;
        }
        let names = &self.names[self.base..];
        let skipped = self.after.as_ref().filter(|after| after.names == names).map_or(0, |after| after.line);
        let (page, text, found, next) = (self.page, &mut self.text, &mut self.found, &mut self.next);
        let path = names.join("/");
        let mut last = skipped;
        let sink = Lossy(|number, line| {
            if number <= skipped {
                return Ok(true);
            }
            if *found >= page {
                *next = Some(Position::write(names, last));
                return Ok(false);
            }
            (*found, last) = (*found + 1, number);
            text.push_str(&format!("{path}:{number}: {}\n", shortened(line)));
            Ok(true)
        });
        // Lines that are too long and files that vanish are left out too.
        let _ = self.searcher.search_file(&self.matcher, &file, sink);
    }
}

fn shortened(line: &str) -> String {
    let line = line.trim_end_matches(['\n', '\r']);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
