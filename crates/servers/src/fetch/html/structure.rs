//! What the names of elements mean.

/// What becomes of an element when a page is simplified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It goes, with what is in it: forms, media, scripts, navigation.
    Dropped,
    /// It stays: blocks, lists, tables.
    Kept,
    /// What is in it takes its place, between these texts.
    Unwrapped { before: &'static str, after: &'static str },
}

/// Elements that are read as part of the page's structure.
const BLOCKS: [&str; 34] = [
    "article",
    "aside",
    "blockquote",
    "caption",
    "colgroup",
    "col",
    "div",
    "dl",
    "dt",
    "dd",
    "figure",
    "figcaption",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "li",
    "main",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "tbody",
    "thead",
    "tfoot",
    "tr",
    "td",
    "th",
    "ul",
];

const DROPPED: [&str; 39] = [
    // Forms.
    "button", "datalist", "fieldset", "form", "input", "label", "legend", "meter", "optgroup", "option", "output",
    "progress", "select", "textarea", // Images and other media.
    "area", "img", "map", "picture", "source", "audio", "track", "video", "embed", "iframe", "math", "object", "param",
    "svg", // What opens or runs.
    "details", "dialog", "summary", "canvas", "noscript", "script", "template", // Data, style, navigation.
    "data", "link", "style", "nav",
];

pub(super) fn role(name: &str) -> Role {
    match name {
        "q" => Role::Unwrapped { before: "\"", after: "\"" },
        "sub" => Role::Unwrapped { before: "_", after: "" },
        "sup" => Role::Unwrapped { before: "^", after: "" },
        "html" | "head" | "body" | "title" | "meta" | "base" | "br" | "hr" => Role::Kept,
        _ if is_block(name) => Role::Kept,
        _ if DROPPED.contains(&name) => Role::Dropped,
        _ => Role::Unwrapped { before: "", after: "" },
    }
}

pub(super) fn is_block(name: &str) -> bool {
    BLOCKS.contains(&name)
}

/// The level of a heading.
pub(super) fn heading(name: &str) -> Option<usize> {
    let level = name.strip_prefix('h')?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}

/// Whether white space at the edges inside an element is not shown.
pub(super) fn trims_inside(name: &str) -> bool {
    let is_listed = matches!(
        name,
        "p" | "blockquote"
            | "article"
            | "div"
            | "section"
            | "ol"
            | "ul"
            | "li"
            | "dl"
            | "dt"
            | "dd"
            | "table"
            | "thead"
            | "tbody"
            | "tfoot"
            | "tr"
            | "td"
            | "th"
    );
    is_listed || heading(name).is_some()
}

/// Whether white space next to an element is not shown.
pub(super) fn trims_outside(name: &str) -> bool {
    trims_inside(name) || name == "pre"
}
