//! The files of the building blocks.

use std::path::Path;

use jackfield_protocol::Revision;
use serde_json::{Value as Json, json};

use super::page::{Page, page};
use crate::definitions::BUILDING_BLOCK;
use crate::example::{Example, examples, json_rpc_examples};
use crate::ontology::specification;
use crate::schema::{definitions_key, json_rpc_schema, refer_to_json_rpc};
use crate::shacl::{json_rpc_shapes, shapes};
use crate::vocabulary::REGISTER;
use crate::{Encoder, Error, Options, Profile, Syntax, context, ontology, schema, yaml};

/// A file of the building blocks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct File {
    /// Its place below the folder of the register, such as `_sources/mcp/schema.yaml`.
    pub path: String,
    /// What is in it.
    pub text: String,
}

/// Returns the files of all building blocks: JSON-RPC, the revision that the published block describes under its own name
/// (`mcp`), and the other revisions under theirs.
///
/// # Errors
///
/// Fails if an example is not a message, which a test excludes.
pub fn files() -> Result<Vec<File>, Error> {
    let mut files = vec![File { path: "bblocks-config.yaml".to_owned(), text: yaml(&configuration()) }];
    files.extend(Block::json_rpc().files()?);
    for revision in Revision::ALL {
        files.extend(Block::of(revision).files()?);
    }
    let ontology_file = format!("_sources/{}/ontology.ttl", folder(BUILDING_BLOCK));
    files.push(File { path: ontology_file, text: ontology() });
    Ok(files)
}

/// Writes the files of all building blocks into a folder, which is made if need be. Files of the same names are replaced, others stay.
///
/// # Errors
///
/// Fails if a file cannot be written.
pub fn write_files(folder: &Path) -> Result<usize, Error> {
    let files = files()?;
    for file in &files {
        let path = folder.join(&file.path);
        if let Some(above) = path.parent() {
            std::fs::create_dir_all(above)?;
        }
        std::fs::write(path, &file.text)?;
    }
    Ok(files.len())
}

fn configuration() -> Json {
    json!({
        "name": "Model Context Protocol",
        "abstract": "The messages of all revisions of the Model Context Protocol as linked data.",
        "identifier-prefix": "mcp.",
        "imports": ["default"],
    })
}

/// The folder of a revision's block.
fn folder(revision: Revision) -> String {
    if revision == BUILDING_BLOCK { "mcp".to_owned() } else { format!("mcp-{revision}") }
}

/// What a building block is made of.
struct Block {
    folder: String,
    name: String,
    summary: String,
    /// The revision whose types it has.
    revision: Revision,
    schema: Json,
    shapes: String,
    examples: Vec<Example>,
    is_json_rpc: bool,
}

impl Block {
    fn json_rpc() -> Self {
        Self {
            folder: "json-rpc".to_owned(),
            name: "JSON-RPC".to_owned(),
            summary: "JSON-RPC 2.0 as the Model Context Protocol uses it: requests, notifications and answers, whatever their \
                      method."
                .to_owned(),
            revision: BUILDING_BLOCK,
            schema: json_rpc_schema(BUILDING_BLOCK, Profile::Plain),
            shapes: json_rpc_shapes(BUILDING_BLOCK, Profile::Plain),
            examples: json_rpc_examples(BUILDING_BLOCK),
            is_json_rpc: true,
        }
    }

    fn of(revision: Revision) -> Self {
        let mut schema = schema(revision, Profile::Plain);
        refer_to_json_rpc(&mut schema, revision, &format!("{REGISTER}json-rpc/schema.yaml"));
        Self {
            folder: folder(revision),
            name: format!("MCP {revision}"),
            summary: format!(
                "The messages of the Model Context Protocol, revision {revision}, annotated so that they are linked data."
            ),
            revision,
            schema,
            shapes: shapes(revision, Profile::Plain),
            examples: examples(revision),
            is_json_rpc: false,
        }
    }

