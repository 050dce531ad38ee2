//! The protocol crate seen from outside: official schemas and examples, rules, properties.
#![cfg(test)]

mod dialects;
mod examples;
mod forward;
mod full;
mod properties;
mod rules;
mod schema;
mod schema_validity;
