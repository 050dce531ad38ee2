//! The ids of sessions.

use std::fmt;

/// The id of a session: 128 random bits. Whoever knows it can not act for another user, but it is kept out of logs anyway.
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
        let (high, low) = text.split_at_checked(16)?;
        Some(Self(u128::from(half(high)?) << 64 | u128::from(half(low)?)))
    }

    /// Returns the id as it stands in a header.
    #[must_use]
    pub fn to_text(self) -> String {
        format!("{:032x}", self.0)
    }

    /// Returns a short mark for logs, from which the id can not be found.
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

/// Reads sixteen digits. Each is looked at in the same way, so that there is nothing to decide before the end.
fn half(text: &[u8]) -> Option<u64> {
    let digits: &[u8; 16] = text.try_into().ok()?;
    let (mut number, mut odd) = (0u64, false);
    for byte in digits {
        let decimal = byte.wrapping_sub(b'0');
        let letter = byte.wrapping_sub(b'a');
        let digit = if decimal < 10 { decimal } else { letter.wrapping_add(10) };
        odd |= decimal >= 10 && letter >= 6;
        number = number << 4 | u64::from(digit);
    }
    (!odd).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HTTP-050, HTTP-051, SEC-020, T-033, T-044.
    #[test]
    fn ids_are_random_visible_ascii_and_hidden_from_logs() {
        let id = SessionId::random().unwrap();
        assert_ne!(id, SessionId::random().unwrap());
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
}
