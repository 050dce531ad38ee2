//! What the two sides agreed on.

use std::sync::Arc;

use jackfield_protocol::{CallerMeta, Implementation, LoggingLevel, Revision, ServerCapabilities};

use crate::config::Options;
use crate::config::default_info;
use crate::error::Cause;
use crate::request::caller_text;
use crate::{Behalf, Error, Link};

/// What the two sides of one connection agreed on.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) link: Arc<dyn Link>,
    pub(crate) revision: Revision,
    /// What is added to every request since 2026-07-28.
    pub(crate) caller: Option<CallerMeta>,
    /// The same as text.
    pub(crate) caller_text: Vec<u8>,
    pub(crate) about: Arc<ServerInfo>,
    /// How much may wait to be sent.
    pub(crate) queued_bytes: usize,
}

/// What a server says about itself. All of it is the server's word: show it, but trust it only as far as the server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerInfo {
    /// Who it is.
    pub info: Option<Implementation>,
    /// What it can do.
    pub capabilities: ServerCapabilities,
    /// How to use it, for a model.
    pub instructions: Option<String>,
}

impl Session {
    pub(crate) fn new(
        link: Arc<dyn Link>,
        revision: Revision,
        options: &Options,
        level: Option<LoggingLevel>,
        about: ServerInfo,
    ) -> Self {
        let caller = caller(options, revision, level);
        let caller_text = caller_text(caller.as_ref(), revision);
        let queued_bytes = options.limits.queued_bytes;
        Self { link, revision, caller, caller_text, about: Arc::new(about), queued_bytes }
    }

    /// The same session with another level of log messages.
    pub(crate) fn with_level(&self, options: &Options, level: LoggingLevel) -> Self {
        let caller = caller(options, self.revision, Some(level));
        let caller_text = caller_text(caller.as_ref(), self.revision);
        Self { caller, caller_text, ..self.clone() }
    }

    /// The same session for somebody who can answer other questions, and wants other log messages.
    pub(crate) fn on_behalf(&self, options: &Options, behalf: &Behalf) -> Self {
        if self.revision.has_handshake() {
            return self.clone();
        }
        let mut capabilities = options.capabilities();
        capabilities.elicitation.clone_from(&behalf.capabilities.elicitation);
        capabilities.sampling.clone_from(&behalf.capabilities.sampling);
        capabilities.roots.clone_from(&behalf.capabilities.roots);
        let info = options.info.clone().unwrap_or_else(default_info);
        let caller = CallerMeta::new(self.revision, Some(&info), &capabilities, behalf.log_level);
        let caller_text = caller_text(Some(&caller), self.revision);
        Self { caller: Some(caller), caller_text, ..self.clone() }
    }

    /// The revision tells what the server offers only since some revision; before, anything may be asked.
    pub(crate) fn needs_tools(&self) -> Result<(), Error> {
        offered(self.about.capabilities.tools.is_some(), "tools")
    }

    pub(crate) fn needs_resources(&self) -> Result<(), Error> {
        offered(self.about.capabilities.resources.is_some(), "resources")
    }

    pub(crate) fn needs_prompts(&self) -> Result<(), Error> {
        offered(self.about.capabilities.prompts.is_some(), "prompts")
    }

    pub(crate) fn needs_completions(&self) -> Result<(), Error> {
        let declared = self.about.capabilities.completions.is_some();
        offered(declared || !self.revision.has_completions_capability(), "completions")
    }

    /// Whether tools can be called as tasks of 2025-11-25.
    pub(crate) fn has_core_task_calls(&self) -> bool {
        let tasks = self.about.capabilities.tasks.as_ref();
        let call = tasks.and_then(|tasks| tasks.requests.as_ref()?.tools.as_ref()?.call.as_ref());
        self.revision.has_core_tasks() && call.is_some()
    }
}

/// Encodes what is added to every request, if the revision wants it.
fn caller(options: &Options, revision: Revision, level: Option<LoggingLevel>) -> Option<CallerMeta> {
    let stateless = !revision.has_handshake();
    let info = options.info.clone().unwrap_or_else(default_info);
    stateless.then(|| CallerMeta::new(revision, Some(&info), &options.capabilities(), level))
}

fn offered(is: bool, what: &'static str) -> Result<(), Error> {
    if is { Ok(()) } else { Err(Cause::NotOffered(what).into()) }
}
