//! What a site says in its robots.txt about programs that fetch on their own (RFC 9309).

mod pattern;
mod rules;

pub(super) use rules::Rules;
