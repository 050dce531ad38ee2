//! Writes the rows of tables as Markdown.

use super::markdown::Place;
use super::tree::Element;

/// The most columns that a cell may say it spans.
const MOST_COLUMNS: usize = 1000;
/// The widest line below a head.
const WIDEST: usize = 10_000;

pub(super) fn cell(element: &Element, text: &str) -> String {
    format!(" {}{}", text.trim().replace('\n', " "), " |".repeat(columns(element)))
}

/// Writes a row. The first one of a table is followed by a line, or preceded by an empty head if it is none itself.
pub(super) fn row(row: &Element, text: &str, place: &Place<'_>) -> String {
    let cells = row.descendants(&["td", "th"]);
    let width = cells.iter().fold(0_usize, |width, cell| width.saturating_add(columns(cell))).min(WIDEST);
    if !place.is_first() {
        return format!("|{text}\n");
    }
    let is_in = |name: &str| place.parent.is_some_and(|parent| parent.is(name));
    let is_only_head = is_in("thead") && place.parent.is_some_and(|head| head.descendants(&["tr"]).len() == 1);
    let line = |cell: &str| format!("| {} |\n", vec![cell; width].join(" | "));
    if is_only_head || cells.iter().all(|cell| cell.is("th")) {
        return format!("|{text}\n{}", line("---"));
    }
    if is_in("tbody") && place.surroundings.has_table_head && !place.surroundings.is_first_part {
        return format!("|{text}\n");
    }
    format!("{}{}|{text}\n", line(""), line("---"))
}

fn columns(cell: &Element) -> usize {
    let span =
        cell.attribute("colspan").filter(|span| !span.is_empty() && span.bytes().all(|byte| byte.is_ascii_digit()));
    span.map_or(1, |span| span.parse().unwrap_or(MOST_COLUMNS).clamp(1, MOST_COLUMNS))
}
