//! Writes a simplified page as Markdown.

use super::parse::TooLarge;
use super::structure::{heading, trims_inside, trims_outside};
use super::table;
use super::tree::{Element, Node};

/// Writes a page as Markdown. `room` bounds the bytes that are written, each level of nesting counted: text is indented again at every
/// level, so that a small page could become a very large one.
pub(super) fn markdown(page: &Element, room: usize) -> Result<String, TooLarge> {
    let mut writer = Writer { room };
    let place = Place { parent: None, index: 0, items_before: 0, surroundings: Surroundings::default() };
    let text = writer.element(page, &place)?;
    Ok(text.trim_matches('\n').to_owned())
}

/// Where an element stands.
pub(super) struct Place<'a> {
    pub(super) parent: Option<&'a Element>,
    /// Among the children of its parent.
    index: usize,
    /// How many items of a list stand before it in its parent.
    items_before: usize,
    pub(super) surroundings: Surroundings,
}

/// What an element stands in, at whatever distance.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Surroundings {
    /// A heading or the cell of a table: everything stays on one line.
    is_inline: bool,
    is_preformatted: bool,
    is_item: bool,
    bullet_lists: usize,
    /// A table that has a head.
    pub(super) has_table_head: bool,
    /// The first part of a table.
    pub(super) is_first_part: bool,
}

impl Surroundings {
    fn inside(self, element: &Element, place: &Place<'_>) -> Self {
        let name = &*element.name;
        let is_table = name == "table";
        Self {
            is_inline: self.is_inline || heading(name).is_some() || matches!(name, "td" | "th"),
            is_preformatted: self.is_preformatted || name == "pre",
            is_item: self.is_item || name == "li",
            bullet_lists: self.bullet_lists.saturating_add(usize::from(name == "ul")),
            // Looked up once: a table may have very many rows.
            has_table_head: if is_table { !element.descendants(&["thead"]).is_empty() } else { self.has_table_head },
            is_first_part: place.is_first(),
        }
    }
}

impl Place<'_> {
    /// Whether it is the first element of its parent.
    pub(super) fn is_first(&self) -> bool {
        let before = self.parent.and_then(|parent| parent.children.get(..self.index)).unwrap_or_default();
        before.iter().rev().all(|node| node.as_element().is_none())
    }

    /// What follows: an element, or text that is not blank.
    fn next(&self) -> Option<&Node> {
        let after = self.parent?.children.get(self.index.saturating_add(1)..)?;
        after.iter().find(|node| !matches!(node, Node::Text(text) if text.trim().is_empty()))
    }
}

struct Writer {
    room: usize,
}

impl Writer {
    fn element(&mut self, element: &Element, place: &Place<'_>) -> Result<String, TooLarge> {
        let surroundings = place.surroundings.inside(element, place);
        let mut items_before: usize = 0;
        let mut joined = Joined::default();
        for (index, child) in element.children.iter().enumerate() {
            let text = match child {
                Node::Text(text) => inline_text(element, index, text, surroundings),
                Node::Element(child) => {
                    let place = Place { parent: Some(element), index, items_before, surroundings };
                    items_before = items_before.saturating_add(usize::from(child.is("li")));
                    self.element(child, &place)?
                }
            };
            if surroundings.is_preformatted { joined.text.push_str(&text) } else { joined.push(&text) }
        }
        let text = block(element, joined.finish(), place);
        self.room = self.room.checked_sub(text.len()).ok_or(TooLarge)?;
        Ok(text)
    }
}

/// The texts of children. Where one ends and the next begins with newlines, the larger number counts, and two at most.
#[derive(Default)]
struct Joined {
    text: String,
    newlines: usize,
}

impl Joined {
    fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let content = text.trim_start_matches('\n');
        let leading = text.len().saturating_sub(content.len());
        let trimmed = content.trim_end_matches('\n');
        if self.newlines > 0 && leading > 0 {
            self.newline(self.newlines.max(leading).min(2));
        } else {
            self.newline(self.newlines);
            self.newline(leading);
        }
        self.text.push_str(trimmed);
        self.newlines = content.len().saturating_sub(trimmed.len());
    }

    fn newline(&mut self, count: usize) {
        self.text.extend(std::iter::repeat_n('\n', count));
    }

    fn finish(mut self) -> String {
        self.newline(self.newlines);
        self.text
    }
}

