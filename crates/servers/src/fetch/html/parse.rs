//! Parses pages as browsers do, within limits.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{Attribute, ExpandedName, LocalName, ParseOpts, QualName, local_name, ns, parse_document};

use super::tree::{Element, Node};

/// How much is parsed between two looks at the limits. What a parser does for one tag grows with the depth of the page, so a page
/// must not grow much between two looks.
const CHUNK: usize = 4096;

/// A page that is too large, too deep or too laborious to convert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the page is too large or nested too deeply to be simplified; it can be read with raw")]
pub(in crate::fetch) struct TooLarge;

/// Parses a page of at most so many elements and texts, nested no deeper than `depth`.
pub(super) fn parse(html: &str, nodes: usize, depth: usize) -> Result<Element, TooLarge> {
    let mut options = ParseOpts::default();
    options.tree_builder.scripting_enabled = false;
    let sink = Sink::default();
    let limits = (sink.nodes.clone(), sink.deepest.clone());
    let mut parser = parse_document(sink, options);
    let mut rest = html;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(boundary(rest));
        parser.process(StrTendril::from(chunk));
        rest = after;
        if limits.0.borrow().len() > nodes || limits.1.get() > depth {
            return Err(TooLarge);
        }
    }
    parser.finish().into_tree(nodes, depth)
}

/// Where the first chunk of a text ends.
fn boundary(text: &str) -> usize {
    (CHUNK..text.len().min(CHUNK + 4)).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len().min(CHUNK))
}

/// A node while the page is parsed. Nodes know each other by their places in a vector.
#[derive(Debug)]
struct Parsed {
    content: Content,
    parent: Option<usize>,
    children: Vec<usize>,
    depth: usize,
}

#[derive(Debug)]
enum Content {
    Element(LocalName, Vec<Attribute>),
    Text(StrTendril),
    /// The document, or a comment.
    Other,
}

/// Builds the tree that the parser describes.
struct Sink {
    nodes: Rc<RefCell<Vec<Parsed>>>,
    deepest: Rc<Cell<usize>>,
}

/// What the parser calls a node by. It asks for names all the time, so they are at hand.
#[derive(Clone)]
struct Handle {
    place: usize,
    name: Rc<QualName>,
}

impl Default for Sink {
    fn default() -> Self {
        let document = Parsed { content: Content::Other, parent: None, children: Vec::new(), depth: 0 };
        Self { nodes: Rc::new(RefCell::new(vec![document])), deepest: Rc::default() }
    }
}

impl Sink {
    fn add(&self, content: Content) -> usize {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Parsed { content, parent: None, children: Vec::new(), depth: 0 });
        nodes.len().saturating_sub(1)
    }

    fn nameless(&self, content: Content) -> Handle {
        let name = QualName::new(None, ns!(), local_name!(""));
        Handle { place: self.add(content), name: Rc::new(name) }
    }

    /// Puts a child into a parent, before one of its children or at the end. Text joins the text before it.
    fn insert(&self, parent: usize, before: Option<usize>, child: NodeOrText<Handle>) {
        let index = match before {
            Some(sibling) => self.index(parent, sibling),
            None => self.nodes.borrow().get(parent).map_or(0, |parent| parent.children.len()),
        };
        let child = match child {
            NodeOrText::AppendNode(handle) => {
                self.detach(handle.place);
                handle.place
            }
            NodeOrText::AppendText(text) => {
                if self.join(parent, index, &text) {
                    return;
                }
                self.add(Content::Text(text))
            }
        };
        self.attach(parent, index, child);
    }

    /// Appends to the text before a place, if there is one.
    fn join(&self, parent: usize, index: usize, text: &StrTendril) -> bool {
        let mut nodes = self.nodes.borrow_mut();
        let before = index.checked_sub(1).and_then(|index| nodes.get(parent)?.children.get(index).copied());
        match before.and_then(|before| nodes.get_mut(before)).map(|node| &mut node.content) {
            Some(Content::Text(known)) => {
                known.push_tendril(text);
                true
            }
            _ => false,
        }
    }

    fn attach(&self, parent: usize, index: usize, child: usize) {
        let mut nodes = self.nodes.borrow_mut();
        let Some(above) = nodes.get_mut(parent) else { return };
        let depth = above.depth.saturating_add(1);
        let index = index.min(above.children.len());
        above.children.insert(index, child);
        if let Some(node) = nodes.get_mut(child) {
            node.parent = Some(parent);
            node.depth = depth;
        }
        self.deepest.set(self.deepest.get().max(depth));
    }

    fn detach(&self, child: usize) {
        let Some(parent) = self.nodes.borrow_mut().get_mut(child).and_then(|node| node.parent.take()) else { return };
        let index = self.index(parent, child);
        if let Some(parent) = self.nodes.borrow_mut().get_mut(parent)
            && parent.children.get(index) == Some(&child)
        {
            parent.children.remove(index);
        }
    }

    /// Where a child stands in its parent. The parser mostly asks for the last ones.
    fn index(&self, parent: usize, child: usize) -> usize {
        let nodes = self.nodes.borrow();
        let children = nodes.get(parent).map(|parent| parent.children.as_slice()).unwrap_or_default();
        children.iter().rposition(|known| *known == child).unwrap_or(children.len())
    }

    fn parent(&self, node: usize) -> Option<usize> {
        self.nodes.borrow().get(node).and_then(|node| node.parent)
    }

    fn into_tree(self, nodes: usize, depth: usize) -> Result<Element, TooLarge> {
        let mut parsed = self.nodes.borrow_mut();
        // Nodes that were moved with their children are deeper than they were noted.
        if parsed.len() > nodes || is_deeper(&parsed, depth) {
            return Err(TooLarge);
        }
        let children = taken(&mut parsed, 0);
        Ok(Element::new("[document]", children))
    }
}

