//! Skills in directories.

use std::fs::{self, DirEntry, FileType};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::skill::{MAX_BYTES, MAX_FILES, SKILL_MD};
use super::{Skill, SkillError};

/// How deep directories are looked at.
const MAX_DEPTH: usize = 16;
/// How many entries of directories are looked at.
const MAX_ENTRIES: usize = 100_000;

/// A file that was found: its path below the directory, with `/` between the segments, and where it is.
struct Found {
    path: String,
    place: PathBuf,
}

/// Reads the skill in a directory.
pub(super) fn read_skill(directory: &Path) -> Result<Skill, SkillError> {
    let files = find(directory)?;
    let name = directory_name(directory)?;
    read(&files, "", &name)
}

/// Reads all skills below a directory, those nearer to it first.
pub(super) fn read_all(root: &Path) -> Result<Vec<Skill>, SkillError> {
    let files = find(root)?;
    let marks = files.iter().filter(|file| file.path == SKILL_MD || file.path.ends_with("/SKILL.md"));
    let mut homes: Vec<&str> = marks.map(|mark| mark.path.strip_suffix(SKILL_MD).unwrap_or_default()).collect();
    homes.sort_unstable();
    // If the directory is a skill itself, its own name belongs to the path of those inside.
    let own = homes.first().is_some_and(|home| home.is_empty()).then(|| directory_name(root)).transpose()?;
    let skill = |home: &&str| {
        let below = home.trim_end_matches('/');
        let at = match &own {
            Some(own) if below.is_empty() => own.clone(),
            Some(own) => format!("{own}/{below}"),
            None => below.to_owned(),
        };
        read(&files, home, &at)
    };
    homes.iter().map(skill).collect()
}

/// Makes a skill of the files whose path begins with `home`; `at` is its path below `skill://`.
fn read(files: &[Found], home: &str, at: &str) -> Result<Skill, SkillError> {
    let own: Vec<(&str, &Path)> =
        files.iter().filter_map(|file| Some((file.path.strip_prefix(home)?, file.place.as_path()))).collect();
    let Some((_, mark)) = own.iter().find(|(path, _)| *path == SKILL_MD) else {
        return Err(SkillError::new(format!("there is no {SKILL_MD}")).at(at));
    };
    if own.len() > MAX_FILES {
        return Err(SkillError::new(format!("it has more than {MAX_FILES} files")).at(at));
    }
    let markdown =
        String::from_utf8(read_file(mark)?).map_err(|_| SkillError::new("it is not UTF-8").at(mark.display()))?;
    let skill = Skill::new(markdown).map_err(|error| error.at(at))?;
    let (prefix, directory) = at.rsplit_once('/').map_or((None, at), |(prefix, name)| (Some(prefix), name));
    if directory != skill.name() {
        let message = format!("the directory must have the name of its skill, {:?}", skill.name());
        return Err(SkillError::new(message).at(at));
    }
    let skill = match prefix {
        Some(prefix) => skill.under(prefix)?,
        None => skill,
    };
    own.iter().filter(|(path, _)| *path != SKILL_MD).try_fold(skill, |skill, (path, place)| {
        let bytes = read_file(place)?;
        skill.file(path, bytes)
    })
}

/// Finds all files below a directory, in the order of their names.
fn find(root: &Path) -> Result<Vec<Found>, SkillError> {
    let root = fs::canonicalize(root).map_err(|error| SkillError::reading(root, error))?;
    let (mut found, mut open, mut seen) = (Vec::new(), vec![(root, String::new(), 0usize)], 0usize);
    while let Some((directory, path, depth)) = open.pop() {
        let problem = |error| SkillError::reading(&directory, error);
        for entry in fs::read_dir(&directory).map_err(problem)? {
            let entry = entry.map_err(problem)?;
            seen = seen.saturating_add(1);
            if seen > MAX_ENTRIES || depth > MAX_DEPTH {
                return Err(SkillError::new("there are too many files or directories below").at(directory.display()));
            }
            let Some((name, kind)) = look(&entry)? else { continue };
            let path = format!("{path}{name}");
            if kind.is_dir() {
                open.push((entry.path(), path + "/", depth.saturating_add(1)));
            } else {
                found.push(Found { path, place: entry.path() });
            }
        }
    }
    found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// Returns the name and kind of an entry; none if it is hidden.
fn look(entry: &DirEntry) -> Result<Option<(String, FileType)>, SkillError> {
    let place = entry.path();
    let Ok(name) = entry.file_name().into_string() else {
        return Err(SkillError::new("the name is not UTF-8").at(place.display()));
    };
    if name.starts_with('.') {
        return Ok(None);
    }
    // The type is that of the entry itself: a link is not followed.
    let kind = entry.file_type().map_err(|error| SkillError::reading(&place, error))?;
    if kind.is_dir() || kind.is_file() {
        return Ok(Some((name, kind)));
    }
    Err(SkillError::new("it is neither a file nor a directory; links are not followed").at(place.display()))
}

/// Reads a file, but no more than a skill may have, and only if it is still the file that was found.
fn read_file(place: &Path) -> Result<Vec<u8>, SkillError> {
    let problem = |error| SkillError::reading(place, error);
    let before = fs::symlink_metadata(place).map_err(problem)?;
    let file = fs::File::open(place).map_err(problem)?;
    if !before.is_file() || !is_same(&before, &file.metadata().map_err(problem)?) {
        return Err(SkillError::new("it was replaced while it was being read").at(place.display()));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES.saturating_add(1)).read_to_end(&mut bytes).map_err(problem)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(SkillError::new(format!("it has more than {MAX_BYTES} bytes")).at(place.display()));
    }
    Ok(bytes)
}

#[cfg(unix)]
fn is_same(before: &fs::Metadata, opened: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (before.dev(), before.ino()) == (opened.dev(), opened.ino())
}

#[cfg(not(unix))]
fn is_same(before: &fs::Metadata, opened: &fs::Metadata) -> bool {
    opened.is_file() && before.created().ok() == opened.created().ok()
}

fn directory_name(directory: &Path) -> Result<String, SkillError> {
    let whole = fs::canonicalize(directory).map_err(|error| SkillError::reading(directory, error))?;
    let name = whole.file_name().and_then(|name| name.to_str());
    name.map(str::to_owned)
        .ok_or_else(|| SkillError::new("the directory has no name that can be used").at(whole.display()))
}
