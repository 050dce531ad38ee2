//! One component of a pattern, as a tree.

use super::class::Class;

/// A piece of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Char(char),
    /// `?`
    Any,
    /// `*`
    Star,
    Class(Class),
    /// `@(a|b)` and its kin.
    Group(GroupKind, Vec<Vec<Node>>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupKind {
    /// `@`: one of them.
    One,
    /// `?`: one of them, or none.
    Optional,
    /// `*`: any number of them.
    Any,
    /// `+`: at least one of them.
    Several,
    /// `!`: anything but one of them.
    Not,
}

/// How deep groups may be nested; what is deeper stands for itself.
const DEEPEST: usize = 16;

/// Reads a component. Every text is a pattern: what is not closed stands for itself.
pub(super) fn parsed(pattern: &str) -> Vec<Node> {
    let chars: Vec<char> = pattern.chars().collect();
    Parser { chars: &chars, at: 0 }.top()
}

struct Parser<'a> {
    chars: &'a [char],
    at: usize,
}

impl Parser<'_> {
    fn top(mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        let mut groups = true;
        while self.at < self.chars.len() {
            if groups && let Some(kind) = self.group_kind() {
                let start = self.at;
                if let Some(alternatives) = self.group(0) {
                    nodes.push(Node::Group(kind, alternatives));
                    continue;
                }
                // It is not closed: from here on there are no groups.
                self.at = start;
                groups = false;
            }
            // After a bracket that is not closed there are none either.
            groups &= self.chars[self.at] != '[' || Class::parse(self.chars, self.at).is_some();
            self.plain(&mut nodes);
        }
        nodes
    }

    /// Returns what kind of group begins here.
    fn group_kind(&self) -> Option<GroupKind> {
        let kind = match self.chars[self.at] {
            '@' => GroupKind::One,
            '?' => GroupKind::Optional,
            '*' => GroupKind::Any,
            '+' => GroupKind::Several,
            '!' => GroupKind::Not,
            _ => return None,
        };
        (self.chars.get(self.at + 1) == Some(&'(')).then_some(kind)
    }

    /// Reads a group up to its closing parenthesis; nothing if there is none.
    fn group(&mut self, depth: usize) -> Option<Vec<Vec<Node>>> {
        self.at += 2;
        let mut alternatives = Vec::new();
        let mut nodes = Vec::new();
        loop {
            match *self.chars.get(self.at)? {
                '|' => alternatives.push(std::mem::take(&mut nodes)),
                ')' => {
                    self.at += 1;
                    alternatives.push(nodes);
                    return Some(alternatives);
                }
                '[' if Class::parse(self.chars, self.at).is_none() => return None,
                _ => {
                    match self.group_kind().filter(|_| depth < DEEPEST) {
                        Some(kind) => nodes.push(Node::Group(kind, self.group(depth + 1)?)),
                        None => self.plain(&mut nodes),
                    }
                    continue;
                }
            }
            self.at += 1;
        }
    }

    /// Reads anything but a group.
    fn plain(&mut self, nodes: &mut Vec<Node>) {
        let c = self.chars[self.at];
        self.at += 1;
        match c {
            '*' => {
                // Several are one.
                if nodes.last() != Some(&Node::Star) {
                    nodes.push(Node::Star);
                }
            }
            '?' => nodes.push(Node::Any),
            '[' => match Class::parse(self.chars, self.at - 1) {
                Some((class, end)) => {
                    nodes.push(Node::Class(class));
                    self.at = end;
                }
                None => nodes.push(Node::Char('[')),
            },
            '\\' => {
                // At the end it stands for itself.
                let escaped = self.chars.get(self.at).copied();
                self.at += usize::from(escaped.is_some());
                nodes.push(Node::Char(escaped.unwrap_or('\\')));
            }
            c => nodes.push(Node::Char(c)),
        }
    }
}
