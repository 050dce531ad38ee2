//! How text is laid out: columns, wrapped lines, and a little colour.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How a page looks: as wide as the terminal, and in colour only where that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    /// Columns of a line; no limit if the page goes elsewhere.
    pub(crate) width: Option<usize>,
    /// Whether colour may be used.
    pub(crate) colour: bool,
}

impl Style {
    /// Neither limit nor colour.
    pub(crate) const PLAIN: Self = Self { width: None, colour: false };

    /// A heading.
    pub(crate) fn heading(self, text: &str) -> String {
        self.painted("1", text)
    }

    /// The name of something that can be used.
    pub(crate) fn name(self, text: &str) -> String {
        self.painted("36", text)
    }

    /// Something of lesser importance.
    pub(crate) fn aside(self, text: &str) -> String {
        self.painted("2", text)
    }

    /// Something to beware of.
    pub(crate) fn warning(self, text: &str) -> String {
        self.painted("33", text)
    }

    fn painted(self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Returns text wrapped at blanks, each line indented by `indent` columns and ended.
    pub(crate) fn paragraph(self, text: &str, indent: usize) -> String {
        let room = self.width.map(|width| width.saturating_sub(indent).max(20));
        let mut out = String::new();
        for line in text.lines() {
            for line in wrapped(line, room) {
                let line = line.trim_end();
                if !line.is_empty() {
                    out.extend(std::iter::repeat_n(' ', indent));
                    out.push_str(line);
                }
                out.push('\n');
            }
        }
        out
    }

    /// Returns text cut to what is left of a line after `used` columns.
    pub(crate) fn cut(self, text: &str, used: usize) -> String {
        let Some(width) = self.width else { return text.to_owned() };
        let room = width.saturating_sub(used).max(10);
        if columns(text) <= room {
            return text.to_owned();
        }
        let mut out = String::new();
        let mut taken = 1;
        for c in text.chars() {
            taken += c.width().unwrap_or(0);
            if taken > room {
                break;
            }
            out.push(c);
        }
        out.truncate(out.trim_end().len());
        out.push('…');
        out
    }
}

/// Returns how many columns a text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// Returns the text with blanks up to a width.
pub(crate) fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

fn wrapped(line: &str, room: Option<usize>) -> Vec<String> {
    let Some(room) = room.filter(|room| columns(line) > *room) else { return vec![line.to_owned()] };
    let indent: String = line.chars().take_while(|c| *c == ' ').collect();
    let mut lines = Vec::new();
    let mut current = indent.clone();
    for word in line.split_whitespace() {
        let blank = usize::from(!current.trim().is_empty());
        if blank == 1 && columns(&current) + 1 + columns(word) > room {
            lines.push(std::mem::replace(&mut current, indent.clone()));
        } else if blank == 1 {
            current.push(' ');
        }
        current.push_str(word);
    }
    lines.push(current);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_wrapped_at_blanks_and_keeps_its_own_lines() {
        let style = Style { width: Some(24), colour: false };
        let text = "one two three four five six\n\n  - indented seven eight nine";
        assert_eq!(
            style.paragraph(text, 2),
            "  one two three four\n  five six\n\n    - indented seven\n    eight nine\n"
        );
        assert_eq!(Style::PLAIN.paragraph("a b", 2), "  a b\n");
    }

    #[test]
    fn text_is_cut_to_the_width_in_columns() {
        let style = Style { width: Some(20), colour: false };
        assert_eq!(style.cut("short", 4), "short");
        assert_eq!(style.cut("a longer description", 4), "a longer descri…");
        assert_eq!(style.cut("日本語日本語日本語", 4), "日本語日本語日…");
        assert_eq!(padded("日本", 6), "日本  ");
    }

    #[test]
    fn colour_only_where_it_is_wanted() {
        assert_eq!(Style::PLAIN.heading("x"), "x");
        assert_eq!(Style { width: None, colour: true }.heading("x"), "\x1b[1mx\x1b[0m");
    }
}
