//! A whole pattern, matched against a path.

use super::braces;
use super::component::Component;
use crate::filesystem::failure::Failure;

/// A pattern for relative paths.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    negated: bool,
    /// One of them has to match: braces are expanded.
    alternatives: Vec<Vec<Component>>,
}

/// The longest pattern, in bytes.
const LONGEST: usize = 4096;

impl Glob {
    pub(crate) fn new(pattern: &str) -> Result<Self, Failure> {
        if pattern.len() > LONGEST {
            return Err(invalid(&format!("it is longer than {LONGEST} bytes")));
        }
        // A comment, and nothing, match nothing.
        if pattern.is_empty() || pattern.starts_with('#') {
            return Ok(Self { negated: false, alternatives: Vec::new() });
        }
        let body = pattern.trim_start_matches('!');
        let negated = (pattern.len() - body.len()) % 2 == 1;
        let expanded = braces::expanded(body).map_err(|problem| invalid(&problem))?;
        let alternatives = expanded.iter().map(|pattern| components(pattern));
        let alternatives = alternatives.collect::<Result<_, _>>().map_err(|problem| invalid(&problem))?;
        Ok(Self { negated, alternatives })
    }

    pub(crate) fn all(patterns: &[String]) -> Result<Vec<Self>, Failure> {
        patterns.iter().map(|pattern| Self::new(pattern)).collect()
    }

    /// Whether the pattern matches a relative path, given by its names.
    pub(crate) fn is_match<S: AsRef<str>>(&self, names: &[S]) -> bool {
        self.negated != self.alternatives.iter().any(|components| is_match(components, names))
    }
}

fn invalid(problem: &str) -> Failure {
    Failure::new(format!("Invalid pattern: {problem}"))
}

/// Splits at slashes; several count as one. `x/..` is nothing, `**/**` is `**`.
fn components(pattern: &str) -> Result<Vec<Component>, String> {
    let parts: Vec<&str> = pattern.split('/').collect();
    let end = parts.len() - 1;
    let mut kept: Vec<&str> = Vec::new();
    for (index, part) in parts.into_iter().enumerate() {
        // At either end an empty part stays, and no name equals it.
        if part.is_empty() && index != 0 && index != end {
            continue;
        }
        match (part, kept.last().copied()) {
            ("**", Some("**")) => {}
            ("..", Some(last)) if !matches!(last, "" | "." | ".." | "**") => {
                kept.pop();
            }
            _ => kept.push(part),
        }
    }
    kept.into_iter().map(Component::new).collect()
}

/// Goes back only to the last `**`: names between two of them are matched as early as possible, which never excludes a later match.
fn is_match<S: AsRef<str>>(components: &[Component], names: &[S]) -> bool {
    let (mut component, mut name) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while let Some(text) = names.get(name) {
        match components.get(component) {
            Some(Component::Globstar) => {
                component += 1;
                retry = Some((component, name));
            }
            Some(part) if part.is_match(text.as_ref()) => (component, name) = (component + 1, name + 1),
            _ => match &mut retry {
                Some((after, from)) => {
                    *from += 1;
                    (component, name) = (*after, *from);
                }
                None => return false,
            },
        }
    }
    // A final `**` stands for at least one name.
    component == components.len()
}
