//! How much of one file is found in another, counted as git counts it: by chunks of at most 64 bytes that end at newlines.

use std::collections::HashMap;

/// The score of equal files.
pub(super) const MAX_SCORE: u64 = 60_000;

/// The longest chunk.
const CHUNK: usize = 64;

/// How many bytes of a content each chunk stands for.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    bytes: HashMap<u32, u64>,
    size: u64,
}

impl Chunks {
    /// Counts the chunks. In text, a CR before LF does not count.
    pub(super) fn of(content: &[u8], is_text: bool) -> Self {
        // Git hashes each chunk to a small number; the same numbers give the same collisions and so the same percentages.
        const HASH_BASE: u32 = 107_927;
        let mut chunks = Self { bytes: HashMap::new(), size: content.len() as u64 };
        let (mut low, mut high, mut length) = (0u32, 0u32, 0usize);
        for (at, byte) in content.iter().enumerate() {
            if is_text && *byte == b'\r' && content.get(at + 1) == Some(&b'\n') {
                continue;
            }
            let before = low;
            low = (low << 7) ^ (high >> 25);
            high = (high << 7) ^ (before >> 25);
            low = low.wrapping_add(u32::from(*byte));
            length += 1;
            if length < CHUNK && *byte != b'\n' {
                continue;
            }
            chunks.add(low.wrapping_add(high.wrapping_mul(0x61)) % HASH_BASE, length);
            (low, high, length) = (0, 0, 0);
        }
        if length > 0 {
            chunks.add(low.wrapping_add(high.wrapping_mul(0x61)) % HASH_BASE, length);
        }
        chunks
    }

    fn add(&mut self, hash: u32, length: usize) {
        *self.bytes.entry(hash).or_default() += length as u64;
    }

    /// How much of `self` is left in `other`, between 0 and [`MAX_SCORE`]; 0 if it is certainly below `least`.
    pub(super) fn score(&self, other: &Self, least: u64) -> u64 {
        let largest = self.size.max(other.size);
        let difference = self.size.abs_diff(other.size);
        if largest * (MAX_SCORE - least) < difference * MAX_SCORE || self.size == 0 || other.size == 0 {
            return 0;
        }
        let copied: u64 =
            self.bytes.iter().map(|(hash, bytes)| (*bytes).min(other.bytes.get(hash).copied().unwrap_or(0))).sum();
        copied * MAX_SCORE / largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn percent(old: &str, new: &str) -> u64 {
        Chunks::of(old.as_bytes(), true).score(&Chunks::of(new.as_bytes(), true), 0) * 100 / MAX_SCORE
    }

    #[test]
    fn lines_that_stay_count_by_their_bytes() {
        assert_eq!(percent("a\nb\nc\nd\n", "a\nb\nc\nd\n"), 100);
        assert_eq!(percent("a\nb\nc\nd\n", "a\nb\nx\ny\n"), 50);
        assert_eq!(percent("a\nb\n", "c\nd\n"), 0);
        assert_eq!(percent("a\r\nb\r\n", "a\nb\n"), 66);
        assert_eq!(percent("a\nb", "a\nb\nc\nd\n"), 25);
    }

    #[test]
    fn files_of_very_different_size_are_not_compared() {
        let small = Chunks::of(b"a\n", true);
        let large = Chunks::of("a\n".repeat(100).as_bytes(), true);
        assert_eq!(small.score(&large, MAX_SCORE / 2), 0);
    }
}
