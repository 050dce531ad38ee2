//! The settings of a repository that change what is printed or recorded.

use gix::bstr::{BString, ByteSlice};

use super::quote::Quoting;

/// Settings, each with git's default.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) quoting: Quoting,
    /// The length of abbreviated names; none: by the size of the repository (`core.abbrev`).
    pub(super) abbreviation: Option<usize>,
    /// Whether the executable bit counts (`core.fileMode`).
    pub(super) file_mode: bool,
    /// Whether links are written as links (`core.symlinks`).
    pub(super) symlinks: bool,
    pub(super) diff: DiffSettings,
    pub(super) status_renames: Renames,
    pub(super) untracked: ShowUntracked,
    /// `core.commentChar` is not needed to read, only whether the todo list of a rebase has such lines.
    pub(super) comment: BString,
}

/// What shapes a diff for people.
#[derive(Debug, Clone)]
pub(super) struct DiffSettings {
    pub(super) prefixes: Prefixes,
    pub(super) renames: Renames,
    pub(super) algorithm: gix::diff::blob::Algorithm,
    pub(super) inter_hunk_context: usize,
    pub(super) suppress_blank_empty: bool,
}

/// What stands before the paths of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prefixes {
    /// `a/` and `b/`.
    Standard,
    /// None.
    None,
    /// A letter for what is compared (`diff.mnemonicPrefix`).
    Mnemonic,
}

/// How renamed files are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Renames {
    pub(super) enabled: bool,
    /// With more files on a side than this, only exact renames are looked for.
    pub(super) limit: usize,
}

/// Which untracked files `git status` lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShowUntracked {
    No,
    Normal,
    All,
}

impl DiffSettings {
    /// The form that git's plumbing commands use, whatever the configuration says.
    pub(super) fn plumbing(&self) -> Self {
        Self {
            prefixes: Prefixes::Standard,
            renames: Renames { enabled: true, ..self.renames },
            algorithm: gix::diff::blob::Algorithm::Myers,
            inter_hunk_context: 0,
            suppress_blank_empty: self.suppress_blank_empty,
        }
    }
}

impl Settings {
    pub(super) fn read(gix: &gix::Repository) -> Self {
        let config = gix.config_snapshot();
        let flag = |key: &str, default: bool| config.boolean(key).unwrap_or(default);
        let rename_limit = config.integer("diff.renameLimit").and_then(|limit| usize::try_from(limit).ok());
        let limit = rename_limit.filter(|limit| *limit > 0).unwrap_or(1000);
        let enabled = |key: &str| renames(config.string(key)).map(|enabled| Renames { enabled, limit });
        let diff_renames = enabled("diff.renames").unwrap_or(Renames { enabled: true, limit });
        let prefixes = if flag("diff.noprefix", false) {
            Prefixes::None
        } else if flag("diff.mnemonicPrefix", false) {
            Prefixes::Mnemonic
        } else {
            Prefixes::Standard
        };
        Self {
            quoting: Quoting { escape_non_ascii: flag("core.quotePath", true) },
            abbreviation: abbreviation(config.string("core.abbrev")),
            file_mode: flag("core.fileMode", cfg!(unix)),
            symlinks: flag("core.symlinks", cfg!(unix)),
            diff: DiffSettings {
                prefixes,
                renames: diff_renames,
                algorithm: algorithm(config.string("diff.algorithm")),
                inter_hunk_context: config
                    .integer("diff.interHunkContext")
                    .and_then(|n| n.try_into().ok())
                    .unwrap_or(0),
                suppress_blank_empty: flag("diff.suppressBlankEmpty", false),
            },
            status_renames: enabled("status.renames").unwrap_or(diff_renames),
            untracked: untracked(config.string("status.showUntrackedFiles")),
            comment: config.string("core.commentChar").unwrap_or_else(|| "#".into()),
        }
    }
}

fn renames(value: Option<BString>) -> Option<bool> {
    let value = value?.to_ascii_lowercase();
    Some(!matches!(value.as_slice(), b"false" | b"no" | b"off" | b"0"))
}

fn abbreviation(value: Option<BString>) -> Option<usize> {
    let value = value?.to_string().to_ascii_lowercase();
    match value.as_str() {
        "auto" => None,
        "no" | "off" | "false" => Some(40),
        number => number.parse::<usize>().ok().filter(|length| (4..=40).contains(length)),
    }
}

fn algorithm(value: Option<BString>) -> gix::diff::blob::Algorithm {
    use gix::diff::blob::Algorithm::{Histogram, Myers, MyersMinimal};
    match value.map(|value| value.to_ascii_lowercase()).as_deref().map(ByteSlice::as_bstr) {
        Some(name) if name == "histogram" || name == "patience" => Histogram,
        Some(name) if name == "minimal" => MyersMinimal,
        _ => Myers,
    }
}

fn untracked(value: Option<BString>) -> ShowUntracked {
    match value.map(|value| value.to_ascii_lowercase()).as_deref() {
        Some(b"no" | b"false" | b"off" | b"0") => ShowUntracked::No,
        Some(b"all") => ShowUntracked::All,
        _ => ShowUntracked::Normal,
    }
}