    fn files(&self) -> Result<Vec<File>, Error> {
        let (schema_yaml, context) = (yaml(&self.schema), format!("{:#}\n", context()));
        let shown = self.shown_examples()?;
        let page = page(&Page {
            name: &self.name,
            folder: &self.folder,
            summary: &self.summary,
            revision: self.revision,
            is_json_rpc: self.is_json_rpc,
            schema: &schema_yaml,
            context: &context,
            examples: &shown,
        });
        let named = [
            ("bblock.json", format!("{:#}\n", self.metadata())),
            ("description.md", self.description()),
            ("schema.yaml", schema_yaml),
            ("schema.json", format!("{:#}\n", self.schema)),
            ("context.jsonld", context),
            ("shapes.ttl", self.shapes.clone()),
            ("examples.yaml", yaml(&self.example_list())),
            ("index.md", page),
        ];
        let mut files: Vec<File> = named.into_iter().map(|(name, text)| self.file(name, text)).collect();
        for example in shown {
            for (ending, text) in [("json", example.json), ("jsonld", example.json_ld), ("ttl", example.turtle)] {
                files.push(self.file(&format!("examples/{}.{ending}", example.file), text));
            }
        }
        Ok(files)
    }

    fn file(&self, name: &str, text: String) -> File {
        File { path: format!("_sources/{}/{name}", self.folder), text }
    }

    fn metadata(&self) -> Json {
        let mut metadata = json!({
            "$schema": "metadata-schema.yaml",
            "name": self.name,
            "abstract": self.summary,
            "status": "stable",
            "dateTimeAddition": "2025-06-12T00:00:00Z",
            "itemClass": "schema",
            "register": "ogc-building-block-register",
            "version": env!("CARGO_PKG_VERSION"),
            "sources": [{ "title": "Model Context Protocol", "link": specification(self.revision) }],
            "tags": ["mcp", "json-rpc", "json-ld"],
            "ldContext": "context.jsonld",
            "shaclRules": ["shapes.ttl"],
        });
        if !self.is_json_rpc {
            metadata["dependsOn"] = json!(["mcp.json-rpc"]);
            let is_published = self.revision == BUILDING_BLOCK;
            metadata["ontology"] = if is_published { "ontology.ttl" } else { "../mcp/ontology.ttl" }.into();
        }
        metadata
    }

    fn description(&self) -> String {
        let types = self.schema[definitions_key(self.revision)].as_object().map_or(0, |types| types.len());
        format!(
            "{}\n\nThe schema has {types} types. Every member of a message is a term of the vocabulary `{}`; the context is the same for \
             all revisions. Arrays are sets here: what needs their order, nulls, or names that are no IRIs back uses the profiles \
             `lossless` or `json` of `jackfield rdf convert`.\n",
            self.summary,
            crate::VOCABULARY,
        )
    }

    fn example_list(&self) -> Json {
        let snippets = |file: &str| {
            let languages = [("json", "json"), ("jsonld", "jsonld"), ("turtle", "ttl")];
            languages
                .map(|(language, ending)| json!({ "language": language, "ref": format!("examples/{file}.{ending}") }))
        };
        let examples = self.examples.iter().map(|example| {
            json!({
                "title": example.title,
                "content": format!("A message of the type {}.", example.class),
                "snippets": snippets(&example.file),
            })
        });
        json!({ "examples": examples.collect::<Vec<_>>() })
    }

    fn shown_examples(&self) -> Result<Vec<Shown>, Error> {
        let written = |example: &Example, syntax: Syntax| {
            let options = Options { profile: Profile::Plain, ..Options::default() };
            Encoder::new(syntax, options).document(example.message.to_string().as_bytes())
        };
        let show = |example: &Example| {
            let json_ld: Json = serde_json::from_str(&written(example, Syntax::JsonLd)?).map_err(Error::NotJson)?;
            Ok(Shown {
                title: example.title.clone(),
                file: example.file.clone(),
                json: format!("{:#}\n", example.message),
                json_ld: format!("{json_ld:#}\n"),
                turtle: written(example, Syntax::Turtle)?,
            })
        };
        self.examples.iter().map(show).collect()
    }
}

/// An example in the three forms of a building block.
pub(super) struct Shown {
    pub(super) title: String,
    file: String,
    pub(super) json: String,
    pub(super) json_ld: String,
    pub(super) turtle: String,
}
