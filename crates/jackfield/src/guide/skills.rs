//! Skills: instructions for agents, with the files that go with them.
//!
//! A skill is a directory with a `SKILL.md`, as [Agent Skills](https://agentskills.io/specification) describe it: a YAML block with its name and
//! description, then what an agent should do. A server that brings its tools can bring the skill that teaches their use. This
//! is the extension `io.modelcontextprotocol/skills` of the protocol, and the feature `skills` of this crate.
//!
//! ```
//! use jackfield::server::{Skill, Skills};
//! use jackfield::testing::TestClient;
//! use jackfield::{Server, json};
//!
//! const REFUNDS: &str = "\
//! ---
//! name: refunds
//! description: Process customer refund requests per company policy
//! ---
//! 1. Look up the order.
//! 2. Answer with a mail like examples/email.md.
//! ";
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! // Files can be part of the program: `include_str!("../skills/refunds/SKILL.md")`.
//! let skill = Skill::new(REFUNDS)?.under("acme/billing")?.file("examples/email.md", "Dear customer …")?;
//! let client = TestClient::of(Server::new("shop").skills(skill));
//!
//! let listed = client.request("skills/list", json!({})).await?;
//! assert_eq!(listed["skills"][0]["uri"], "skill://acme/billing/refunds/SKILL.md");
//! assert_eq!(listed["skills"][0]["resources"][1]["uri"], "skill://acme/billing/refunds/examples/email.md");
//! // Every file is a resource, for clients that know nothing of the extension too.
//! let read = client.read_resource("skill://acme/billing/refunds/examples/email.md").await?;
//! assert_eq!(read.contents[0].as_text(), Some("Dear customer …"));
//! # Ok(())
//! # }
//! ```
//!
//! [`Skills::from_dir`](crate::server::Skills::from_dir) takes all skills below a directory:
//!
//! ```no_run
//! use jackfield::server::Skills;
//! use jackfield::Server;
//!
//! #[tokio::main]
//! async fn main() -> jackfield::Result {
//!     Server::new("shop").skills(Skills::from_dir("skills")?).run_cli().await
//! }
//! ```
//!
//! Files are read once, so that the digests in the list are always those of what is read. To serve others later, call
//! [`Registry::replace_skills`](crate::server::Registry::replace_skills); clients that listen for changes of resources are told. Links are refused, names
//! that begin with a dot are left out, and a skill has at most 512 files of 16 MiB together.
//!
//! A skill whose files are made when they are read is [`dynamic`](crate::server::Skill::dynamic): it has no digests, and its files are resources
//! that you register.
