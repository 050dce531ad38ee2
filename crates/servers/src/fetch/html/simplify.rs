//! Reduces a page to its text and structure: what it says, not how it looks or works.

use super::structure::{Role, is_block, role};
use super::text::{is_blank, normalized};
use super::tree::{Element, Node};

/// Elements that end a paragraph. A parser leaves one inside only where old pages want it.
const ENDS_PARAGRAPH: [&str; 21] = [
    "article",
    "aside",
    "blockquote",
    "dd",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "header",
    "hr",
    "li",
    "main",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "tfoot",
    "ul",
];

/// Returns what a page says, in one `div`: blocks, lists and tables with normalized text, and nothing that is empty.
pub(super) fn simplified(page: Element) -> Element {
    let mut nodes = Vec::new();
    flatten(page.children, &mut nodes);
    nodes.retain(is_visible);
    let nodes = with_paragraph_breaks("[document]", unnested(nodes)).nodes;
    let nodes = pruned(wrapped("[document]", nodes));
    let mut nodes = outermost(nodes);
    match nodes.as_mut_slice() {
        [Node::Element(only)] if only.is("div") => std::mem::replace(only, Element::new("div", Vec::new())),
        _ => Element::new("div", nodes),
    }
}

/// Drops what is not read, and puts the contents of inline elements in their place.
fn flatten(nodes: Vec<Node>, into: &mut Vec<Node>) {
    for node in nodes {
        let mut element = match node {
            Node::Text(text) => {
                push_text(into, &text);
                continue;
            }
            Node::Element(element) => element,
        };
        match role(&element.name) {
            Role::Dropped => {}
            Role::Kept => {
                let mut children = Vec::new();
                flatten(std::mem::take(&mut element.children), &mut children);
                children.retain(is_visible);
                element.children = children;
                into.push(element.into());
            }
            Role::Unwrapped { before, after } => {
                push_text(into, before);
                flatten(element.children, into);
                push_text(into, after);
            }
        }
    }
}

fn push_text(into: &mut Vec<Node>, text: &str) {
    match into.last_mut() {
        _ if text.is_empty() => {}
        Some(Node::Text(before)) => before.push_str(text),
        _ => into.push(Node::Text(text.to_owned())),
    }
}

fn is_visible(node: &Node) -> bool {
    !matches!(node, Node::Text(text) if is_blank(text))
}

/// Takes blocks out of paragraphs, which end before and go on after them.
fn unnested(nodes: Vec<Node>) -> Vec<Node> {
    let mut result = Vec::with_capacity(nodes.len());
    for node in nodes {
        let mut element = match node {
            Node::Text(_) => {
                result.push(node);
                continue;
            }
            Node::Element(element) => element,
        };
        let children = unnested(std::mem::take(&mut element.children));
        let ends = |node: &Node| node.as_element().is_some_and(|inner| ENDS_PARAGRAPH.contains(&&*inner.name));
        if !element.is("p") || !children.iter().any(ends) {
            element.children = children;
            result.push(element.into());
            continue;
        }
        let mut paragraph = Vec::new();
        for child in children {
            if ends(&child) {
                result.push(Element::new("p", std::mem::take(&mut paragraph)).into());
                result.push(child);
            } else {
                paragraph.push(child);
            }
        }
        result.push(Element::new("p", paragraph).into());
    }
    result
}

/// The contents of an element, and the paragraphs that follow it because it was broken.
struct Broken {
    nodes: Vec<Node>,
    following: Vec<Node>,
}

/// Text between two elements, in which there may be breaks.
#[derive(Default)]
struct Run {
    fragments: Vec<String>,
    is_open: bool,
}

impl Run {
    fn push(&mut self, text: &str) {
        match self.fragments.last_mut().filter(|_| self.is_open) {
            Some(fragment) => fragment.push_str(text),
            None => self.fragments.push(text.to_owned()),
        }
        self.is_open = true;
    }

    fn end_paragraph(&mut self) {
        if !self.is_open {
            self.fragments.push(String::new());
        }
        self.fragments.push(String::new());
        self.is_open = true;
    }

    /// Hands out the fragments: into the element, or as paragraphs after a paragraph.
    fn finish(&mut self, is_paragraph: bool, broken: &mut Broken) {
        let fragments = std::mem::take(&mut self.fragments);
        self.is_open = false;
        let is_whole = fragments.len() == 1;
        for (index, fragment) in fragments.into_iter().enumerate() {
            let text = Node::Text(if is_whole { fragment } else { fragment.trim().to_owned() });
            if is_paragraph && index > 0 {
                broken.following.push(Element::new("p", vec![text]).into());
            } else {
                broken.nodes.push(text);
            }
        }
    }
}

/// Turns single line breaks into blanks, and several of them, or a rule, into the end of a paragraph.
fn with_paragraph_breaks(parent: &str, nodes: Vec<Node>) -> Broken {
    let mut broken = Broken { nodes: Vec::with_capacity(nodes.len()), following: Vec::new() };
    let mut run = Run::default();
    let is_paragraph = parent == "p";
    let mut nodes = nodes.into_iter().peekable();
    while let Some(node) = nodes.next() {
        match node {
            Node::Text(text) => run.push(&text),
            Node::Element(rule) if rule.is("hr") => run.end_paragraph(),
            Node::Element(first) if first.is("br") => {
                let mut breaks = 1;
                while nodes.next_if(|next| next.as_element().is_some_and(|next| next.is("br"))).is_some() {
                    breaks += 1;
                }
                if breaks == 1 { run.push(" ") } else { run.end_paragraph() }
            }
            Node::Element(mut element) => {
                run.finish(is_paragraph, &mut broken);
                let inner = with_paragraph_breaks(&element.name, std::mem::take(&mut element.children));
                element.children = inner.nodes;
                broken.nodes.push(element.into());
                broken.nodes.extend(inner.following);
            }
        }
    }
    run.finish(is_paragraph, &mut broken);
    broken
}

/// Makes a paragraph of each text that is not alone in a block.
fn wrapped(parent: &str, nodes: Vec<Node>) -> Vec<Node> {
    let is_alone = nodes.len() == 1 && is_block(parent);
    let wrap = |node| match node {
        Node::Text(text) if is_alone => Node::Text(normalized(&text)),
        Node::Text(text) => Element::new("p", vec![Node::Text(normalized(&text))]).into(),
        Node::Element(mut element) => {
            element.children = wrapped(&element.name, std::mem::take(&mut element.children));
            element.into()
        }
    };
    nodes.into_iter().map(wrap).collect()
}

/// Drops empty texts, and elements in which nothing is left.
fn pruned(nodes: Vec<Node>) -> Vec<Node> {
    let prune = |node| match node {
        Node::Text(text) => (!text.is_empty()).then_some(Node::Text(text)),
        Node::Element(mut element) => {
            element.children = pruned(std::mem::take(&mut element.children));
            (!element.children.is_empty()).then(|| element.into())
        }
    };
    nodes.into_iter().filter_map(prune).collect()
}

/// Opens the elements that every page consists of, as long as one of them comes first.
fn outermost(mut nodes: Vec<Node>) -> Vec<Node> {
    loop {
        match nodes.first_mut() {
            Some(Node::Element(first)) if matches!(&*first.name, "html" | "head" | "body") => {
                let inner = std::mem::take(&mut first.children);
                nodes.splice(..1, inner);
            }
            _ => return nodes,
        }
    }
}
