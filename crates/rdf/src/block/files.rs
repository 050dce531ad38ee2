//! The files of the building blocks.

use std::path::Path;

use jackfield_protocol::Revision;
use serde_json::{Value as Json, json};

use super::page::{Page, page};
use crate::definitions::BUILDING_BLOCK;
use crate::example::{Example, examples, json_rpc_examples};
use crate::ontology::specification;
use crate::schema::{block_schema, definitions_key, json_rpc_schema};
use crate::shacl::{json_rpc_shapes, shapes};
use crate::{Encoder, Error, Options, Profile, Syntax, context, ontology, yaml};

/// Where a register has what its blocks are made from. Its tool refuses a block with two files for one thing here, such as a schema in
/// YAML and in JSON, or an ontology that the metadata name too.
const SOURCES: &str = "_sources";
/// Where a register publishes schemas, contexts and ontologies.
const ANNOTATED: &str = "build/annotated";
/// Where a register publishes the pages for people.
const PAGES: &str = "build/generateddocs/markdown";

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
    for place in [SOURCES, ANNOTATED] {
        files.push(File { path: format!("{place}/{}/ontology.ttl", folder(BUILDING_BLOCK)), text: ontology() });
    }
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
        Self {
            folder: folder(revision),
            name: format!("MCP {revision}"),
            summary: format!(
                "The messages of the Model Context Protocol, revision {revision}, annotated so that they are linked data."
            ),
            revision,
            schema: block_schema(revision, Profile::Plain),
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
            (SOURCES, "bblock.json", format!("{:#}\n", self.metadata())),
            (SOURCES, "description.md", self.description()),
            (SOURCES, "schema.yaml", schema_yaml.clone()),
            (SOURCES, "context.jsonld", context.clone()),
            (SOURCES, "shapes.ttl", self.shapes.clone()),
            (SOURCES, "examples.yaml", yaml(&self.example_list())),
            (ANNOTATED, "schema.yaml", schema_yaml),
            (ANNOTATED, "schema.json", format!("{:#}\n", self.schema)),
            (ANNOTATED, "context.jsonld", context),
            (PAGES, "index.md", page),
        ];
        let mut files: Vec<File> = named.into_iter().map(|(place, name, text)| self.file(place, name, text)).collect();
        for example in shown {
            for (ending, text) in [("json", example.json), ("jsonld", example.json_ld), ("ttl", example.turtle)] {
                files.push(self.file(SOURCES, &format!("examples/{}.{ending}", example.file), text));
            }
        }
        Ok(files)
    }

    fn file(&self, place: &str, name: &str, text: String) -> File {
        File { path: format!("{place}/{}/{name}", self.folder), text }
    }

    fn metadata(&self) -> Json {
        let mut metadata = json!({
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
            "shaclShapes": ["shapes.ttl"],
        });
        if !self.is_json_rpc {
            metadata["dependsOn"] = json!(["mcp.json-rpc"]);
            // The block with the ontology has it as a file.
            if self.revision != BUILDING_BLOCK {
                metadata["ontology"] = format!("../{}/ontology.ttl", folder(BUILDING_BLOCK)).into();
            }
        }
        metadata
    }

    fn description(&self) -> String {
        let types = self.schema[definitions_key(self.revision)].as_object().map_or(0, |types| types.len());
        let published = match self.revision == BUILDING_BLOCK {
            true => {
                " Two values may be more than in the block of version 1.0.0, as in the official schema: bounds of a `NumberSchema` \
                     may be fractions, and a `ProgressToken` may be an integer."
            }
            false => "",
        };
        format!(
            "{}\n\nThe schema has {types} types. Every member of a message is a term of the vocabulary `{}`; the context is the same for \
             all revisions. Arrays are sets here: what needs their order, nulls, or names that are no IRIs back uses the profiles \
             `lossless` or `json` of `jackfield rdf convert`.{published}\n",
            self.summary,
            crate::VOCABULARY,
        )
    }

    fn example_list(&self) -> Json {
        let snippets = |example: &Example| {
            let reference = format!("#/{}/{}", definitions_key(self.revision), self.definition_of(example));
            [("json", "json"), ("jsonld", "jsonld"), ("turtle", "ttl")].map(|(language, ending)| {
                let mut snippet = json!({ "language": language, "ref": format!("examples/{}.{ending}", example.file) });
                // Turtle is judged by the shapes.
                if language != "turtle" {
                    snippet["schema-ref"] = reference.clone().into();
                }
                snippet
            })
        };
        let examples = self.examples.iter().map(|example| {
            json!({
                "title": example.title,
                "content": format!("A message of the type {}.", example.class),
                "snippets": snippets(example),
            })
        });
        json!({ "examples": examples.collect::<Vec<_>>() })
    }

    /// The definition of the schema that describes the whole message of an example: its own, or that of all messages of its kind.
    fn definition_of(&self, example: &Example) -> &'static str {
        let message = &example.message;
        let kinds: [&str; 3] = if message.get("result").is_some() {
            // The class of the example is that of the result.
            ["JSONRPCResultResponse", "JSONRPCResponse", ""]
        } else if message.get("error").is_some() {
            [example.class, "JSONRPCErrorResponse", "JSONRPCError"]
        } else if message.get("id").is_some() {
            [example.class, "JSONRPCRequest", ""]
        } else {
            [example.class, "JSONRPCNotification", ""]
        };
        let definitions = &self.schema[definitions_key(self.revision)];
        kinds
            .into_iter()
            .find(|kind| definitions.get(kind).is_some())
            .expect("every schema defines the messages of JSON-RPC")
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
