//! File names as git prints them: in double quotes with C escapes where they have unusual bytes.

use gix::bstr::{BStr, BString};

/// How names are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quoting {
    /// Bytes above 0x7f are escaped too (`core.quotePath`).
    pub(super) escape_non_ascii: bool,
}

impl Quoting {
    /// The name, quoted if it needs quotes.
    pub(super) fn apply(self, name: &BStr) -> BString {
        self.apply_prefixed("", name)
    }

    /// `prefix` and the name as one name, such as `a/` of diffs.
    pub(super) fn apply_prefixed(self, prefix: &str, name: &BStr) -> BString {
        let whole: Vec<u8> = prefix.bytes().chain(name.iter().copied()).collect();
        if !whole.iter().any(|byte| self.needs_escape(*byte)) {
            return whole.into();
        }
        let mut out = vec![b'"'];
        for byte in whole {
            self.escape(byte, &mut out);
        }
        out.push(b'"');
        out.into()
    }

    fn needs_escape(self, byte: u8) -> bool {
        byte < 0x20 || byte == 0x7f || byte == b'"' || byte == b'\\' || (byte >= 0x80 && self.escape_non_ascii)
    }

    fn escape(self, byte: u8, out: &mut Vec<u8>) {
        if !self.needs_escape(byte) {
            return out.push(byte);
        }
        let letter = match byte {
            0x07 => b'a',
            0x08 => b'b',
            b'\t' => b't',
            b'\n' => b'n',
            0x0b => b'v',
            0x0c => b'f',
            b'\r' => b'r',
            b'"' => b'"',
            b'\\' => b'\\',
            _ => return out.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
        };
        out.extend_from_slice(&[b'\\', letter]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(escape_non_ascii: bool, name: &str, expected: &str) {
        assert_eq!(Quoting { escape_non_ascii }.apply(name.into()), expected);
    }

    #[test]
    fn unusual_names_are_quoted_as_git_does() {
        check(true, "plain name.txt", "plain name.txt");
        check(true, "tab\there", r#""tab\there""#);
        check(true, "say \"hi\"", r#""say \"hi\"""#);
        check(true, "back\\slash", r#""back\\slash""#);
        check(true, "\u{1}", r#""\001""#);
        check(true, "ż", r#""\305\274""#);
        check(false, "ż", "ż");
    }

    #[test]
    fn a_prefix_stands_inside_the_quotes() {
        assert_eq!(Quoting { escape_non_ascii: true }.apply_prefixed("a/", "x\ny".into()), r#""a/x\ny""#);
    }
}
