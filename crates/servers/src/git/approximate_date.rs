//! Dates as people write them: `2 weeks ago`, `yesterday`, `2024-01-15`, `Jan 15 2024`, `noon`.
//!
//! The rules are those of git: a text is always understood somehow, and what is missing is taken from now.

mod exact;
mod fields;
mod relative;

pub(super) use fields::Clock;

/// Seconds since 1970 of a date that is written in whatever way.
pub(super) fn parse(text: &str, clock: &Clock) -> i64 {
    exact::parse(text, clock).unwrap_or_else(|| relative::parse(text, clock))
}

#[cfg(test)]
mod tests;
