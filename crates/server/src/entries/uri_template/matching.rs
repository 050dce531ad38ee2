//! Finding the values in a URI.
//!
//! The template becomes a small automaton. One pass from the end of the URI notes, for each position, from which states the rest
//! can be matched; one pass from the start then takes the longest value at each variable and never has to go back.

use super::class::{Class, decode};
use super::parse::{Expression, Operator, Part, Variable};
use super::variables::Variables;
use jackfield_protocol::uri::MAX_LENGTH;

/// The automaton: a list of states that is run through from the first to behind the last.
#[derive(Clone, Debug)]
pub(super) struct Program {
    states: Vec<State>,
    /// The variables that values go to.
    slots: Vec<Slot>,
}

#[derive(Clone, Debug)]
enum State {
    /// Just this text.
    Literal(Box<[u8]>),
    /// At least one byte of the class, which is the value of a slot.
    Value(Class, usize),
    /// Either the next state, or the one of that number.
    Or(usize),
    /// The state of that number.
    Go(usize),
}

#[derive(Clone, Debug)]
enum Slot {
    /// One value.
    One(Variable),
    /// One element of a variable with `*`.
    Element(Variable),
    /// `a=1&b=2`, by name.
    Pairs(Vec<Variable>, char),
}

/// The most states: one bit each.
const MAX_STATES: usize = 127;

impl Program {
    pub(super) fn new(parts: &[Part]) -> Result<Self, String> {
        let mut program = Self { states: Vec::new(), slots: Vec::new() };
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Literal(text) => program.states.push(State::Literal(text.as_bytes().into())),
                Part::Expression(expression) => {
                    program.expression(expression, border(expression, parts.get(at.saturating_add(1))));
                }
            }
        }
        if program.states.len() > MAX_STATES {
            Err("the template has too many variables".to_owned())
        } else {
            Ok(program)
        }
    }

    /// `border` is what the next expression begins with; a value does not swallow it.
    fn expression(&mut self, expression: &Expression, border: &str) {
        let Expression { operator, variables } = expression;
        let single = variables.len() == 1;
        match operator {
            Operator::Simple | Operator::Reserved => {
                let class = |variable: &Variable| {
                    let without = if single && !variable.explode { border.to_owned() } else { format!(",{border}") };
                    if *operator == Operator::Simple { Class::segment(&without) } else { Class::any(&without) }
                };
                for (at, variable) in variables.iter().enumerate() {
                    let separator = if at == 0 { None } else { Some(",") };
                    self.optional(separator, |program| program.values(variable, class(variable), ","));
                }
            }
            Operator::Fragment => {
                let slot = self.slot(Slot::One(variables.first().cloned().unwrap_or_else(unnamed)));
                self.optional(Some("#"), |program| program.states.push(State::Value(Class::any(""), slot)));
            }
            Operator::Label | Operator::Path => {
                let separator = if *operator == Operator::Label { "." } else { "/" };
                for variable in variables {
                    let own = if separator == "/" || single && !variable.explode { "" } else { separator };
                    let class = Class::segment(&format!("{own}{border}"));
                    self.optional(Some(separator), |program| program.values(variable, class, separator));
                }
            }
            Operator::Parameter | Operator::Query | Operator::QueryMore => {
                let style = operator.style();
                let class = if *operator == Operator::Parameter { Class::segment(border) } else { Class::any("#") };
                let slot = self.slot(Slot::Pairs(variables.clone(), style.separator));
                self.optional(Some(style.first), |program| program.states.push(State::Value(class, slot)));
            }
        }
    }

    /// What follows a separator may be absent together with it; without separator it may not.
    fn optional(&mut self, separator: Option<&str>, inner: impl FnOnce(&mut Self)) {
        let Some(separator) = separator else { return inner(self) };
        let at = self.states.len();
        self.states.push(State::Or(0));
        self.states.push(State::Literal(separator.as_bytes().into()));
        inner(self);
        let end = self.states.len();
        if let Some(state) = self.states.get_mut(at) {
            *state = State::Or(end);
        }
    }

    /// One value, or several with separators between them.
    fn values(&mut self, variable: &Variable, class: Class, separator: &str) {
        let slot =
            self.slot(if variable.explode { Slot::Element(variable.clone()) } else { Slot::One(variable.clone()) });
        let start = self.states.len();
        self.states.push(State::Value(class, slot));
        if variable.explode {
            let end = start.saturating_add(4);
            self.states.extend([State::Or(end), State::Literal(separator.as_bytes().into()), State::Go(start)]);
        }
    }

    fn slot(&mut self, slot: Slot) -> usize {
        self.slots.push(slot);
        self.slots.len().saturating_sub(1)
    }

    pub(super) fn matches(&self, uri: &str) -> Option<Variables> {
        // Most URIs of other templates differ at the start.
        if let Some(State::Literal(text)) = self.states.first()
            && !uri.as_bytes().starts_with(text)
        {
            return None;
        }
        if uri.len() > MAX_LENGTH {
            return None;
        }
        let reach = self.reach(uri.as_bytes());
        self.collect(uri, &reach)
    }

    /// For each position, the set of states from which the rest of the text can be matched.
    fn reach(&self, text: &[u8]) -> Vec<u128> {
        let end = self.states.len();
        let mut reach = vec![0_u128; text.len().saturating_add(1)];
        for at in (0..=text.len()).rev() {
            let mut here: u128 = if at == text.len() { 1 << end } else { 0 };
            let rest = text.get(at..).unwrap_or_default();
            let after = |length: usize| reach.get(at.saturating_add(length)).copied().unwrap_or(0);
            let next = after(1);
            // The second turn is for the jumps back of repetitions, which lead to an earlier state of the same position.
            for _ in 0..2 {
                for (number, state) in self.states.iter().enumerate().rev() {
                    let has = |set: u128, state: usize| set >> state & 1 == 1;
                    let follows = number.saturating_add(1);
                    let holds = match state {
                        State::Literal(literal) => rest.starts_with(literal) && has(after(literal.len()), follows),
                        State::Value(class, _) => {
                            rest.first().is_some_and(|byte| class.holds(*byte))
                                && (has(next, number) || has(next, follows))
                        }
                        State::Or(other) => has(here, follows) || has(here, *other),
                        State::Go(other) => has(here, *other),
                    };
                    here |= u128::from(holds) << number;
                }
            }
            if let Some(slot) = reach.get_mut(at) {
                *slot = here;
            }
        }
        reach
    }

    /// Goes through the text once, taking the longest value that leaves a rest that can be matched.
    fn collect(&self, uri: &str, reach: &[u128]) -> Option<Variables> {
        let can = |at: usize, state: usize| reach.get(at).is_some_and(|set| set >> state & 1 == 1);
        let mut variables = Variables::default();
        let (mut at, mut number) = (0_usize, 0_usize);
        if !can(at, number) {
            return None;
        }
        while let Some(state) = self.states.get(number) {
            let follows = number.saturating_add(1);
            match state {
                State::Literal(literal) => (at, number) = (at.saturating_add(literal.len()), follows),
                State::Or(other) => number = if can(at, follows) { follows } else { *other },
                State::Go(other) => number = *other,
                State::Value(class, slot) => {
                    let run = uri.as_bytes().get(at..)?.iter().take_while(|byte| class.holds(**byte)).count();
                    let end = (at.saturating_add(1)..=at.saturating_add(run)).rev().find(|end| can(*end, follows))?;
                    self.slots.get(*slot)?.put(&mut variables, uri.get(at..end)?)?;
                    (at, number) = (end, follows);
                }
            }
        }
        Some(variables)
    }
}

