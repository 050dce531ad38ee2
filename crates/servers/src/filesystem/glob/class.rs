//! Character classes: `[a-c]`, `[!a]`, `[[:digit:]]`.

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;

/// What one character may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Class {
    negated: bool,
    items: Vec<Item>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    Range(char, char),
    Posix(Posix),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Posix {
    Alnum,
    Alpha,
    Ascii,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Word,
    Xdigit,
}

const POSIX: [(&str, Posix); 14] = [
    ("[:alnum:]", Posix::Alnum),
    ("[:alpha:]", Posix::Alpha),
    ("[:ascii:]", Posix::Ascii),
    ("[:blank:]", Posix::Blank),
    ("[:cntrl:]", Posix::Cntrl),
    ("[:digit:]", Posix::Digit),
    ("[:graph:]", Posix::Graph),
    ("[:lower:]", Posix::Lower),
    ("[:print:]", Posix::Print),
    ("[:punct:]", Posix::Punct),
    ("[:space:]", Posix::Space),
    ("[:upper:]", Posix::Upper),
    ("[:word:]", Posix::Word),
    ("[:xdigit:]", Posix::Xdigit),
];

impl Class {
    /// Reads a class that begins at a bracket; returns it and where it ends, or nothing if it does not end.
    ///
    /// A class without characters, such as `[b-a]`, and a range that ends in a POSIX class match nothing, and swallow the rest.
    pub(super) fn parse(chars: &[char], start: usize) -> Option<(Self, usize)> {
        let mut at = start + 1;
        let negated = matches!(chars.get(at), Some('!' | '^'));
        at += usize::from(negated);
        let mut items = Vec::new();
        let mut range_start: Option<char> = None;
        let mut is_first = true;
        loop {
            let mut c = *chars.get(at)?;
            if c == ']' && !is_first {
                break;
            }
            is_first = false;
            if c == '['
                && let Some((length, posix)) = posix_at(&chars[at..])
            {
                if range_start.is_some() {
                    return Some((Self { negated: false, items: Vec::new() }, chars.len()));
                }
                items.push(Item::Posix(posix));
                at += length;
                continue;
            }
            if c == '\\' {
                at += 1;
                c = *chars.get(at)?;
            }
            match (range_start.take(), chars.get(at + 1), chars.get(at + 2)) {
                (Some(first), _, _) => {
                    // A range that goes backwards holds nothing.
                    if first <= c {
                        items.push(Item::Range(first, c));
                    }
                }
                (None, Some('-'), Some(']')) => {
                    items.extend([Item::Range(c, c), Item::Range('-', '-')]);
                    at += 1;
                }
                (None, Some('-'), _) => {
                    range_start = Some(c);
                    at += 1;
                }
                (None, _, _) => items.push(Item::Range(c, c)),
            }
            at += 1;
        }
        if items.is_empty() {
            return Some((Self { negated: false, items }, chars.len()));
        }
        Some((Self { negated, items }, at + 1))
    }

    pub(super) fn contains(&self, c: char) -> bool {
        let is_in = self.items.iter().any(|item| match item {
            Item::Range(first, last) => (*first..=*last).contains(&c),
            Item::Posix(posix) => posix.contains(c),
        });
        is_in != self.negated
    }
}

fn posix_at(chars: &[char]) -> Option<(usize, Posix)> {
    let find = |(name, posix): &(&str, Posix)| {
        let is_here = chars.len() >= name.len() && name.chars().zip(chars).all(|(name, c)| name == *c);
        is_here.then_some((name.len(), *posix))
    };
    POSIX.iter().find_map(find)
}

impl Posix {
    fn contains(self, c: char) -> bool {
        use GeneralCategory as Category;
        let category = CodePointMapData::<GeneralCategory>::new().get(c);
        let is_letter = || {
            matches!(
                category,
                Category::UppercaseLetter
                    | Category::LowercaseLetter
                    | Category::TitlecaseLetter
                    | Category::ModifierLetter
                    | Category::OtherLetter
                    | Category::LetterNumber
            )
        };
        let is_digit = || category == Category::DecimalNumber;
        let is_other = || {
            matches!(
                category,
                Category::Control
                    | Category::Format
                    | Category::Surrogate
                    | Category::PrivateUse
                    | Category::Unassigned
            )
        };
        let is_separator =
            || matches!(category, Category::SpaceSeparator | Category::LineSeparator | Category::ParagraphSeparator);
        match self {
            Self::Alnum => is_letter() || is_digit(),
            Self::Alpha => is_letter(),
            Self::Ascii => c.is_ascii(),
            Self::Blank => category == Category::SpaceSeparator || c == '\t',
            Self::Cntrl => category == Category::Control,
            Self::Digit => is_digit(),
            Self::Graph => !is_separator() && !is_other(),
            Self::Lower => category == Category::LowercaseLetter,
            Self::Print => !is_other(),
            Self::Punct => is_punctuation(category),
            Self::Space => is_separator() || matches!(c, '\t'..='\r'),
            Self::Upper => category == Category::UppercaseLetter,
            Self::Word => is_letter() || is_digit() || category == Category::ConnectorPunctuation,
            Self::Xdigit => c.is_ascii_hexdigit(),
        }
    }
}

fn is_punctuation(category: GeneralCategory) -> bool {
    use GeneralCategory as Category;
    matches!(
        category,
        Category::ConnectorPunctuation
            | Category::DashPunctuation
            | Category::OpenPunctuation
            | Category::ClosePunctuation
            | Category::InitialPunctuation
            | Category::FinalPunctuation
            | Category::OtherPunctuation
    )
}
