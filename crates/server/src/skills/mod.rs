//! Skills: instructions for agents, with the files that go with them (extension `io.modelcontextprotocol/skills`).

mod answers;
mod error;
mod file_type;
mod folder;
mod frontmatter;
mod path;
mod shelf;
mod skill;

pub use error::SkillError;
pub use skill::{Skill, Skills};

pub(crate) use answers::route;
pub(crate) use shelf::{Shelf, declare};
