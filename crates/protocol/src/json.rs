//! Writing JSON text quickly: strings escaped eight bytes at a time.

/// Marks, with the high bit of each byte, the bytes of `word` that cannot stand in a JSON string as they are.
///
/// Bytes above the lowest mark may be marked wrongly, so only the lowest mark is used.
#[inline]
pub(crate) fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    let zero_in = |x: u64| x.wrapping_sub(ONES) & !x & HIGH;
    let below_space = word.wrapping_sub(ONES.wrapping_mul(0x20)) & !word & HIGH;
    below_space | zero_in(word ^ ONES.wrapping_mul(b'"' as u64)) | zero_in(word ^ ONES.wrapping_mul(b'\\' as u64))
}

/// Appends `text` as a JSON string, quotes included.
pub fn write_str(out: &mut Vec<u8>, text: &str) {
    out.reserve(text.len().saturating_add(2));
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let plain = plain_prefix(rest);
        let (head, tail) = rest.split_at_checked(plain).unwrap_or((rest, &[]));
        out.extend_from_slice(head);
        match tail.split_first() {
            Some((byte, tail)) => {
                write_escape(out, *byte);
                rest = tail;
            }
            None => break,
        }
    }
    out.push(b'"');
}

/// Counts the bytes at the start of `text` that may stand in a JSON string as they are.
#[inline]
pub(crate) fn plain_prefix(text: &[u8]) -> usize {
    let mut count: usize = 0;
    let mut chunks = text.chunks_exact(8);
    for chunk in &mut chunks {
        let word = <[u8; 8]>::try_from(chunk).map_or(0, u64::from_le_bytes);
        let special = special_bytes(word);
        if special != 0 {
            return count.saturating_add(special.trailing_zeros() as usize / 8);
        }
        count = count.saturating_add(8);
    }
    let special = |byte: &&u8| **byte >= 0x20 && **byte != b'"' && **byte != b'\\';
    count.saturating_add(chunks.remainder().iter().take_while(special).count())
}

fn write_escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: [u8; 16] = *b"0123456789abcdef";
    let short = match byte {
        b'"' => b'"',
        b'\\' => b'\\',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0C => b'f',
        _ => {
            out.extend_from_slice(b"\\u00");
            out.extend([byte >> 4, byte & 15].map(|digit| HEX.get(usize::from(digit)).copied().unwrap_or(b'0')));
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// Appends `n` as a JSON number.
pub fn write_u64(out: &mut Vec<u8>, n: u64) {
    let mut digits = [0u8; 20];
    let mut rest = n;
    let mut used: usize = 0;
    for slot in digits.iter_mut().rev() {
        *slot = b'0'.wrapping_add(u8::try_from(rest % 10).unwrap_or_default());
        rest /= 10;
        used = used.saturating_add(1);
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(digits.len().saturating_sub(used)..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strings_read_back_as_they_were(text in ".*|[\\x00-\\x7f]{0,40}") {
            let mut out = Vec::new();
            write_str(&mut out, &text);
            prop_assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }

        #[test]
        fn numbers_are_written_as_std_does(n: u64) {
            let mut out = Vec::new();
            write_u64(&mut out, n);
            prop_assert_eq!(String::from_utf8(out).unwrap(), n.to_string());
        }
    }

    #[test]
    fn every_byte_is_escaped_as_serde_json_does_at_every_offset() {
        for byte in 0u8..128 {
            for offset in 0..10 {
                let text = "x".repeat(offset) + &char::from(byte).to_string() + "yyyyyyyyyyyy";
                let mut out = Vec::new();
                write_str(&mut out, &text);
                assert_eq!(String::from_utf8(out).unwrap(), serde_json::to_string(&text).unwrap());
            }
        }
    }
}
