//! The ids of sessions.

use std::fmt;

/// The id of a session: 128 random bits. Whoever knows it cannot act for another user, but it is kept out of logs anyway.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionId(u128);

impl SessionId {
    /// Makes a new id.
    ///
    /// # Errors
    /// The operating system has no random numbers.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Self(u128::from_le_bytes(bytes)))
    }

    /// Reads an id as it stands in a header: 32 digits, in lower case.
    #[must_use]
    pub fn parse(text: &[u8]) -> Option<Self> {
        let text: &[u8; 32] = text.try_into().ok()?;
        let mut number = 0;
        for digits in text.as_chunks().0 {
            number = number << 32 | u128::from(eight(*digits)?);
        }
        Some(Self(number))
    }

    /// Returns the id as it stands in a header.
    #[must_use]
    pub fn to_text(self) -> String {
        format!("{:032x}", self.0)
    }

    /// Returns a short mark for logs, from which the id cannot be found.
    #[must_use]
    pub fn mark(self) -> String {
        // Mixing is enough: half of the bits are folded away, so nothing leads back.
        let folded = (self.0 as u64 ^ (self.0 >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        format!("{:08x}", folded >> 32)
    }

    pub(crate) fn low_bits(self) -> u64 {
        self.0 as u64
    }
}

/// Shows the mark, not the id.
impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionId({})", self.mark())
    }
}

/// One in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Reads eight digits at once: each byte of a word is treated alike.
fn eight(digits: [u8; 8]) -> Option<u32> {
    let word = u64::from_be_bytes(digits);
    // Of what can be a digit, letters alone have this bit.
    let letters = word >> 6 & ONES;
    let values = (word & (ONES * 0x0f)) + letters * 9;
    let above_nine = (values + ONES * 6) >> 4 & ONES;
    let written = values + ONES * 0x30 + letters * 0x27;
    if written != word || above_nine != letters || values & (ONES * 0xf0) != 0 {
        return None;
    }
    let pairs = (values | values >> 4) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs | pairs >> 8) & 0x0000_ffff_0000_ffff;
    Some((fours | fours >> 16) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HTTP-050, SEC-020: each of 128 bits is set in some ids and not in others. What is counted up or taken from a clock has bits
    /// that stay as they are; that one of random bits does, in so many ids, does not happen.
    #[test]
    fn every_bit_of_an_id_is_random() {
        let (mut set, mut unset) = (0, 0);
        for _ in 0..256 {
            let SessionId(id) = SessionId::random().unwrap();
            (set, unset) = (set | id, unset | !id);
        }
        assert_eq!((set, unset), (u128::MAX, u128::MAX));
    }

    /// HTTP-051, T-033, T-044.
    #[test]
    fn ids_are_visible_ascii_and_hidden_from_logs() {
        let id = SessionId::random().unwrap();
        let text = id.to_text();
        assert!(text.bytes().all(|byte| byte.is_ascii_graphic()));
        assert_eq!(SessionId::parse(text.as_bytes()), Some(id));
        assert!(!format!("{id:?}").contains(&text[..8]) && !text.contains(&id.mark()));
        for other in
            ["", "0", &text.to_uppercase().replace(|c: char| c.is_ascii_digit(), "G"), &text[1..], &format!("{text}0")]
        {
            assert_eq!(SessionId::parse(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn a_digit_is_a_digit_at_every_place() {
        for place in 0..8 {
            for byte in 0..=u8::MAX {
                let mut digits = *b"01239abf";
                digits[place] = byte;
                let expected = match byte {
                    b'0'..=b'9' | b'a'..=b'f' => u32::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).ok(),
                    _ => None,
                };
                assert_eq!(eight(digits), expected, "{digits:?}");
            }
        }
    }
}
