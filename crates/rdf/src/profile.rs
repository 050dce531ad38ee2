//! How much of a message its graph keeps.

/// How much of a message its graph keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Profile {
    /// The vocabulary and nothing else, as in the building block: an array is a set of values without order, nulls and
    /// members that no IRI can name are left out.
    Plain,
    /// Arrays are RDF lists; a null and the members that no IRI can name are JSON literals. Every message survives.
    #[default]
    Lossless,
    /// As lossless, but what is free-form, such as `arguments`, `_meta` and JSON Schemas, is one JSON literal each.
    Json,
}

/// The members that hold free-form objects.
const FREE_FORM: [&str; 8] =
    ["_meta", "arguments", "structuredContent", "inputSchema", "outputSchema", "input", "metadata", "data"];

impl Profile {
    pub(crate) fn keeps_order(self) -> bool {
        self != Self::Plain
    }

    /// Whether an object becomes one JSON literal because of the member that holds it.
    pub(crate) fn is_literal(self, key: Option<&str>) -> bool {
        self == Self::Json && key.is_some_and(|key| FREE_FORM.contains(&key))
    }
}