fn is_deeper(nodes: &[Parsed], depth: usize) -> bool {
    let mut level = vec![0];
    for _ in 0..=depth {
        level = level.iter().filter_map(|place| nodes.get(*place)).flat_map(|node| node.children.clone()).collect();
        if level.is_empty() {
            return false;
        }
    }
    true
}

fn taken(nodes: &mut [Parsed], place: usize) -> Vec<Node> {
    let places = nodes.get_mut(place).map(|node| std::mem::take(&mut node.children)).unwrap_or_default();
    let mut children = Vec::with_capacity(places.len());
    for place in places {
        let content = nodes.get_mut(place).map(|node| std::mem::replace(&mut node.content, Content::Other));
        match content {
            Some(Content::Element(name, attributes)) => {
                let attributes = attributes.into_iter().map(|kept| (kept.name.local, kept.value.to_string())).collect();
                children.push(Node::Element(Element { name, attributes, children: taken(nodes, place) }));
            }
            Some(Content::Text(text)) => children.push(Node::Text(text.to_string())),
            Some(Content::Other) | None => {}
        }
    }
    children
}

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = Self;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Handle { place: 0, name: Rc::new(QualName::new(None, ns!(), local_name!(""))) }
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        target.name.expanded()
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _: ElementFlags) -> Handle {
        let place = self.add(Content::Element(name.local.clone(), attributes));
        Handle { place, name: Rc::new(name) }
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        self.nameless(Content::Other)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.nameless(Content::Other)
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.insert(parent.place, None, child);
    }

    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        match self.parent(element.place) {
            Some(parent) => self.insert(parent, Some(element.place), child),
            None => self.insert(previous.place, None, child),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    /// What is in a template is part of it, so that it goes with it.
    fn get_template_contents(&self, target: &Handle) -> Handle {
        target.clone()
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.place == y.place
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        if let Some(parent) = self.parent(sibling.place) {
            self.insert(parent, Some(sibling.place), child);
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, attributes: Vec<Attribute>) {
        if let Some(Content::Element(_, known)) =
            self.nodes.borrow_mut().get_mut(target.place).map(|node| &mut node.content)
        {
            let missing = attributes.into_iter().filter(|new| known.iter().all(|known| known.name != new.name));
            let missing: Vec<_> = missing.collect();
            known.extend(missing);
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.detach(target.place);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let moved = match self.nodes.borrow_mut().get_mut(node.place) {
            Some(node) => std::mem::take(&mut node.children),
            None => return,
        };
        for child in moved {
            let end = self.nodes.borrow().get(new_parent.place).map_or(0, |parent| parent.children.len());
            self.attach(new_parent.place, end, child);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(element: &Element) -> String {
        let inner: Vec<_> = element
            .children
            .iter()
            .map(|child| match child {
                Node::Element(element) => outline(element),
                Node::Text(text) => format!("{text:?}"),
            })
            .collect();
        format!("{}({})", element.name, inner.join(" "))
    }

    #[track_caller]
    fn check(html: &str, wanted: &str) {
        let page = parse(html, 1000, 100).unwrap();
        assert_eq!(outline(&page), format!("[document](html(head() body({wanted})))"), "{html}");
    }

    /// What a parser must repair: each of these goes another way through the tree.
    #[test]
    fn pages_are_read_as_browsers_read_them() {
        check("<p>a<p>b", r#"p("a") p("b")"#);
        check("<!-- x --><p>a<!-- y -->b", r#"p("a" "b")"#);
        check("a<b>b<i>c</b>d</i>e", r#""a" b("b" i("c")) i("d") "e""#);
        check("<table>a<tr>b<td>c</table>", r#""ab" table(tbody(tr(td("c"))))"#);
        check("<p>1<b>2<p>3</b>4", r#"p("1" b("2")) p(b("3") "4")"#);
        check("<b>1<p>2</b>3</p>", r#"b("1") p(b("2") "3")"#);
        check("<div><noscript><p>x</p></noscript>", r#"div(noscript(p("x")))"#);
        check("<div><template><p>x</p></template></div>", r#"div(template(p("x")))"#);
        check("<svg><path/></svg>x&amp;y&nbsp;", "svg(path()) \"x&y\\u{a0}\"");
    }

    /// A recursive parser overflows its stack with this.
    #[test]
    fn a_page_of_endless_nesting_is_refused_early() {
        for tag in ["<div>", "<b>", "<a href=x><b id=1>", "<table><tr><td>", "<blockquote><ul><li>", "<x>"] {
            assert_eq!(parse(&tag.repeat(200_000), 10_000_000, 512), Err(TooLarge), "{tag}");
        }
        assert!(parse(&"<div>".repeat(500), 1000, 512).is_ok());
    }

    /// Each paragraph opens all the formatting before it again, so that the tree grows with the square of the page.
    #[test]
    fn a_page_that_multiplies_itself_is_refused_early() {
        let formats: String = (0..400).map(|id| format!("<p><b id={id}>x")).collect();
        assert_eq!(parse(&format!("{formats}{}", "<p>x".repeat(10_000)), 50_000, 512), Err(TooLarge));
        assert_eq!(parse(&"<br>".repeat(1001), 1000, 512), Err(TooLarge));
    }

    #[test]
    fn chunks_end_between_characters() {
        let text = format!("<p>{}", "ż🦀漢".repeat(3000));
        let page = parse(&text, 1000, 100).unwrap();
        assert!(outline(&page).contains(text.strip_prefix("<p>").unwrap()));
    }
}
