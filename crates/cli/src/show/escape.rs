//! Making text of strangers harmless: what a server says must not steer the terminal, nor hide anything from the reader.

use std::borrow::Cow;
use std::fmt::Write;

/// Returns text of several lines whose harmful characters are written out, such as `\u{1b}`. Line breaks and tabs stay.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    escape(text, |c| is_harmful(c) && !matches!(c, '\n' | '\t'))
}

/// Returns text as one line: line breaks and tabs are written out too.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    escape(text, is_harmful)
}

fn escape(text: &str, is_bad: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' if is_bad(c) => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' if is_bad(c) => out.push_str("\\t"),
            c if is_bad(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Whether a character steers a terminal, changes the direction of text, or cannot be seen.
pub(crate) fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(u32::from(c),
            // Soft hyphen, combining grapheme joiner, Arabic letter mark, Hangul fillers, Khmer vowels without a shape.
            0xad | 0x34f | 0x61c | 0x115f | 0x1160 | 0x3164 | 0xffa0 | 0x17b4 | 0x17b5
            // Mongolian selectors and vowel separator.
            | 0x180b..=0x180f
            // Zero-width characters, marks of direction, separators of lines and paragraphs, embeddings, invisible operators.
            | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f
            // Selectors of variants but the one that emoji use, byte order mark, interlinear annotations.
            | 0xfe00..=0xfe0e | 0xfeff | 0xfff0..=0xfffb
            // Musical format characters, tags and further selectors, private use.
            | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff | 0xe000..=0xf8ff | 0xf0000..=0x10ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-113, T-152: none of these reaches a terminal, in whatever company.
    #[test]
    fn nothing_that_steers_or_hides_passes() {
        let harmful = (0..0x20)
            .chain(0x7f..=0x9f)
            .chain([0xad, 0x61c, 0x180e, 0x3164, 0xfeff])
            .chain(0x200b..=0x200f)
            .chain(0x2028..=0x202e)
            .chain(0x2060..=0x206f)
            .chain(0xfe00..=0xfe0e)
            .chain(0xe0000..=0xe007f)
            .chain(0xe0100..=0xe01ef)
            .filter_map(char::from_u32);
        let mut count = 0;
        for c in harmful {
            let shown = one_line(&format!("a{c}b")).into_owned();
            assert!(shown.starts_with("a\\") && shown.ends_with('b'), "{c:?} became {shown:?}");
            assert!(!shown.chars().any(is_harmful));
            count += 1;
        }
        assert!(count >= 200, "{count}");
    }

    #[test]
    fn ordinary_text_stays_as_it_is() {
        for text in ["plain", "zwei Wörter", "日本語", "✅ done ⚠\u{fe0f}", "a\n\tb"] {
            assert!(matches!(escaped(text), Cow::Borrowed(same) if same == text));
        }
        assert_eq!(one_line("a\n\tb"), "a\\n\\tb");
        assert_eq!(escaped("x\x1b[2Jy\r"), "x\\u{1b}[2Jy\\r");
    }
}
