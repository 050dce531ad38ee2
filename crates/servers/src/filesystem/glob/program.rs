//! A component as states of an automaton, evaluated from the end of a name to its beginning.
//!
//! For every position the row says from which states the rest of the name matches. That is one pass whatever the pattern repeats, and
//! `!(…)`, which asks whether the rest does *not* match, finds its answer in the row.

use super::class::Class;
use super::parse::{GroupKind, Node};

/// The most states of a component.
const MOST_STATES: usize = 10_000;

/// The most negations in a component: each is a pass of its own.
const MOST_NEGATIONS: usize = 16;

#[derive(Clone, Debug)]
pub(super) struct Program {
    states: Vec<State>,
    start: usize,
    /// States that use no character, in the order in which they can be decided: a negation after all that it asks for.
    layers: Vec<Vec<usize>>,
}

#[derive(Clone, Debug)]
enum State {
    /// The name ends here.
    End,
    /// One character, then another state.
    One(Wanted, usize),
    /// One of several states.
    Either(Vec<usize>),
    /// The second state, unless the rest matches from the first.
    Unless(usize, usize),
}

#[derive(Clone, Debug)]
enum Wanted {
    Char(char),
    Any,
    Class(Class),
}

impl Wanted {
    fn is(&self, c: char) -> bool {
        match self {
            Self::Char(wanted) => *wanted == c,
            Self::Any => true,
            Self::Class(class) => class.contains(c),
        }
    }
}

impl Program {
    pub(super) fn new(nodes: &[Node]) -> Result<Self, String> {
        let negations = negations(nodes);
        if negations > MOST_NEGATIONS {
            return Err(format!("it has more than {MOST_NEGATIONS} negations in one component"));
        }
        let mut compiler = Compiler { states: vec![State::End], has_negations: negations > 0 };
        let start = compiler.sequence(nodes, Next::same(0))?.matching;
        let layers = layers(&compiler.states);
        Ok(Self { states: compiler.states, start, layers })
    }

    pub(super) fn is_match(&self, name: &str) -> bool {
        let mut after = vec![false; self.states.len()];
        let mut row = after.clone();
        self.fill(&mut row, |state| matches!(state, State::End));
        for c in name.chars().rev() {
            std::mem::swap(&mut after, &mut row);
            row.fill(false);
            self.fill(&mut row, |state| matches!(state, State::One(wanted, next) if after[*next] && wanted.is(c)));
        }
        row[self.start]
    }

    /// Fills the row of a position: first the states that look at a character, then those that only lead to others.
    fn fill(&self, row: &mut [bool], holds: impl Fn(&State) -> bool) {
        for (index, state) in self.states.iter().enumerate() {
            row[index] = holds(state);
        }
        for layer in &self.layers {
            // Loops without a character make a second pass necessary.
            while self.pass(layer, row) {}
        }
    }

    fn pass(&self, layer: &[usize], row: &mut [bool]) -> bool {
        let mut changed = false;
        for &index in layer {
            let holds = match &self.states[index] {
                State::Either(next) => next.iter().any(|next| row[*next]),
                State::Unless(forbidden, next) => !row[*forbidden] && row[*next],
                State::End | State::One(..) => continue,
            };
            changed |= holds && !row[index];
            row[index] |= holds;
        }
        changed
    }
}

fn negations(nodes: &[Node]) -> usize {
    nodes
        .iter()
        .map(|node| match node {
            Node::Group(kind, alternatives) => {
                let inner: usize = alternatives.iter().map(|nodes| negations(nodes)).sum();
                inner + usize::from(*kind == GroupKind::Not)
            }
            _ => 0,
        })
        .sum()
}

/// Sorts the states that use no character by how many negations they depend on. No negation depends on itself, because what it forbids
/// goes on behind the loops around it.
fn layers(states: &[State]) -> Vec<Vec<usize>> {
    let mut depth = vec![0_usize; states.len()];
    loop {
        let mut changed = false;
        for (index, state) in states.iter().enumerate() {
            let needed = match state {
                State::Either(next) => next.iter().map(|next| depth[*next]).max().unwrap_or(0),
                State::Unless(forbidden, next) => depth[*next].max(depth[*forbidden] + 1),
                State::End | State::One(..) => 0,
            };
            changed |= needed > depth[index];
            depth[index] = depth[index].max(needed);
        }
        if !changed {
            break;
        }
    }
    let mut layers = vec![Vec::new(); depth.iter().max().map_or(0, |deepest| deepest + 1)];
    for (index, state) in states.iter().enumerate() {
        if matches!(state, State::Either(_) | State::Unless(..)) {
            layers[depth[index]].push(index);
        }
    }
    layers
}

