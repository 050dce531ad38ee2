//! The git server, with the `git` program as an oracle.

mod attacks;
mod confinement;
pub(crate) mod fixture;
mod oracle;
mod tools;
mod writing;
