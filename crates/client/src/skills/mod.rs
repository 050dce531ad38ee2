//! Skills: instructions for a model that a server offers as files, by the extension `io.modelcontextprotocol/skills`.
//!
//! A skill is listed with a digest of each of its files. [`Client::load_skill`](crate::Client::load_skill) reads its `SKILL.md` and
//! checks that it is the file that was listed; only then further files can be read, and each is checked alike. Nothing is
//! read before it is asked for.
//!
//! What a skill says is the server's text: show it to a person before a model follows it.
//!
//! ```no_run
//! # async fn example() -> Result<(), jackfield_client::Error> {
//! use jackfield_client::{Client, skills};
//!
//! let builder = Client::builder().extension(skills::EXTENSION, Default::default());
//! let client = builder.spawn(jackfield_client::Command::new("my-server")).await?;
//! for skill in client.skills().await? {
//!     println!("{}: {}", skill.name(), skill.description());
//! }
//! let skill = client.skill("skill://pdf-processing/SKILL.md").await?;
//! let loaded = client.load_skill(skill).await?;
//! println!("{}", loaded.instructions());
//! # Ok(())
//! # }
//! ```

mod check;
mod load;

pub use check::BadSkill;
pub use jackfield_protocol::{SKILLS_EXTENSION as EXTENSION, SkillEntry, SkillFile, SkillResources};
pub use load::LoadedSkill;
