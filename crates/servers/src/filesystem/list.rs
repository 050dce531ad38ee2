//! Listing one directory.

use std::cmp::Reverse;
use std::fmt::Write;

use super::beneath::{Dir, Entry, Kind};
use super::collation::SortKey;
use super::failure::Failure;
use super::limits::Limits;
use super::location::Location;
use super::size;

/// By what a listing with sizes is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SortBy {
    Name,
    Size,
}

/// Lists names with `[DIR]` or `[FILE]` in front, in byte order. Links are files.
pub(crate) fn list_directory(location: &Location, limits: &Limits) -> Result<String, Failure> {
    let (_, entries) = opened(location, limits)?;
    let lines: Vec<String> = entries.iter().map(|entry| format!("{} {}", mark(entry), shown(entry))).collect();
    Ok(lines.join("\n"))
}

/// Lists names with the sizes of files, and their number and sum.
pub(crate) fn list_with_sizes(location: &Location, sort_by: SortBy, limits: &Limits) -> Result<String, Failure> {
    let (dir, entries) = opened(location, limits)?;
    let mut sized: Vec<(Entry, u64)> = entries
        .into_iter()
        .map(|entry| {
            let size = dir.size_of_target(&entry.name).unwrap_or(0);
            (entry, size)
        })
        .collect();
    match sort_by {
        SortBy::Size => sized.sort_by_key(|(_, size)| Reverse(*size)),
        SortBy::Name => sort_by_name(&mut sized),
    }
    Ok(with_summary(&sized))
}

fn sort_by_name(sized: &mut [(Entry, u64)]) {
    // Names that only bytes tell apart still have one order.
    sized.sort_by_cached_key(|(entry, _)| {
        let name = shown(entry);
        (SortKey::new(&name), name)
    });
}

fn with_summary(sized: &[(Entry, u64)]) -> String {
    let mut text = String::new();
    let (mut files, mut total) = (0_usize, 0_u64);
    for (entry, bytes) in sized {
        let size = if entry.kind == Kind::Directory {
            String::new()
        } else {
            files += 1;
            total = total.saturating_add(*bytes);
            format!("{:>10}", size::formatted(*bytes))
        };
        let _ = writeln!(text, "{} {} {size}", mark(entry), padded(&shown(entry)));
    }
    let directories = sized.len() - files;
    let _ =
        write!(text, "\nTotal: {files} files, {directories} directories\nCombined size: {}", size::formatted(total));
    text
}

/// Fills a name up to 30 UTF-16 units.
fn padded(name: &str) -> String {
    let missing = 30_usize.saturating_sub(name.encode_utf16().count());
    format!("{name}{}", " ".repeat(missing))
}

fn mark(entry: &Entry) -> &'static str {
    if entry.kind == Kind::Directory { "[DIR]" } else { "[FILE]" }
}

fn shown(entry: &Entry) -> String {
    entry.name.to_string_lossy().into_owned()
}

/// Opens a directory and returns its entries in byte order.
fn opened(location: &Location, limits: &Limits) -> Result<(Dir, Vec<Entry>), Failure> {
    let failed = |error: std::io::Error| location.failure(&error, "scandir");
    let dir = location.dir().listing(location.relative()).map_err(failed)?;
    let mut entries = dir.entries().map_err(failed)?;
    if entries.len() as u64 > limits.entries {
        let path = location.path.display();
        return Err(Failure::new(format!("Directory too large: {path} has more than {} entries", limits.entries)));
    }
    entries.sort_unstable_by(|left, right| left.name.cmp(&right.name));
    Ok((dir, entries))
}
