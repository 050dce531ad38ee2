//! Random numbers that are the same in each run.

/// A sequence of numbers that look random (xorshift); the same seed begins the same sequence.
#[derive(Clone, Debug)]
pub struct Numbers(u64);

impl Numbers {
    /// Begins a sequence. Seeds that are neighbours begin sequences that have nothing in common.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns the next number.
    pub fn any(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns the next number, made smaller than `limit`; 0 if nothing is smaller.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.any().checked_rem(limit).unwrap_or_default()
    }

    /// Returns the place of something in a list of that length.
    pub fn place(&mut self, length: usize) -> usize {
        // What is below a `usize` fits into one.
        usize::try_from(self.below(length as u64)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_sequence() {
        let sequence = |seed| {
            let mut numbers = Numbers::new(seed);
            [numbers.any(), numbers.any(), numbers.any()]
        };
        assert_eq!(sequence(7), sequence(7));
        assert_ne!(sequence(7), sequence(8));
        // A state of zero would stay there.
        assert!(sequence(0).iter().all(|number| *number != 0));
    }

    #[test]
    fn numbers_stay_below_their_limit_and_reach_all_of_it() {
        let mut numbers = Numbers::new(1);
        let mut seen = [0; 5];
        for _ in 0..1000 {
            seen[numbers.place(5)] += 1;
        }
        assert!(seen.iter().all(|count| *count > 100), "{seen:?}");
        assert_eq!((numbers.below(0), numbers.below(1)), (0, 0));
    }
}