/// Where a piece of the pattern goes on: when it matches, and for what a negation inside it forbids.
///
/// They differ inside a repetition. What matches may be repeated; what is forbidden is one of the alternatives followed by what comes
/// behind the repetition, as the original has it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Next {
    matching: usize,
    forbidden: usize,
}

impl Next {
    fn same(state: usize) -> Self {
        Self { matching: state, forbidden: state }
    }
}

struct Compiler {
    states: Vec<State>,
    has_negations: bool,
}

impl Compiler {
    fn push(&mut self, state: State) -> Result<usize, String> {
        if self.states.len() >= MOST_STATES {
            return Err("it is too complex".to_owned());
        }
        self.states.push(state);
        Ok(self.states.len() - 1)
    }

    /// Compiles from the last node to the first, because each needs to know where it goes on.
    fn sequence(&mut self, nodes: &[Node], next: Next) -> Result<Next, String> {
        nodes.iter().rev().try_fold(next, |next, node| self.node(node, next))
    }

    fn node(&mut self, node: &Node, next: Next) -> Result<Next, String> {
        match node {
            Node::Char(c) => self.one(&Wanted::Char(*c), next),
            Node::Any => self.one(&Wanted::Any, next),
            Node::Class(class) => self.one(&Wanted::Class(class.clone()), next),
            Node::Star => self.both(next, |compiler, next| compiler.star(next.matching)),
            Node::Group(kind, alternatives) => {
                self.both(next, |compiler, next| compiler.group(*kind, alternatives, next))
            }
        }
    }

    fn one(&mut self, wanted: &Wanted, next: Next) -> Result<Next, String> {
        self.both(next, |compiler, next| compiler.push(State::One(wanted.clone(), next.matching)))
    }

    /// Compiles a node for both ways of going on; once if they are the same.
    fn both(
        &mut self,
        next: Next,
        mut compile: impl FnMut(&mut Self, Next) -> Result<usize, String>,
    ) -> Result<Next, String> {
        let matching = compile(self, next)?;
        if next.matching == next.forbidden {
            return Ok(Next::same(matching));
        }
        Ok(Next { matching, forbidden: compile(self, Next::same(next.forbidden))? })
    }

    fn star(&mut self, next: usize) -> Result<usize, String> {
        let star = self.push(State::Either(vec![next]))?;
        let one = self.push(State::One(Wanted::Any, star))?;
        self.states[star] = State::Either(vec![next, one]);
        Ok(star)
    }

    fn group(&mut self, kind: GroupKind, alternatives: &[Vec<Node>], next: Next) -> Result<usize, String> {
        match kind {
            GroupKind::One => self.either(alternatives, next, None),
            GroupKind::Optional => self.either(alternatives, next, Some(next.matching)),
            GroupKind::Any => self.repeated(alternatives, next).map(|(again, _)| again),
            GroupKind::Several => self.repeated(alternatives, next).map(|(_, first)| first),
            GroupKind::Not => self.not(alternatives, next),
        }
    }

    fn either(&mut self, alternatives: &[Vec<Node>], next: Next, or: Option<usize>) -> Result<usize, String> {
        let mut states: Vec<usize> = or.into_iter().collect();
        for alternative in alternatives {
            states.push(self.sequence(alternative, next)?.matching);
        }
        self.push(State::Either(states))
    }

    /// Returns the state that may stop or begin again, and the one that begins.
    fn repeated(&mut self, alternatives: &[Vec<Node>], next: Next) -> Result<(usize, usize), String> {
        let again = self.push(State::Either(Vec::new()))?;
        let forbidden = if self.has_negations { next.forbidden } else { again };
        let first = self.either(alternatives, Next { matching: again, forbidden }, None)?;
        self.states[again] = State::Either(vec![next.matching, first]);
        Ok((again, first))
    }

    fn not(&mut self, alternatives: &[Vec<Node>], next: Next) -> Result<usize, String> {
        let anything = self.star(next.matching)?;
        if alternatives.iter().all(Vec::is_empty) && alternatives.len() == 1 {
            // Anything but nothing.
            return self.push(State::One(Wanted::Any, anything));
        }
        let forbidden = self.either(alternatives, Next::same(next.forbidden), None)?;
        self.push(State::Unless(forbidden, anything))
    }
}
