//! Appending, copying, and deleting to the trash.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::filesystem::beneath::{Kind, Stat};
use crate::filesystem::failure::Failure;
use crate::filesystem::limits::Watcher;
use crate::filesystem::location::Location;
use crate::filesystem::read;
use crate::filesystem::write::{self, Temporary, WriteRules};

/// The directory for what was deleted, in each allowed directory.
pub(crate) const TRASH: &str = ".jackfield-trash";

/// How much is copied between two looks at whether anyone still waits.
const CHUNK: usize = 1024 * 1024;

/// Writes at the end of a file; one that does not exist is created.
pub(crate) fn append(location: &Location, content: &[u8], rules: WriteRules) -> Result<(), Failure> {
    location.check_writable()?;
    let failed = |error: io::Error| location.failure(&error, "open");
    let Some(name) = location.name() else { return write::write_file(location, content, rules) };
    let parent = location.parent().map_err(failed)?;
    match parent.stat_name(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return write::write_file(location, content, rules),
        stat => read::check_regular(location, &stat.map_err(failed)?)?,
    }
    let mut file = parent.append(name).map_err(failed)?;
    let stat = Stat::of(&file.metadata().map_err(failed)?);
    read::check_regular(location, &stat)?;
    write::check_links(location, &stat, rules)?;
    file.write_all(content).and_then(|()| file.sync_all()).map_err(|error| location.failure(&error, "write"))
}

/// Copies a file to a name that must not exist, with its permission bits.
pub(crate) fn copy(from: &Location, to: &Location, watcher: &dyn Watcher) -> Result<(), Failure> {
    to.check_writable()?;
    let exists = || Failure::new(format!("Destination already exists: {}", to.path.display()));
    let Some(name) = to.name() else { return Err(exists()) };
    let (mut source, stat) = read::open_regular(from)?;
    let failed = |error: io::Error| to.failure(&error, "open");
    let parent = to.parent().map_err(failed)?;
    if parent.stat_name(name).is_ok() {
        return Err(exists());
    }
    let mut temporary = Temporary::create(&parent, name).map_err(failed)?;
    let mut chunk = vec![0; CHUNK];
    loop {
        if watcher.is_cancelled() {
            return Err(Failure::cancelled());
        }
        let count = source.read(&mut chunk).map_err(|error| Failure::system_without_path(&error, "read"))?;
        if count == 0 {
            break;
        }
        temporary.file().write_all(&chunk[..count]).map_err(failed)?;
    }
    write::set_permissions(temporary.file(), stat.mode);
    temporary.file().sync_all().map_err(failed)?;
    match temporary.rename_new(name) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(exists()),
        result => result.map_err(failed),
    }
}

/// Moves a file, directory or link into the trash of its allowed directory; returns its new path.
pub(crate) fn delete(location: &Location) -> Result<PathBuf, Failure> {
    location.check_writable()?;
    let busy = || Failure::system(&io::ErrorKind::ResourceBusy.into(), "unlink", &location.path);
    let Some(name) = location.name() else { return Err(busy()) };
    if location.relative().starts_with(TRASH) {
        return Err(Failure::new(format!("Already in the trash: {}", location.path.display())));
    }
    let failed = |error: io::Error| location.failure(&error, "unlink");
    let parent = location.parent().map_err(failed)?;
    parent.stat_name(name).map_err(failed)?;
    let place = unique_name();
    let root = location.dir().dir(Path::new("")).map_err(failed)?;
    for (above, name) in [(PathBuf::new(), OsStr::new(TRASH)), (PathBuf::from(TRASH), &place)] {
        let above = root.dir(&above).map_err(failed)?;
        match above.create_dir(name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if above.stat_name(name).map_err(failed)?.kind != Kind::Directory {
                    return Err(failed(error));
                }
            }
            result => result.map_err(failed)?,
        }
    }
    let relative = Path::new(TRASH).join(&place);
    let trash = root.dir(&relative).map_err(failed)?;
    parent.rename_new(name, &trash, name).map_err(failed)?;
    let depth = location.relative().components().count();
    let root_path = location.path.ancestors().nth(depth).unwrap_or(&location.path);
    Ok(root_path.join(relative).join(name))
}

/// Returns a name that sorts by time and is never used twice.
fn unique_name() -> OsString {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let mut random = [0_u8; 4];
    let _ = getrandom::fill(&mut random);
    format!("{time:013}-{:08x}", u32::from_ne_bytes(random)).into()
}
