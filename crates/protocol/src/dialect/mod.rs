//! The steps between revisions.

mod questions;
