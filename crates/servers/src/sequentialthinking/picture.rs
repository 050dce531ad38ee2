//! A thought as it is drawn on standard error.

use super::history::Thought;

/// Draws a thought in a box.
pub(super) fn picture(thought: &Thought) -> String {
    let known = |number: Option<u64>| number.map_or_else(|| "undefined".to_owned(), |number| number.to_string());
    let (kind, context) = if thought.is_revision {
        ("🔄 Revision", format!(" (revising thought {})", known(thought.revises)))
    } else if thought.branch_from.is_some() {
        let branch = thought.branch.as_deref().map_or_else(|| "undefined".to_owned(), visible);
        ("🌿 Branch", format!(" (from thought {}, ID: {branch})", known(thought.branch_from)))
    } else {
        ("💭 Thought", String::new())
    };
    let header = format!("{kind} {}/{}{context}", thought.number, thought.total);
    let text = visible(&thought.text);
    let width = length(&header).max(length(&text)) + 4;
    let border = "─".repeat(width);
    let padding = " ".repeat((width - 2).saturating_sub(length(&text)));
    format!("\n┌{border}┐\n│ {header} │\n├{border}┤\n│ {text}{padding} │\n└{border}┘")
}

/// The original measures in UTF-16.
fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Replaces what would control a terminal; lines and tabs stay.
fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thought_is_drawn_in_a_box_and_controls_no_terminal() {
        let thought = Thought { text: "a\u{1b}[2J".to_owned(), number: 1, total: 3, ..Thought::default() };
        let drawn = "
┌──────────────────┐
│ 💭 Thought 1/3 │
├──────────────────┤
│ a\u{fffd}[2J            │
└──────────────────┘";
        assert_eq!(picture(&thought), drawn);
        let revision = Thought { is_revision: true, revises: Some(2), ..thought.clone() };
        assert!(picture(&revision).contains("🔄 Revision 1/3 (revising thought 2)"));
        let branch = Thought { branch_from: Some(1), branch: Some("x".to_owned()), ..thought };
        assert!(picture(&branch).contains("🌿 Branch 1/3 (from thought 1, ID: x)"));
    }
}
