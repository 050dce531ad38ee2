//! A hash for names, faster than that of the standard library for short ones.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

/// Makes hashers for the names of tools and prompts. They begin with a number that nobody outside knows, because names may come from
/// somewhere else.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hashing;

impl BuildHasher for Hashing {
    type Hasher = Folding;

    fn build_hasher(&self) -> Folding {
        static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0) | 1);
        Folding(*SEED)
    }
}

/// Multiplies words of eight bytes into each other; the upper half of a product is folded into the lower.
#[derive(Debug)]
pub(crate) struct Folding(u64);

impl Folding {
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }
}

impl Hasher for Folding {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        for (to, from) in last.iter_mut().zip(rest) {
            *to = *from;
        }
        // The length tells a short name from one that ends with zeros.
        self.mix(u64::from_le_bytes(last) ^ (bytes.len() as u64) << 56);
    }

    fn write_u8(&mut self, _: u8) {
        // The end of a text, which its length has told.
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_that_differ_rarely_share_a_hash() {
        let names =
            (0..10_000).flat_map(|number| [format!("tool_{number}"), format!("{number}"), "x".repeat(number % 100)]);
        let names: HashSet<String> = names.collect();
        let hashes: HashSet<u64> = names.iter().map(|name| Hashing.hash_one(name.as_str())).collect();
        assert_eq!(hashes.len(), names.len());
        // Tables use the highest and the lowest bits.
        for shift in [0, 57] {
            let parts: HashSet<u64> = hashes.iter().map(|hash| hash >> shift & 127).collect();
            assert_eq!(parts.len(), 128);
        }
    }

    #[test]
    fn a_text_has_one_hash_however_it_is_held() {
        assert_eq!(Hashing.hash_one("name"), Hashing.hash_one(String::from("name")));
        assert_ne!(Hashing.hash_one("name"), Hashing.hash_one("name\0"));
    }
}
