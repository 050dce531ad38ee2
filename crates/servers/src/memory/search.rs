//! Case-insensitive search in records.

use super::arena::Arena;
use super::record::{Kind, Record};

/// What is looked for, in lower case.
#[derive(Debug)]
pub(super) struct Needle {
    text: String,
    /// Can be compared byte by byte with texts whose characters do not become ASCII in lower case.
    is_ascii: bool,
    /// The byte of the needle that texts contain the least often, where it stands, and its capital.
    rare: (usize, u8, u8),
}

impl Needle {
    pub(super) fn new(query: &str) -> Self {
        let text = query.to_lowercase();
        // NUL separates fields, so a needle with it is compared field by field.
        let is_ascii = text.is_ascii() && !text.contains('\0');
        let rarest = text.bytes().enumerate().min_by_key(|(_, byte)| frequency(*byte));
        let rare = rarest.map_or((0, 0, 0), |(place, byte)| (place, byte, byte.to_ascii_uppercase()));
        Self { text, is_ascii, rare }
    }

    /// Whether one of the fields of an entity contains it.
    pub(super) fn is_in(&self, record: &Record, arena: &Arena) -> bool {
        match record.kind {
            Kind::Removed => false,
            _ if self.text.is_empty() => true,
            Kind::Ascii | Kind::Unicode if self.is_ascii => self.is_in_bytes(arena.get(record.place).as_bytes()),
            // What is ASCII stays ASCII in lower case.
            Kind::Ascii if !self.text.is_ascii() => false,
            Kind::Ascii | Kind::Unicode | Kind::Folding => {
                arena.get(record.place).split('\0').any(|field| self.is_in_text(field))
            }
            Kind::Json => {
                let entity = record.entity(arena);
                let fields = [&entity.name, &entity.entity_type].into_iter().chain(&entity.observations);
                fields.into_iter().any(|field| self.is_in_text(field))
            }
        }
    }

    fn is_in_text(&self, field: &str) -> bool {
        contains(field, &self.text)
    }

    fn is_in_bytes(&self, text: &[u8]) -> bool {
        let (needle, (place, small, capital)) = (self.text.as_bytes(), self.rare);
        let last = text.len().saturating_sub(needle.len() - place - 1);
        let found = memchr::memchr2_iter(small, capital, text.get(..last).unwrap_or_default());
        found.filter(|at| *at >= place).any(|at| {
            let start = at - place;
            text.get(start..start + needle.len()).is_some_and(|part| part.eq_ignore_ascii_case(needle))
        })
    }
}

/// Whether a text contains another one, which is in lower case already.
pub(super) fn contains(field: &str, lower_case: &str) -> bool {
    field.to_lowercase().contains(lower_case)
}

/// How often a byte occurs in texts, roughly.
fn frequency(byte: u8) -> usize {
    const FREQUENT_FIRST: &[u8] = b" etaoinsrhldcumfpgwybvkxjqz";
    match FREQUENT_FIRST.iter().position(|known| *known == byte) {
        Some(place) => 40 - place,
        None if byte.is_ascii_digit() => 20,
        None => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::super::entity::Entity;
    use super::*;

    fn found(query: &str, fields: [&str; 3]) -> bool {
        let mut arena = Arena::default();
        let [name, entity_type, observation] = fields.map(str::to_owned);
        let record = Record::of_entity(&mut arena, &Entity { name, entity_type, observations: vec![observation] });
        Needle::new(query).is_in(&record, &arena)
    }

    #[test]
    fn a_search_ignores_case_and_stays_within_a_field() {
        let plain = ["Ada", "person", "writes Rust 9"];
        for query in ["", "ada", "ADA", "rson", "WRITES rust", "rust 9", "9", "t 9"] {
            assert!(found(query, plain), "{query}");
        }
        for query in ["adap", "nw", "rust 99", "Łódź", "\0", "a\0p", "observations", "adaperson"] {
            assert!(!found(query, plain), "{query}");
        }
        let polish = ["Łódź", "miasto", "naïve ΌΣΟΣ"];
        for query in ["łódź", "ŁÓDŹ", "MIASTO", "NAÏVE", "όσος"] {
            assert!(found(query, polish), "{query}");
        }
        assert!(!found("lodz", polish));
        // The sign for Kelvin is a k in lower case, the capital dotted I an i with a dot.
        assert!(found("300 k", ["300 \u{212a}", "", ""]) && found("i\u{307}s", ["\u{130}S", "", ""]));
        assert!(found("b", ["a\0b", "", ""]) && found("a\0b", ["A\0B", "", ""]));
    }
}
