//! Skills: one that is part of the program, and those of a folder that the command line names.

use jackfield::Server;
use jackfield::server::{Skill, Skills};

const RELEASE_NOTES: &str = "\
---
name: release-notes
description: Write release notes in this team's style
---
1. List the merged changes since the last tag.
2. Group them as references/GROUPS.md says.
";

#[tokio::main]
async fn main() -> jackfield::Result {
    let built_in = Skill::new(RELEASE_NOTES)?.file("references/GROUPS.md", "Added, Changed, Fixed, Removed.\n")?;
    let mut server = Server::new("skills").skills(built_in);
    if let Some(folder) = std::env::args().nth(1) {
        server = server.skills(Skills::from_dir(folder)?);
    }
    server.run().await
}
