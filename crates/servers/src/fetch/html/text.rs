//! The text of pages: white space, invisible characters, compatibility forms.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizer;
use icu_properties::props::{EnumeratedProperty, GeneralCategory};

/// Returns a text as a reader sees it: without invisible characters, in composed compatibility form (NFKC), each white space one
/// blank, none at the ends.
pub(super) fn normalized(text: &str) -> String {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte) || byte.is_ascii_whitespace()) {
        return single_spaced(text);
    }
    let visible: String = text.chars().filter(|character| !is_invisible(*character)).collect();
    let composed: Cow<'_, str> = ComposingNormalizer::new_nfkc().normalize(&visible);
    single_spaced(&composed)
}

/// Whether nothing of a text is visible.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(|character| character.is_whitespace() || is_invisible(character))
}

fn single_spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !spaced.is_empty() {
            spaced.push(' ');
        }
        spaced.push_str(word);
    }
    spaced
}

/// Whether a character is a control or format character, for private use, or unassigned.
fn is_invisible(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control() && !matches!(character, '\t' | '\n' | '\r' | '\u{c}');
    }
    matches!(
        GeneralCategory::for_char(character),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::Unassigned
            | GeneralCategory::PrivateUse
            | GeneralCategory::Surrogate
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_normalized() {
        for (text, wanted) in [
            ("  a \n\t b  ", "a b"),
            ("a\u{a0}\u{2003}b", "a b"),
            ("a\u{200b}b\u{ad}c\u{feff}", "abc"),
            ("a\u{0}\u{7}b\u{c}c", "ab c"),
            ("\u{fb01}ne ½ ①", "fine 1\u{2044}2 1"),
            ("e\u{301}", "é"),
            ("ＡＢ", "AB"),
            ("x\u{e000}y", "xy"),
            ("👩\u{200d}🔬", "👩🔬"),
            ("", ""),
        ] {
            assert_eq!(normalized(text), wanted, "{text:?}");
            assert_eq!(is_blank(text), wanted.is_empty(), "{text:?}");
        }
        assert!(is_blank(" \u{a0}\u{200b}\n"));
    }
}
