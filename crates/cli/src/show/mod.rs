//! What people and programs get to see.

mod content;
mod escape;
mod json;
mod layout;
mod save;
mod schema;
mod screen;

pub(crate) use content::{Shown, block, decoded, resource};
pub(crate) use escape::{escaped, one_line};
pub(crate) use layout::{Style, columns, padded};
pub(crate) use save::Folder;
pub(crate) use schema::{Parameter, parameters, resolved, type_words};
pub(crate) use screen::{Screen, style};
