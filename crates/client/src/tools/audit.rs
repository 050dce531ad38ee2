//! A record of the tools that were used, for whoever keeps one.

use crate::{Error, Output};

/// Records one call of a tool as an event of `tracing` with the target `jackfield_client::audit`: the tool and how the call ended.
/// Arguments and results are no part of it, because they may hold secrets.
#[derive(Debug)]
pub(crate) struct Audit {
    /// None when nobody listens.
    tool: Option<String>,
    outcome: &'static str,
}

impl Audit {
    pub(crate) fn begin(tool: &str) -> Self {
        let heard = tracing::enabled!(target: "jackfield_client::audit", tracing::Level::INFO);
        Self { tool: heard.then(|| tool.to_owned()), outcome: "given up" }
    }

    pub(crate) fn end(mut self, outcome: &Result<Output, Error>) {
        self.outcome = match outcome {
            Ok(output) if output.is_failure() => "failed",
            Ok(_) => "done",
            Err(error) if error.server_error().is_some() => "refused by the server",
            Err(_) => "no answer that could be used",
        };
    }
}

// A call that is dropped is recorded too.
impl Drop for Audit {
    fn drop(&mut self) {
        if let Some(tool) = &self.tool {
            let (tool, outcome) = (tool.escape_debug(), self.outcome);
            tracing::info!(target: "jackfield_client::audit", %tool, outcome, "a tool was called");
        }
    }
}
