//! Content between the working tree and the object store: line endings, encodings, and filter programs where they are allowed.

use std::io::Read as _;

use gix::{
    attrs::StateRef,
    bstr::{BStr, BString},
    filter::plumbing::{
        self,
        pipeline::convert::{ToGitOutcome, ToWorktreeOutcome},
    },
    worktree::stack::state::attributes::Source,
};

use super::{
    failure::{Failure, Result},
    repository::Repository,
};

/// What attributes say about how a file is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DiffAttribute {
    /// By its content.
    Automatic,
    Text,
    Binary,
}

/// Conversions by the attributes of each path.
pub(super) struct Filters<'repo> {
    repository: &'repo Repository,
    pipeline: plumbing::Pipeline,
    attributes: gix::AttributeStack<'repo>,
    /// Names of the configured drivers that have a program.
    programs: Vec<BString>,
}

impl<'repo> Filters<'repo> {
    /// For files that go into the object store.
    pub(super) fn to_git_by(repository: &'repo Repository, index: &gix::index::State) -> Result<Self> {
        Self::new(repository, index, Source::WorktreeThenIdMapping)
    }

    /// For files that are written into the working tree, by the attributes of what is checked out.
    pub(super) fn to_worktree_by(repository: &'repo Repository, index: &gix::index::State) -> Result<Self> {
        Self::new(repository, index, Source::IdMappingThenWorktree)
    }

    fn new(repository: &'repo Repository, index: &gix::index::State, source: Source) -> Result<Self> {
        let gix = &repository.gix;
        let mut options = gix::filter::Pipeline::options(gix)?;
        if !repository.options.allow_filters {
            options.drivers.clear();
        }
        // Warnings about line endings have no reader, and a refusal would make a file impossible to look at.
        options.crlf_roundtrip_check = plumbing::pipeline::CrlfRoundTripCheck::Skip;
        Ok(Self {
            repository,
            pipeline: plumbing::Pipeline::new(gix.command_context()?, gix.object_hash(), options),
            attributes: gix.attributes_only(index, source.adjust_for_bare(gix.workdir().is_none()))?,
            programs: drivers_with_programs(gix),
        })
    }

    /// The form in which git stores the content of a file.
    pub(super) fn stored_form(&mut self, path: &BStr, content: Vec<u8>, index: &gix::index::State) -> Result<Vec<u8>> {
        self.refuse_program(path)?;
        let platform = self.attributes.at_entry(path, None)?;
        let objects = &self.repository.gix.objects;
        let outcome = self.pipeline.convert_to_git(
            content.as_slice(),
            &gix::path::from_bstr(path)?,
            &mut |_, out| {
                platform.matching_attributes(out);
            },
            &mut |buffer| {
                let Some(entry) = index.entry_by_path(path) else { return Ok(None) };
                let found = gix::objs::Find::try_find(objects, &entry.id, buffer)?;
                Ok(found.map(|_| ()))
            },
        )?;
        let converted = match outcome {
            ToGitOutcome::Unchanged(_) => None,
            ToGitOutcome::Buffer(bytes) => Some(bytes.to_vec()),
            ToGitOutcome::Process(mut output) => {
                let mut bytes = Vec::new();
                output.read_to_end(&mut bytes)?;
                Some(bytes)
            }
        };
        Ok(converted.unwrap_or(content))
    }

    /// The form in which a file stands in the working tree.
    pub(super) fn worktree_form(&mut self, path: &BStr, content: Vec<u8>) -> Result<Vec<u8>> {
        self.refuse_program(path)?;
        let platform = self.attributes.at_entry(path, None)?;
        let outcome = self.pipeline.convert_to_worktree(
            &content,
            path,
            &mut |_, out| {
                platform.matching_attributes(out);
            },
            plumbing::pipeline::convert::to_worktree::Options::default(),
        )?;
        let converted = match outcome {
            ToWorktreeOutcome::Unchanged(_) => None,
            ToWorktreeOutcome::Buffer(bytes) => Some(bytes.to_vec()),
            ToWorktreeOutcome::Process(plumbing::driver::apply::MaybeDelayed::Immediate(mut output)) => {
                let mut bytes = Vec::new();
                output.read_to_end(&mut bytes)?;
                Some(bytes)
            }
            ToWorktreeOutcome::Process(plumbing::driver::apply::MaybeDelayed::Delayed(_)) => {
                return Err(Failure::new(format!("the filter of '{path}' gave no content")));
            }
        };
        Ok(converted.unwrap_or(content))
    }

    pub(super) fn diff_attribute(&mut self, path: &BStr) -> Result<DiffAttribute> {
        Ok(match self.attribute(path, "diff")? {
            Attribute::Set => DiffAttribute::Text,
            Attribute::Unset => DiffAttribute::Binary,
            Attribute::Value(driver) => self.driver_kind(driver.as_ref()),
            Attribute::Unspecified => DiffAttribute::Automatic,
        })
    }

    /// A driver may say whether its files are binary. Its programs never run.
    fn driver_kind(&self, driver: &BStr) -> DiffAttribute {
        match self.repository.gix.config_snapshot().boolean(format!("diff.{driver}.binary").as_str()) {
            Some(true) => DiffAttribute::Binary,
            Some(false) => DiffAttribute::Text,
            None => DiffAttribute::Automatic,
        }
    }

    /// Fails where git would run a program that has not been allowed.
    pub(super) fn refuse_program(&mut self, path: &BStr) -> Result<()> {
        if self.repository.options.allow_filters || self.programs.is_empty() {
            return Ok(());
        }
        let Attribute::Value(name) = self.attribute(path, "filter")? else { return Ok(()) };
        if !self.programs.contains(&name) {
            return Ok(());
        }
        Err(Failure::new(format!(
            "'{path}' has the content filter '{name}', which runs a program. \
             Filters run only if the server is started with --allow-filters."
        )))
    }

    fn attribute(&mut self, path: &BStr, name: &str) -> Result<Attribute> {
        let mut outcome = self.attributes.selected_attribute_matches([name]);
        self.attributes.at_entry(path, None)?.matching_attributes(&mut outcome);
        let state = outcome.iter_selected().next().map(|found| match found.assignment.state {
            StateRef::Set => Attribute::Set,
            StateRef::Unset => Attribute::Unset,
            StateRef::Value(value) => Attribute::Value(value.as_bstr().to_owned()),
            StateRef::Unspecified => Attribute::Unspecified,
        });
        Ok(state.unwrap_or(Attribute::Unspecified))
    }
}

enum Attribute {
    Set,
    Unset,
    Value(BString),
    Unspecified,
}

/// Drivers count wherever they are configured, also in the repository itself: git would run them.
fn drivers_with_programs(gix: &gix::Repository) -> Vec<BString> {
    let config = gix.config_snapshot();
    let sections = config.plumbing().sections_by_name("filter").into_iter().flatten();
    let with_program = sections.filter(|section| {
        ["clean", "smudge", "process"].iter().any(|key| section.value(*key).is_some_and(|value| !value.is_empty()))
    });
    with_program.filter_map(|section| section.header().subsection_name().map(|name| name.to_owned())).collect()
}
