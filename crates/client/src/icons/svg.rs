//! Whether a vector image is only an image.

use roxmltree::{Document, Node, ParsingOptions};

use super::BadIcon;

/// The most elements and texts of a vector image.
const NODES: u32 = 20_000;

const SVG: &str = "http://www.w3.org/2000/svg";

/// Elements that run something, or bring in what is not SVG.
const ACTIVE: &[&str] =
    &["script", "foreignObject", "iframe", "object", "embed", "audio", "video", "handler", "listener"];

/// Checks that bytes are a vector image which runs nothing and fetches nothing.
///
/// It is an additional wall: whoever draws it should draw it as an image, where nothing of it runs anyway.
pub(super) fn check(bytes: &[u8]) -> Result<(), BadIcon> {
    let text = std::str::from_utf8(bytes).map_err(|_| BadIcon::Unknown)?;
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if !text.starts_with('<') {
        return Err(BadIcon::Unknown);
    }
    // A document type could define entities, that is, text which is not there.
    let options = ParsingOptions { allow_dtd: false, nodes_limit: NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| match error {
        roxmltree::Error::DtdDetected => BadIcon::Active("a document type"),
        roxmltree::Error::NodesLimitReached => BadIcon::TooLarge("elements"),
        _ => BadIcon::Unknown,
    })?;
    if !document.root_element().has_tag_name((SVG, "svg")) {
        return Err(BadIcon::Unknown);
    }
    document.descendants().try_for_each(is_still)
}

fn is_still(node: Node<'_, '_>) -> Result<(), BadIcon> {
    if node.is_pi() {
        return Err(BadIcon::Active("a processing instruction"));
    }
    if !node.is_element() {
        return Ok(());
    }
    let name = node.tag_name().name();
    if ACTIVE.iter().any(|active| name.eq_ignore_ascii_case(active)) {
        return Err(BadIcon::Active("an element that runs something"));
    }
    if name.eq_ignore_ascii_case("style") && node.children().filter_map(|child| child.text()).any(fetches) {
        return Err(BadIcon::Active("a style that fetches something"));
    }
    for attribute in node.attributes() {
        let (name, value) = (attribute.name(), attribute.value().trim());
        if name.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("on")) {
            return Err(BadIcon::Active("an attribute that runs something"));
        }
        let is_reference = name.eq_ignore_ascii_case("href") || name.eq_ignore_ascii_case("src");
        if is_reference && !value.starts_with('#') && !is_embedded(value) {
            return Err(BadIcon::Active("a reference to something else"));
        }
        // An animation can set a reference later.
        let is_animated = ["to", "from", "values", "by"].contains(&name) && value.contains(':') && !is_embedded(value);
        if is_animated || fetches(value) {
            return Err(BadIcon::Active("an attribute that fetches something"));
        }
    }
    Ok(())
}

/// Pictures within the picture; another vector image could have all that was just refused.
fn is_embedded(value: &str) -> bool {
    ["data:image/png", "data:image/jpeg", "data:image/webp"]
        .iter()
        .any(|start| value.get(..start.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(start)))
}

/// Whether a style names something outside of the image. Escapes could hide it, so they count too.
fn fetches(style: &str) -> bool {
    let style = style.to_ascii_lowercase();
    let outside = |rest: &str| !rest.trim_start().trim_start_matches(['"', '\'']).starts_with('#');
    style.contains("@import") || style.contains('\\') || style.split("url(").skip(1).any(outside)
}
