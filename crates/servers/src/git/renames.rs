//! Deleted and added files that are one renamed file.

use std::collections::HashMap;

use gix::{
    ObjectId,
    bstr::{BStr, BString, ByteSlice},
    index::entry::Mode,
};

use super::{
    changes::{Change, Version},
    content::Contents,
    failure::Result,
    repository::Repository,
    settings::Renames,
    similarity::{Chunks, MAX_SCORE},
};

/// Files that share at least half of their content are one.
const LEAST_SCORE: u64 = MAX_SCORE / 2;
/// Files of the same name in another directory are matched first, with a higher bar.
const LEAST_BASENAME_SCORE: u64 = LEAST_SCORE + LEAST_SCORE / 2;
/// For each new file, only the best old ones are remembered.
const CANDIDATES: usize = 4;

/// Replaces pairs of deletion and addition by renames, in the order of the new paths.
pub(super) fn detect(
    repository: &Repository,
    changes: Vec<Change>,
    renames: Renames,
    contents: &mut Contents<'_>,
) -> Result<Vec<Change>> {
    let side = |wanted_added: bool| -> Vec<Version> {
        let versions = changes.iter().filter_map(|change| match change {
            Change::Added(version) if wanted_added => Some(version),
            Change::Deleted(version) if !wanted_added => Some(version),
            _ => None,
        });
        versions.cloned().collect()
    };
    let mut search =
        Search { repository, contents, old: side(false), new: side(true), found: HashMap::new(), used: Vec::new() };
    if !renames.enabled || search.old.is_empty() || search.new.is_empty() {
        return Ok(changes);
    }
    search.used = vec![false; search.old.len()];
    search.exact();
    let rest =
        (search.new.len() - search.found.len()).saturating_mul(search.used.iter().filter(|used| !**used).count());
    if rest > 0 {
        search.by_basename()?;
        let sources = search.used.iter().filter(|used| !**used).count();
        let targets = search.new.len() - search.found.len();
        if targets.saturating_mul(sources) <= renames.limit.saturating_mul(renames.limit) {
            search.by_content()?;
        }
    }
    Ok(search.apply(changes))
}

struct Search<'a, 'repo> {
    repository: &'a Repository,
    contents: &'a mut Contents<'repo>,
    old: Vec<Version>,
    new: Vec<Version>,
    /// For a new file (by position) the old one and the score.
    found: HashMap<usize, (usize, u64)>,
    used: Vec<bool>,
}

impl Search<'_, '_> {
    fn take(&mut self, old: usize, new: usize, score: u64) {
        self.used[old] = true;
        self.found.insert(new, (old, score));
    }

    /// Files with the same content, preferring those of the same name.
    fn exact(&mut self) {
        let mut by_id: HashMap<ObjectId, Vec<usize>> = HashMap::new();
        for (at, version) in self.old.iter().enumerate() {
            by_id.entry(version.id).or_default().push(at);
        }
        for new in 0..self.new.len() {
            let target = &self.new[new];
            let Some(sources) = by_id.get(&target.id) else { continue };
            let mut best: Option<(usize, bool)> = None;
            for old in sources.iter().copied() {
                let source = &self.old[old];
                let kinds_fit = is_regular(source.mode) == is_regular(target.mode)
                    && (is_regular(source.mode) || source.mode == target.mode);
                if self.used[old] || !kinds_fit {
                    continue;
                }
                let same_name = basename(source.path.as_bstr()) == basename(target.path.as_bstr());
                if best.is_none_or(|(_, best)| same_name && !best) {
                    best = Some((old, same_name));
                }
            }
            if let Some((old, _)) = best {
                self.take(old, new, MAX_SCORE);
            }
        }
    }

