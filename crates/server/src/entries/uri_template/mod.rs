//! RFC 6570 templates: all four levels of expansion, and matching without backtracking.

mod class;
mod expand;
mod matching;
mod parse;
mod variables;

use std::cmp::Reverse;

pub use expand::TemplateValue;
pub use variables::Variables;

use matching::Program;
use parse::{Operator, Part};

/// A compiled RFC 6570 template.
///
/// Expansion follows the RFC. Matching is its inverse where there is one, and takes time in proportion to the length of the URI
/// times that of the template. A plain variable `{x}` stands for at least one character that is not one of `/ ? #`; `{+x}` may
/// span segments; variables of `{/x}`, `{.x}`, `{;x}`, `{?x}`, `{&x}` and `{#x}` may be absent; those of a query may come in any
/// order. Values are decoded once. In templates of the scheme `file`, values that lead out of a folder match nothing.
#[derive(Clone, Debug)]
pub struct UriTemplate {
    source: String,
    parts: Vec<Part>,
    program: Program,
}

impl UriTemplate {
    /// Compiles a template.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn new(source: &str) -> Result<Self, String> {
        let parts = parse::parse(source)?;
        let program = Program::new(&parts)?;
        Ok(Self { source: source.to_owned(), parts, program })
    }

    /// Returns the template's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// Returns the names of its variables, in the order of the text.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts
            .iter()
            .flat_map(|part| match part {
                Part::Literal(_) => [].iter(),
                Part::Expression(expression) => expression.variables.iter(),
            })
            .map(|variable| variable.name.as_str())
    }

    /// Finds the values that make the template this URI; `None` if there are none.
    #[must_use]
    pub fn matches(&self, uri: &str) -> Option<Variables> {
        let variables = self.program.matches(uri)?;
        let is_file = self.source.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
        if is_file && variables.lead_outside() { None } else { Some(variables) }
    }

    /// Puts values into the template. A variable without value is left out.
    #[must_use]
    pub fn expand(&self, value: impl Fn(&str) -> Option<TemplateValue>) -> String {
        expand::expand(&self.parts, value)
    }

    /// Orders templates: more literal text first, then fewer variables that span segments, then fewer variables.
    pub(crate) fn specificity(&self) -> (usize, Reverse<usize>, Reverse<usize>) {
        let mut rank = (0_usize, 0_usize, 0_usize);
        for part in &self.parts {
            match part {
                Part::Literal(text) => rank.0 = rank.0.saturating_add(text.len()),
                Part::Expression(expression) => {
                    rank.1 = rank.1.saturating_add(usize::from(expression.operator == Operator::Reserved));
                    rank.2 = rank.2.saturating_add(expression.variables.len());
                }
            }
        }
        (rank.0, Reverse(rank.1), Reverse(rank.2))
    }

    /// Checks that the template begins with a scheme that is not a variable.
    pub(crate) fn check_scheme(&self) -> Result<(), &'static str> {
        let Some(Part::Literal(text)) = self.parts.first() else {
            return Err("it must begin with a scheme such as `note:`");
        };
        let (scheme, _) = text.split_once(':').ok_or("it must begin with a scheme such as `note:`")?;
        jackfield_protocol::uri::check_scheme(scheme)
    }
}

#[cfg(test)]
mod tests;
