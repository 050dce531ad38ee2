//! An opened repository.

use std::{
    fs,
    path::{Path, PathBuf},
};

use gix::{
    ObjectId,
    bstr::{BStr, BString, ByteSlice},
    open::{Options, Permissions, permissions},
    refs::FullName,
};

use super::{
    access::{self, Access},
    cancellation::Cancellation,
    failure::{Failure, Result},
    git_dir::{self, GitDir},
    ownership,
    settings::Settings,
    worktree::Worktree,
};

/// How repositories are opened.
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// Which ones may be opened.
    pub access: Access,
    /// Content filters of the configuration may run their programs.
    pub allow_filters: bool,
}

/// A repository for the length of one call.
pub struct Repository {
    pub(super) gix: gix::Repository,
    /// The root of the working tree, or the git directory of a bare repository.
    pub(super) root: PathBuf,
    pub(super) settings: Settings,
    pub(super) options: OpenOptions,
    pub(super) cancellation: Cancellation,
    /// How many repositories this one is a submodule of.
    pub(super) depth: usize,
    worktree: Option<Worktree>,
}

impl std::fmt::Debug for Repository {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repository").field("root", &self.root).finish_non_exhaustive()
    }
}

/// Where `HEAD` is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Head {
    /// On a branch, which may not have a commit yet.
    Branch(FullName, Option<ObjectId>),
    /// On a commit.
    Detached(ObjectId),
}

impl Head {
    pub(super) fn commit(&self) -> Option<ObjectId> {
        match self {
            Self::Branch(_, commit) => *commit,
            Self::Detached(commit) => Some(*commit),
        }
    }
}

impl Repository {
    /// Opens the repository whose root is `given`, and checks what was opened.
    pub fn open(given: &str, options: &OpenOptions, cancellation: Cancellation) -> Result<Self> {
        // The same form in which the original shows a path: without doubled slashes and `.` components.
        let mut given: PathBuf = Path::new(given).components().collect();
        if given.as_os_str().is_empty() {
            given.push(".");
        }
        options.access.check_path(&given)?;
        let shown = access::expanded(&given)?;
        let shown = git_dir::worktree_of(&shown).unwrap_or(&shown);
        let not_a_repository = || Failure::new(shown.display().to_string());
        let found = git_dir::find(shown).ok_or_else(not_a_repository)?;
        let root = shown.canonicalize().map_err(|_| not_a_repository())?;
        let git_dir = found.path.canonicalize().map_err(|_| not_a_repository())?;
        options.access.check_part(&given, &git_dir)?;
        if let Some(common) = git_dir::common_dir(&git_dir) {
            options.access.check_part(&given, &common)?;
        }
        let mut parts = vec![root.clone(), git_dir.clone()];
        parts.extend((!found.bare).then(|| root.join(".git")));
        ownership::check(&root, &parts)?;
        let gix = open_gix(&found, &git_dir, &root, options.allow_filters)?;
        check_parts(&gix, &given, &root, &options.access)?;
        let worktree = (!found.bare && gix.workdir().is_some()).then(|| Worktree::open(&root)).transpose()?;
        let settings = Settings::read(&gix);
        Ok(Self { gix, root, settings, options: options.clone(), cancellation, depth: 0, worktree })
    }

    /// The working tree, which bare repositories do not have.
    pub(super) fn worktree(&self) -> Result<&Worktree> {
        self.worktree.as_ref().ok_or_else(|| Failure::new("fatal: this operation must be run in a work tree"))
    }

    pub(super) fn head(&self) -> Result<Head> {
        let head = self.gix.head()?;
        Ok(match head.kind {
            gix::head::Kind::Unborn(name) => Head::Branch(name, None),
            gix::head::Kind::Symbolic(reference) => {
                let name = reference.name.clone();
                let commit = self.gix.find_reference(&name)?.peel_to_commit()?.id;
                Head::Branch(name, Some(commit))
            }
            gix::head::Kind::Detached { target, .. } => Head::Detached(target),
        })
    }

    /// The commit of `HEAD`, with the wording of the original where there is none.
    pub(super) fn head_commit(&self) -> Result<ObjectId> {
        let head = self.head()?;
        head.commit().ok_or_else(|| match head {
            Head::Branch(name, _) => Failure::new(format!("Reference at '{}' does not exist", name.as_bstr())),
            Head::Detached(_) => Failure::unresolved("HEAD"),
        })
    }

    /// The tree of a commit.
    pub(super) fn tree_of(&self, commit: ObjectId) -> Result<ObjectId> {
        Ok(self.gix.find_commit(commit)?.tree_id()?.detach())
    }

    /// The tree of `HEAD`, which is empty before the first commit.
    pub(super) fn head_tree(&self) -> Result<Option<ObjectId>> {
        self.head()?.commit().map(|commit| self.tree_of(commit)).transpose()
    }

    /// The content of a file that git has.
    pub(super) fn blob(&self, id: ObjectId) -> Result<Vec<u8>> {
        if id == ObjectId::empty_blob(id.kind()) {
            return Ok(Vec::new());
        }
        Ok(self.gix.find_object(id)?.detach().data)
    }

    pub(super) fn index(&self) -> Result<gix::index::File> {
        let index = gix::index::File::at_or_default(
            self.gix.index_path(),
            self.gix.object_hash(),
            false,
            gix::index::decode::Options::default(),
        )?;
        if index.is_sparse() {
            return Err(Failure::new("a sparse index is not supported"));
        }
        Ok(index)
    }

