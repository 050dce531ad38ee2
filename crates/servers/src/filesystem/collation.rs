//! The order of names for people: the root collation of Unicode, as far as names of files need it.
//!
//! Punctuation comes before symbols, those before digits, those before letters; accents and case only break ties. Of other scripts the
//! order is that of code points, which keeps each alphabet together. A complete collation would add 1.3 MB of tables to the program.

use icu_normalizer::DecomposingNormalizerBorrowed;

/// ASCII white space, punctuation, symbols and digits, in their order.
const BEFORE_LETTERS: &str = "\t\n\u{b}\u{c}\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789";

/// Letters that do not decompose but sort as others do.
const LIKE_OTHERS: [(char, &str); 14] = [
    ('æ', "ae"),
    ('Æ', "AE"),
    ('œ', "oe"),
    ('Œ', "OE"),
    ('ß', "ss"),
    ('ẞ', "SS"),
    ('ø', "o"),
    ('Ø', "O"),
    ('ł', "l"),
    ('Ł', "L"),
    ('đ', "d"),
    ('Đ', "D"),
    ('ð', "d"),
    ('Ð', "D"),
];

/// A name prepared for comparison: first by characters, then by accents, then lower case before upper case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SortKey {
    primary: Vec<u32>,
    accents: Vec<u32>,
    case: Vec<bool>,
}

impl SortKey {
    pub(crate) fn new(name: &str) -> Self {
        let mut key = Self { primary: Vec::with_capacity(name.len()), accents: Vec::new(), case: Vec::new() };
        for c in DecomposingNormalizerBorrowed::new_nfd().normalize_iter(name.chars()) {
            key.push(c);
        }
        key
    }

    fn push(&mut self, c: char) {
        if is_combining(c) {
            if let Some(accent) = self.accents.last_mut() {
                // Several accents on one letter: the order of the first decides, any other is more.
                *accent = accent.saturating_mul(0x1000).saturating_add(c as u32);
            }
            return;
        }
        if is_ignored(c) {
            return;
        }
        match LIKE_OTHERS.iter().find(|(like, _)| *like == c) {
            Some((_, letters)) => letters.chars().for_each(|letter| self.add(letter, c as u32)),
            None => self.add(c, 0),
        }
    }

    fn add(&mut self, c: char, accent: u32) {
        self.primary.push(weight(c));
        self.accents.push(accent);
        self.case.push(c.is_uppercase());
    }
}

/// Where a character stands among others, without case.
fn weight(c: char) -> u32 {
    // Other punctuation and symbols come between those of ASCII and the digits, letters after all of them.
    const OTHER_SYMBOLS: u32 = 0x100;
    const DOLLAR: u32 = 0x20_0000;
    const LETTERS: u32 = 0x40_0000;
    if c.is_ascii() && !c.is_ascii_alphabetic() {
        return match BEFORE_LETTERS.find(c) {
            Some(place) if c == '$' || c.is_ascii_digit() => DOLLAR + place as u32,
            Some(place) => place as u32 + 1,
            None => 0,
        };
    }
    if !c.is_alphanumeric() {
        return OTHER_SYMBOLS + c as u32;
    }
    let lower = c.to_lowercase().next().unwrap_or(c);
    LETTERS + lower as u32
}

fn is_combining(c: char) -> bool {
    matches!(c as u32, 0x300..=0x36f | 0x1ab0..=0x1aff | 0x1dc0..=0x1dff | 0x20d0..=0x20ff | 0xfe20..=0xfe2f)
}

/// Controls have no place of their own.
fn is_ignored(c: char) -> bool {
    c.is_control() && !matches!(c, '\t'..='\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted<'a>(names: &[&'a str]) -> Vec<&'a str> {
        let mut keyed: Vec<_> = names.iter().map(|name| (SortKey::new(name), *name)).collect();
        keyed.sort();
        keyed.into_iter().map(|(_, name)| name).collect()
    }

    #[track_caller]
    fn check(expected: &[&str]) {
        let mut reversed = expected.to_vec();
        reversed.reverse();
        assert_eq!(sorted(&reversed), expected);
    }

    #[test]
    fn punctuation_comes_before_digits_before_letters() {
        check(&[" a", "_a", "-a", ".a", "(a", "@a", "#a", "~a", "$a", "0a", "9a", "aa", "Za", "Ωmega", "я", "漢"]);
    }

    #[test]
    fn case_and_accents_only_break_ties() {
        check(&["a.bin", "B.bin", "café", "code"]);
        check(&["cote", "Cote", "coté", "côte"]);
        check(&["resume", "Resume", "résumé", "resumes"]);
        check(&["ab", "AB", "abc"]);
        check(&["e\u{301}a", "eb"]);
    }

    #[test]
    fn letters_that_do_not_decompose_stand_with_their_likes() {
        check(&["aerial", "æther", "afar"]);
        check(&["strasse", "straße", "strassen"]);
        check(&["lod", "łódź", "log"]);
    }
}
