//! The tree of a page.

use html5ever::LocalName;

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Element(Element),
    Text(String),
}

/// An element with what is in it. Comments and processing instructions are not part of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) name: LocalName,
    pub(super) attributes: Vec<(LocalName, String)>,
    pub(super) children: Vec<Node>,
}

impl Element {
    pub(super) fn new(name: &str, children: Vec<Node>) -> Self {
        Self { name: name.into(), attributes: Vec::new(), children }
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| &**known == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn is(&self, name: &str) -> bool {
        &*self.name == name
    }

    pub(super) fn elements(&self) -> impl Iterator<Item = &Element> {
        self.children.iter().filter_map(Node::as_element)
    }

    /// The elements below this one that have one of the names, in their order.
    pub(super) fn descendants<'a>(&'a self, names: &[&str]) -> Vec<&'a Element> {
        let mut found = Vec::new();
        for element in self.elements() {
            if names.contains(&&*element.name) {
                found.push(element);
            }
            found.extend(element.descendants(names));
        }
        found
    }
}

impl Node {
    pub(super) fn as_element(&self) -> Option<&Element> {
        match self {
            Self::Element(element) => Some(element),
            Self::Text(_) => None,
        }
    }
}

impl From<Element> for Node {
    fn from(element: Element) -> Self {
        Self::Element(element)
    }
}
