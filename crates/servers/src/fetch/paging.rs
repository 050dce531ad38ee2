//! Which part of a long content a call gets.

/// Returns the part of `content` that begins at `start`, with at most `length` characters, and says how to get the rest.
pub(super) fn part(content: &str, start: usize, length: usize) -> String {
    let Some(rest) = skipped(content, start).filter(|rest| !rest.is_empty()) else {
        return "<error>No more content available.</error>".to_owned();
    };
    match skipped(rest, length).filter(|after| !after.is_empty()) {
        None => rest.to_owned(),
        Some(after) => {
            let shown = rest.strip_suffix(after).unwrap_or(rest);
            let next = start.saturating_add(length);
            format!(
                "{shown}\n\n<error>Content truncated. Call the fetch tool with a start_index of {next} to get more content.</error>"
            )
        }
    }
}

/// Returns what follows so many characters; none if there are fewer.
fn skipped(text: &str, characters: usize) -> Option<&str> {
    if text.is_ascii() {
        return text.get(characters..);
    }
    match text.char_indices().nth(characters) {
        Some((at, _)) => text.get(at..),
        None => (text.chars().count() == characters).then_some(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: &str = "<error>No more content available.</error>";

    fn more(start: usize) -> String {
        format!(
            "\n\n<error>Content truncated. Call the fetch tool with a start_index of {start} to get more content.</error>"
        )
    }

    #[test]
    fn characters_are_counted_not_bytes() {
        for text in ["abcdef", "żółć🦀漢"] {
            let character = |index: usize| text.chars().nth(index).unwrap();
            assert_eq!(part(text, 0, 6), text);
            assert_eq!(part(text, 0, 7), text);
            assert_eq!(part(text, 0, 1), format!("{}{}", character(0), more(1)));
            assert_eq!(part(text, 4, 1), format!("{}{}", character(4), more(5)));
            assert_eq!(part(text, 5, 1), character(5).to_string());
            assert_eq!(part(text, 6, 1), END);
            assert_eq!(part(text, usize::MAX, 1), END);
        }
        assert_eq!(part("", 0, 5), END);
    }
}