/// Writes a text, escaping what Markdown would read as emphasis.
fn inline_text(parent: &Element, index: usize, text: &str, surroundings: Surroundings) -> String {
    let sibling = |index: Option<usize>| index.and_then(|index| parent.children.get(index));
    let (previous, next) = (sibling(index.checked_sub(1)), sibling(index.checked_add(1)));
    let trims = |sibling: Option<&Node>| match sibling {
        None => trims_inside(&parent.name),
        Some(Node::Element(sibling)) => trims_outside(&sibling.name),
        Some(Node::Text(_)) => false,
    };
    let (trims_start, trims_end) = (trims(previous), trims(next));
    if text.trim().is_empty() && (trims_start || trims_end) {
        return String::new();
    }
    let mut written =
        if surroundings.is_preformatted { text.to_owned() } else { text.replace('*', "\\*").replace('_', "\\_") };
    if trims_start {
        written = written.trim_start_matches([' ', '\t', '\r', '\n']).to_owned();
    }
    if trims_end {
        written.truncate(written.trim_end().len());
    }
    written
}

/// Gives the contents of an element its form.
fn block(element: &Element, text: String, place: &Place<'_>) -> String {
    let is_inline = place.surroundings.is_inline;
    match &*element.name {
        "p" | "div" | "article" | "section" | "dl" => apart(&text, is_inline),
        "blockquote" => quote(text.trim(), is_inline),
        "ul" | "ol" => list(&text, place),
        "li" => item(text.trim(), place),
        "dt" => term(text.trim(), is_inline),
        "dd" => definition(text.trim(), is_inline),
        "pre" => preformatted(&text),
        "table" => format!("\n\n{}\n\n", text.trim()),
        "caption" => format!("{}\n\n", text.trim()),
        "figcaption" => format!("\n\n{}\n\n", text.trim()),
        "tr" => table::row(element, &text, place),
        "td" | "th" => table::cell(element, &text),
        name => match heading(name) {
            Some(_) if is_inline => text,
            Some(level) => format!("\n\n{} {}\n\n", "#".repeat(level), on_one_line(text.trim())),
            None => text,
        },
    }
}

fn apart(text: &str, is_inline: bool) -> String {
    match text.trim() {
        text if is_inline => format!(" {text} "),
        "" => String::new(),
        text => format!("\n\n{text}\n\n"),
    }
}

fn quote(text: &str, is_inline: bool) -> String {
    match text {
        text if is_inline => format!(" {text} "),
        "" => "\n".to_owned(),
        text => format!("\n{}\n\n", indented(text, "> ", ">")),
    }
}

fn list(text: &str, place: &Place<'_>) -> String {
    if place.surroundings.is_item {
        return format!("\n{}", text.trim_end());
    }
    let is_followed_by_list = |next: &Node| next.as_element().is_some_and(|next| next.is("ul") || next.is("ol"));
    let end = if place.next().is_some_and(|next| !is_followed_by_list(next)) { "\n" } else { "" };
    format!("\n\n{text}{end}")
}

fn item(text: &str, place: &Place<'_>) -> String {
    if text.is_empty() {
        return "\n".to_owned();
    }
    let bullet = match place.parent.filter(|parent| parent.is("ol")) {
        Some(list) => {
            let start = list.attribute("start").filter(|start| start.bytes().all(|byte| byte.is_ascii_digit()));
            let start: usize = start.and_then(|start| start.parse().ok()).unwrap_or(1);
            format!("{}. ", start.saturating_add(place.items_before))
        }
        // The bullets take turns with the depth; one without a list has the last of them.
        None => match place.surroundings.bullet_lists % 3 {
            1 => "* ".to_owned(),
            2 => "+ ".to_owned(),
            _ => "- ".to_owned(),
        },
    };
    let indented = indented(text, &" ".repeat(bullet.len()), "");
    format!("{bullet}{}\n", indented.get(bullet.len()..).unwrap_or_default())
}

fn term(text: &str, is_inline: bool) -> String {
    match on_one_line(text) {
        text if is_inline => format!(" {text} "),
        text if text.is_empty() => "\n".to_owned(),
        text => format!("\n\n{text}\n"),
    }
}

fn definition(text: &str, is_inline: bool) -> String {
    match text {
        text if is_inline => format!(" {text} "),
        "" => "\n".to_owned(),
        text => format!(":{}\n", indented(text, "    ", "").get(1..).unwrap_or_default()),
    }
}

fn preformatted(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    // The fence is longer than any in the text, so that the text cannot end it.
    let longest = text.split(|character: char| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.saturating_add(1).max(3));
    format!("\n\n{fence}\n{}\n{fence}\n\n", text.trim_matches(['\n', ' ']))
}

fn indented(text: &str, indent: &str, blank: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            result.push('\n');
        }
        result.push_str(if line.is_empty() { blank } else { indent });
        result.push_str(line);
    }
    result
}

fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for (index, word) in text.split([' ', '\t', '\r', '\n']).filter(|word| !word.is_empty()).enumerate() {
        if index > 0 {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}
