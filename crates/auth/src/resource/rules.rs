//! Which scopes an operation needs.

use std::collections::BTreeMap;

use crate::{ScopeHierarchy, Scopes};

/// What somebody wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation<'a> {
    /// Call a tool.
    Tool(&'a str),
    /// Get a prompt.
    Prompt(&'a str),
    /// Read a resource, or subscribe to it; also a template of resources.
    Resource(&'a str),
    /// Send any other request.
    Method(&'a str),
}

/// Which scopes which operations need. What is not named needs none.
#[derive(Clone, Debug, Default)]
pub struct ScopeRules {
    hierarchy: ScopeHierarchy,
    tools: Named,
    prompts: Named,
    resources: Named,
    methods: Named,
}

/// Scopes by name; a name that ends with `*` stands for all that begin like it.
#[derive(Clone, Debug, Default)]
struct Named {
    exact: BTreeMap<String, Scopes>,
    beginnings: Vec<(String, Scopes)>,
}

impl ScopeRules {
    /// Nothing needs a scope.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets which scopes imply which.
    #[must_use]
    pub fn hierarchy(mut self, hierarchy: ScopeHierarchy) -> Self {
        self.hierarchy = hierarchy;
        self
    }

    /// A tool needs scopes; `*` at the end of the name stands for anything.
    #[must_use]
    pub fn tool(mut self, name: &str, scopes: impl Into<Scopes>) -> Self {
        self.tools.add(name, scopes.into());
        self
    }

    /// A prompt needs scopes; `*` at the end of the name stands for anything.
    #[must_use]
    pub fn prompt(mut self, name: &str, scopes: impl Into<Scopes>) -> Self {
        self.prompts.add(name, scopes.into());
        self
    }

    /// A resource needs scopes; `*` at the end of the URI stands for anything.
    #[must_use]
    pub fn resource(mut self, uri: &str, scopes: impl Into<Scopes>) -> Self {
        self.resources.add(uri, scopes.into());
        self
    }

    /// A method needs scopes, whatever it is about; `*` at the end of the name stands for anything.
    #[must_use]
    pub fn method(mut self, name: &str, scopes: impl Into<Scopes>) -> Self {
        self.methods.add(name, scopes.into());
        self
    }

    /// Returns the scopes that an operation needs: those of all rules that speak of it.
    #[must_use]
    pub fn needed(&self, operation: Operation<'_>) -> Scopes {
        match operation {
            Operation::Tool(name) => self.tools.of(name),
            Operation::Prompt(name) => self.prompts.of(name),
            Operation::Resource(uri) => self.resources.of(uri),
            Operation::Method(name) => self.methods.of(name),
        }
    }

    /// Whether what was granted is enough for what is needed.
    #[must_use]
    pub fn allows(&self, granted: &Scopes, needed: &Scopes) -> bool {
        self.hierarchy.allows(granted, needed)
    }

    /// Whether what was granted is enough for an operation.
    #[must_use]
    pub fn permits(&self, granted: &Scopes, operation: Operation<'_>) -> bool {
        self.allows(granted, &self.needed(operation))
    }
}

impl Named {
    fn add(&mut self, name: &str, scopes: Scopes) {
        match name.strip_suffix('*') {
            Some(beginning) => self.beginnings.push((beginning.to_owned(), scopes)),
            None => {
                let entry = self.exact.entry(name.to_owned()).or_default();
                *entry = entry.union(&scopes);
            }
        }
    }

    fn of(&self, name: &str) -> Scopes {
        let exact = self.exact.get(name).cloned().unwrap_or_default();
        let beginnings = self.beginnings.iter().filter(|(beginning, _)| name.starts_with(beginning.as_str()));
        beginnings.fold(exact, |all, (_, scopes)| all.union(scopes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rules_that_speak_of_an_operation_count() {
        let rules = ScopeRules::new().tool("*", "use").tool("delete", "write").tool("del*", "danger");
        assert_eq!(rules.needed(Operation::Tool("delete")).to_string(), "danger use write");
        assert_eq!(rules.needed(Operation::Tool("add")).to_string(), "use");
        assert_eq!(rules.needed(Operation::Prompt("delete")), Scopes::none());
        assert!(!rules.permits(&"use write".into(), Operation::Tool("delete")));
    }
}