    /// Files that moved to another directory: the name occurs once on each side.
    fn by_basename(&mut self) -> Result<()> {
        let unique = |versions: &[Version], skip: &dyn Fn(usize) -> bool| {
            let mut names: HashMap<BString, Option<usize>> = HashMap::new();
            for (at, version) in versions.iter().enumerate().filter(|(at, _)| !skip(*at)) {
                let name = basename(version.path.as_bstr()).to_owned();
                names.entry(name).and_modify(|seen| *seen = None).or_insert(Some(at));
            }
            names
        };
        let old_names = unique(&self.old, &|at| self.used[at]);
        let new_names = unique(&self.new, &|at| self.found.contains_key(&at));
        for old in 0..self.old.len() {
            self.repository.cancellation.check()?;
            let name = basename(self.old[old].path.as_bstr()).to_owned();
            let (Some(Some(from)), Some(Some(new))) = (old_names.get(&name), new_names.get(&name)) else { continue };
            if *from != old || self.used[old] || !self.comparable(old, *new) {
                continue;
            }
            let chunks = self.chunks(&self.old[old].clone())?;
            let score = chunks.score(&self.chunks(&self.new[*new].clone())?, LEAST_BASENAME_SCORE);
            if score >= LEAST_BASENAME_SCORE {
                self.take(old, *new, score);
            }
        }
        Ok(())
    }

    /// All that is left against each other; the best pairs win.
    fn by_content(&mut self) -> Result<()> {
        let sources: Vec<usize> = (0..self.old.len()).filter(|old| !self.used[*old]).collect();
        let mut source_chunks = HashMap::new();
        for old in &sources {
            source_chunks.insert(*old, self.chunks(&self.old[*old].clone())?);
        }
        let mut pairs = Vec::new();
        for new in 0..self.new.len() {
            if self.found.contains_key(&new) {
                continue;
            }
            self.repository.cancellation.check()?;
            let target = self.chunks(&self.new[new].clone())?;
            let mut best: Vec<(u64, bool, usize, usize)> = Vec::new();
            for old in &sources {
                if !self.comparable(*old, new) {
                    continue;
                }
                let score = source_chunks[old].score(&target, LEAST_SCORE);
                if score >= LEAST_SCORE {
                    let same_name = basename(self.old[*old].path.as_bstr()) == basename(self.new[new].path.as_bstr());
                    best.push((score, same_name, *old, new));
                }
            }
            best.sort_by_key(|(score, same_name, ..)| std::cmp::Reverse((*score, *same_name)));
            pairs.extend(best.into_iter().take(CANDIDATES));
        }
        pairs.sort_by_key(|(score, same_name, ..)| std::cmp::Reverse((*score, *same_name)));
        for (score, _, old, new) in pairs {
            if !self.used[old] && !self.found.contains_key(&new) {
                self.take(old, new, score);
            }
        }
        Ok(())
    }

    fn comparable(&self, old: usize, new: usize) -> bool {
        is_regular(self.old[old].mode) && is_regular(self.new[new].mode)
    }

    fn chunks(&mut self, version: &Version) -> Result<Chunks> {
        if !is_regular(version.mode) || self.contents.is_big(version) {
            return Ok(Chunks::default());
        }
        let content = self.contents.read(version)?;
        let is_text = !self.contents.is_binary(version, &content)?;
        Ok(Chunks::of(&content, is_text))
    }

    fn apply(self, changes: Vec<Change>) -> Vec<Change> {
        let mut added = 0;
        let mut deleted = 0;
        let renamed = changes.into_iter().filter_map(|change| match change {
            Change::Added(version) => {
                added += 1;
                let Some((old, score)) = self.found.get(&(added - 1)) else { return Some(Change::Added(version)) };
                let percent = u32::try_from(score * 100 / MAX_SCORE).unwrap_or(100);
                Some(Change::Renamed(self.old[*old].clone(), version, percent))
            }
            Change::Deleted(version) => {
                deleted += 1;
                (!self.used[deleted - 1]).then_some(Change::Deleted(version))
            }
            other => Some(other),
        });
        renamed.collect()
    }
}

fn is_regular(mode: Mode) -> bool {
    mode == Mode::FILE || mode == Mode::FILE_EXECUTABLE
}

fn basename(path: &BStr) -> &BStr {
    path.rfind_byte(b'/').map_or(path, |at| path[at + 1..].as_bstr())
}
