//! The page of a building block for people.

use std::fmt::Write;

use jackfield_protocol::Revision;

use super::diagram::diagrams;
use super::files::Shown;
use crate::ontology::specification;
use crate::vocabulary::REGISTER;

/// What the page shows.
pub(super) struct Page<'a> {
    pub(super) name: &'a str,
    pub(super) folder: &'a str,
    pub(super) summary: &'a str,
    pub(super) revision: Revision,
    pub(super) is_json_rpc: bool,
    pub(super) schema: &'a str,
    pub(super) context: &'a str,
    pub(super) examples: &'a [Shown],
}

/// Writes the page in Markdown: what the block is, its examples, its types as diagrams, its schema and its context.
pub(super) fn page(page: &Page<'_>) -> String {
    let mut out = format!(
        "# {} (Schema)\n\n`mcp.{}` *v{}*\n\n{}\n\n[*Status*](http://www.opengis.net/def/status): Stable\n\n## Examples\n\n",
        page.name,
        page.folder,
        env!("CARGO_PKG_VERSION"),
        page.summary,
    );
    for example in page.examples {
        let _ = writeln!(out, "### {}", example.title);
        for (language, text) in [("json", &example.json), ("jsonld", &example.json_ld), ("ttl", &example.turtle)] {
            let _ = writeln!(out, "#### {language}\n```{language}\n{}\n```\n", text.trim_end());
        }
    }
    out.push_str("## Class diagrams\n\n");
    for (title, diagram) in diagrams(page.revision, page.is_json_rpc) {
        let _ = writeln!(out, "### {title}\n```mermaid\n{diagram}```\n");
    }
    let address = format!("{REGISTER}{}", page.folder);
    let _ = writeln!(out, "## Schema\n\n```yaml\n{}\n```\n\nLinks to the schema:\n", page.schema.trim_end());
    let _ = writeln!(out, "* YAML version: [schema.yaml]({address}/schema.yaml)");
    let _ = writeln!(out, "* JSON version: [schema.json]({address}/schema.json)\n");
    let _ = writeln!(out, "# JSON-LD Context\n\n```jsonld\n{}\n```\n", page.context.trim_end());
    let _ = writeln!(out, "You can find the full JSON-LD context here:\n[context.jsonld]({address}/context.jsonld)\n");
    let _ = writeln!(out, "## Validation\n\nSHACL shapes: [shapes.ttl](shapes.ttl)\n");
    let _ = writeln!(out, "## Sources\n\n* [Model Context Protocol]({})", specification(page.revision));
    out
}