    /// The shortest unique form of an object's name, no shorter than the configuration says.
    pub(super) fn abbreviated(&self, id: ObjectId) -> String {
        let least = self.settings.abbreviation.unwrap_or_else(|| {
            let count = self.gix.objects.packed_object_count().unwrap_or(0);
            let bits = u64::BITS - count.leading_zeros();
            (bits.div_ceil(2) as usize).max(7)
        });
        let text = id.to_string();
        for length in least..text.len() {
            let Ok(prefix) = gix::hash::Prefix::new(&id, length) else { break };
            match self.gix.objects.lookup_prefix(prefix, None) {
                Ok(None | Some(Ok(_))) => return text[..length].to_owned(),
                Ok(Some(Err(()))) => {}
                Err(_) => break,
            }
        }
        text
    }

    /// A small file of the git directory, such as `MERGE_HEAD`.
    pub(super) fn state_file(&self, name: &str) -> Option<BString> {
        let path = self.gix.git_dir().join(name);
        let metadata = fs::metadata(&path).ok()?;
        (metadata.is_file() && metadata.len() <= 1 << 20).then(|| fs::read(path).ok())?.map(BString::from)
    }

    pub(super) fn has_state(&self, name: &str) -> bool {
        self.gix.git_dir().join(name).exists()
    }

    /// A reference with exactly this name, whatever it points to.
    pub(super) fn reference(&self, name: &str) -> Option<gix::Reference<'_>> {
        let full: FullName = name.try_into().ok()?;
        let found = self.gix.try_find_reference(full.as_ref()).ok()??;
        (found.name().as_bstr() == name.as_bytes().as_bstr()).then_some(found)
    }

    /// The object that a reference with exactly this name leads to; tags are not followed.
    pub(super) fn reference_target(&self, name: &str) -> Option<ObjectId> {
        self.reference(name)?.follow_to_object().ok().map(|id| id.detach())
    }

    /// The commit at an object, through tags.
    pub(super) fn peeled_commit(&self, id: ObjectId) -> Option<ObjectId> {
        let object = self.gix.find_object(id).ok()?.peel_to_kind(gix::objs::Kind::Commit).ok()?;
        Some(object.id)
    }

    /// The parents of a commit, of which a shallow clone has none at its edge.
    pub(super) fn parents(&self, commit: &gix::Commit<'_>) -> Vec<ObjectId> {
        let shallow = self.gix.shallow_commits().ok().flatten();
        if shallow.is_some_and(|shallow| shallow.contains(&commit.id)) {
            return Vec::new();
        }
        commit.parent_ids().map(|id| id.detach()).collect()
    }

    pub(super) fn hash_blob(&self, content: &[u8]) -> Result<ObjectId> {
        gix::objs::compute_hash(self.gix.object_hash(), gix::objs::Kind::Blob, content)
            .map_err(|error| Failure::new(error.to_string()))
    }
}

/// The name of a branch without `refs/heads/`.
pub(super) fn short_branch(name: &BStr) -> &BStr {
    name.strip_prefix(b"refs/heads/").map_or(name, ByteSlice::as_bstr)
}

fn open_gix(found: &GitDir, git_dir: &Path, root: &Path, allow_filters: bool) -> Result<gix::Repository> {
    // The configuration of a repository is data of others: without trust, nothing in it names a program or a file.
    let trust = if allow_filters { gix::sec::Trust::Full } else { gix::sec::Trust::Reduced };
    let permissions = Permissions {
        env: permissions::Environment::all(),
        // Included files could be anything, a device too.
        config: permissions::Config { includes: false, ..permissions::Config::all() },
        attributes: permissions::Attributes::all(),
    };
    let options = Options::default().with(trust).permissions(permissions).open_path_as_is(true);
    let mut gix = options.open(git_dir)?.to_thread_local();
    if !found.bare {
        gix.set_workdir(root.to_owned())?;
    }
    Ok(gix)
}

/// The opened repository may be put together from several places; all of them have to be allowed.
fn check_parts(gix: &gix::Repository, given: &Path, root: &Path, access: &Access) -> Result<()> {
    if let Some(worktree) = git_dir::configured_worktree(gix.common_dir())
        && gix.workdir().is_some()
        && !worktree.canonicalize().is_ok_and(|real| real == root)
        && gix.git_dir() == gix.common_dir()
    {
        return Err(Failure::new(format!("the working tree of '{}' is configured to be elsewhere", given.display())));
    }
    if !access.is_confined() {
        return Ok(());
    }
    let alternates = gix.objects.store_ref().alternate_db_paths()?;
    let parts = [gix.git_dir(), gix.common_dir(), gix.objects.store_ref().path()];
    for part in parts.into_iter().chain(alternates.iter().map(PathBuf::as_path)) {
        access.check_part(given, part)?;
    }
    for directory in [gix.git_dir(), gix.common_dir()] {
        check_links(directory, given, access, 0)?;
    }
    Ok(())
}

/// Links inside a git directory must not lead elsewhere.
fn check_links(directory: &Path, given: &Path, access: &Access, depth: usize) -> Result<()> {
    // Loose objects lie two levels below the git directory; deeper directories exist for references and logs.
    const DEEPEST: usize = 32;
    let Ok(entries) = fs::read_dir(directory) else { return Ok(()) };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        if kind.is_symlink() {
            access.check_part(given, &path)?;
        } else if kind.is_dir() && depth < DEEPEST && leads_to_content(&path, depth) {
            check_links(&path, given, access, depth + 1)?;
        }
    }
    Ok(())
}

/// Directories of objects have no directories; hooks and nested git directories are never read through this one.
fn leads_to_content(path: &Path, depth: usize) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match depth {
        0 => !matches!(name, "hooks" | "modules" | "worktrees" | "lfs"),
        _ => true,
    }
}
