//! Between 2024-11-05 and 2025-03-26: audio, tool annotations, the completions capability, words in progress notices.

use super::{Step, text};
use crate::*;

/// What a value of 2025-03-26 becomes for a peer of 2024-11-05.
pub(super) struct Older;

impl Step for Older {
    const OLDER_THAN: Option<Revision> = Some(Revision::V2025_03_26);

    fn server_capabilities(&self, capabilities: &mut ServerCapabilities) {
        capabilities.completions = None;
    }

    fn tool(&self, tool: &mut Tool) {
        if let Some(title) = tool.annotations.take().and_then(|annotations| annotations.title) {
            tool.description.get_or_insert(title);
        }
    }

    fn content(&self, content: &mut ContentBlock) {
        if let ContentBlock::Audio(audio) = content {
            *content = text::of_audio(audio).into();
        }
    }

    fn sampling_block(&self, block: &mut SamplingContentBlock) {
        if let SamplingContentBlock::Audio(audio) = block {
            *block = text::of_audio(audio).into();
        }
    }

    fn progress(&self, progress: &mut ProgressParams) {
        progress.message = None;
    }
}
