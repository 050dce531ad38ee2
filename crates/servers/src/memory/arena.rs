//! Texts in few large blocks: a hundred thousand entities would be a million small allocations otherwise.

/// A text in an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    block: u32,
    start: u32,
    length: u32,
}

/// Texts, which are only ever added.
#[derive(Debug, Default)]
pub(super) struct Arena {
    blocks: Vec<String>,
    /// How many bytes belong to texts that were given up.
    unused: usize,
}

const BLOCK: usize = 256 * 1024;

impl Arena {
    pub(super) fn add(&mut self, text: &str) -> Place {
        let has_room = |block: &String| block.capacity() - block.len() >= text.len();
        if !self.blocks.last().is_some_and(has_room) {
            self.blocks.push(String::with_capacity(BLOCK.max(text.len())));
        }
        let block = self.blocks.len() - 1;
        let texts = &mut self.blocks[block];
        let start = texts.len();
        texts.push_str(text);
        // Lines of the file are far shorter than this; see `lines`.
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Place { block: small(block), start: small(start), length: small(text.len()) }
    }

    pub(super) fn get(&self, place: Place) -> &str {
        let start = place.start as usize;
        self.blocks
            .get(place.block as usize)
            .and_then(|text| text.get(start..start + place.length as usize))
            .unwrap_or_default()
    }

    /// Notes that a text is not needed any more.
    pub(super) fn give_up(&mut self, place: Place) {
        self.unused += place.length as usize;
    }

    /// Whether so much is unused that it is worth while to begin anew.
    pub(super) fn is_wasteful(&self) -> bool {
        let total: usize = self.blocks.iter().map(String::len).sum();
        self.unused > 4 * BLOCK && self.unused > total / 2
    }
}
