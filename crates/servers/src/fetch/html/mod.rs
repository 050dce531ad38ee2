//! Pages as Markdown: HTML is parsed as browsers do, reduced to its text and structure, and written as Markdown.

mod markdown;
mod parse;
mod simplify;
mod structure;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod tree;

pub(super) use parse::TooLarge;

/// Turns a page into Markdown: headings, paragraphs, lists, quotes, tables and preformatted text, without what surrounds them
/// (navigation, forms, scripts, media). Empty if nothing is left.
pub(super) fn markdown(html: &str, nodes: usize, depth: usize) -> Result<String, TooLarge> {
    let room = html.len().saturating_mul(32).saturating_add(64 * 1024 * 1024);
    markdown_within(html, nodes, depth, room)
}

/// The same, writing at most `room` bytes, each level of nesting counted.
fn markdown_within(html: &str, nodes: usize, depth: usize, room: usize) -> Result<String, TooLarge> {
    let page = parse::parse(html, nodes, depth)?;
    markdown::markdown(&simplify::simplified(page), room)
}
