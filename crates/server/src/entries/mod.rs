//! Tools, resources and prompts as they are kept: definitions with handlers, looked up and listed.

pub(crate) mod catalog;
pub(crate) mod entry;
pub(crate) mod entry_options;
pub(crate) mod frozen;
pub(crate) mod hashing;
pub(crate) mod kinds;
pub(crate) mod lists;
pub(crate) mod prepared;
pub(crate) mod registry;
pub(crate) mod uri_template;