/// Returns what the next expression begins with, where a value before it must stop there.
fn border(expression: &Expression, next: Option<&Part>) -> &'static str {
    let Some(Part::Expression(next)) = next else { return "" };
    let spans = matches!(expression.operator, Operator::Reserved | Operator::Fragment);
    match next.operator {
        Operator::Label | Operator::Path if spans => "",
        operator => operator.style().first,
    }
}

fn unnamed() -> Variable {
    Variable { name: String::new(), explode: false, prefix: None }
}

impl Slot {
    fn put(&self, variables: &mut Variables, text: &str) -> Option<()> {
        let mut add = |variable: &Variable, value: String| {
            if variable.prefix.is_some_and(|most| value.chars().count() > most) {
                return None;
            }
            variables.0.entry(variable.name.clone()).or_default().push(value);
            Some(())
        };
        match self {
            Self::One(variable) | Self::Element(variable) => add(variable, decode(text)?),
            Self::Pairs(known, separator) => {
                for pair in text.split(*separator) {
                    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                    let own = known.iter().find(|variable| variable.name == name);
                    match (own, known.iter().find(|variable| variable.explode)) {
                        (Some(variable), _) => add(variable, decode(value)?)?,
                        // A map with `*` has its own names in the query.
                        (None, Some(map)) => add(map, format!("{}={}", decode(name)?, decode(value)?))?,
                        (None, None) => return None,
                    }
                }
                // A name that stands twice means a list; without `*` it is not clear what it means.
                known.iter().all(|variable| variable.explode || variables.all(&variable.name).len() <= 1).then_some(())
            }
        }
    }
}
