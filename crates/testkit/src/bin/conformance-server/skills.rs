//! Skills: one with files in directories, and one below a path.

use jackfield::server::{Skill, Skills};
use jackfield::{Result, Server};

const PDF: &str = "\
---
name: pdf-processing
description: Extract, fill, and assemble PDF documents
license: Apache-2.0
metadata:
  version: 2.1.0
---
# PDF processing

Read references/FORMS.md before you fill in a form.
";

const REFUNDS: &str = "\
---
name: refunds
description: Process customer refund requests per company policy
---
1. Look up the order.
2. Answer with a mail like examples/email.md.
";

pub(crate) fn add(server: Server) -> Result<Server> {
    let pdf = Skill::new(PDF)?
        .file("references/FORMS.md", "# Forms\n\nFields have names; list them first.\n")?
        .file("templates/regional/eu-invoice.md", "# Invoice\n")?
        .file("scripts/extract.py", "print('extract')\n")?;
    let refunds = Skill::new(REFUNDS)?.under("acme/billing")?.file("examples/email.md", "Dear customer,\n")?;
    Ok(server.skills(Skills::new().with(pdf).with(refunds)))
}
