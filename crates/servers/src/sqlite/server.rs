//! The tools, the memo as a resource, and the demonstration as a prompt.

use std::path::PathBuf;
use std::sync::Arc;

use jackfield::protocol::{
    CallToolResult, ContentBlock, ErrorObject, GetPromptResult, Prompt, PromptArgument, PromptMessage, RawJson,
    ReadResourceResult, Resource, ResourceContents, ResourceUpdatedParams, Role, Tool,
};
use jackfield::server::{Address, PromptEntry, Reading, ResourceEntry, ToolEntry, Variables, Work};
use jackfield::{Cx, Outcome, Server};
use serde::Deserialize;

use super::answers;
use super::database::{AbandonOnDrop, Abandoned, Database, Limits};
use super::memo::Memo;
use super::prompt::demonstration;
use super::rows::Rows;
use super::statement::beginning;
use crate::handshake;
use crate::tool::{definition, hints, schema, structured, tool};
use crate::untrusted;

/// How the SQLite server behaves.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The file of the database.
    pub path: PathBuf,
    /// Whether nothing is ever written; the tools that write are not offered then.
    pub read_only: bool,
    /// What one statement may cost.
    pub limits: Limits,
}

impl Options {
    /// The database in a file, to be read and written.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), read_only: false, limits: Limits::default() }
    }
}

/// The database cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenError(pub String);

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the database cannot be opened: {}", self.0)
    }
}

impl std::error::Error for OpenError {}

pub(super) const PROMPT: &str = "mcp-demo";
const MEMO: &str = "memo://insights";

/// Makes the SQLite server. The database is made if there is none.
///
/// # Errors
/// The database cannot be opened.
pub fn server(options: Options) -> Result<Server, OpenError> {
    let Options { path, read_only, limits } = options;
    let database = Database::open(path, limits, read_only).map_err(OpenError)?;
    let memo = Arc::new(Memo::default());
    let server = handshake::uncached(Server::new("sqlite").version("0.1.0").logging(false)).middleware(answers::answer);
    let mut server = server.tool(reading(&database));
    if !read_only {
        server = server.tool(writing(&database)).tool(creating(&database));
    }
    let server = server.tool(listing(&database)).tool(describing(&database)).tool(noting(&memo));
    Ok(server.resource(memo_resource(&memo)).resource_read(other_resource).prompt(demo_prompt()))
}

#[derive(Deserialize)]
struct Query {
    query: String,
}

#[derive(Deserialize)]
struct Table {
    table_name: String,
}

#[derive(Deserialize)]
struct Insight {
    insight: String,
}

#[derive(Deserialize)]
struct Nothing {}

/// A failure that is an ordinary result, in the words of the original.
enum Failed {
    Database(String),
    Argument(&'static str),
}

const QUERY: &str = r#"{"type":"object","properties":{"query":{"type":"string","description":"One SQL statement."}},"required":["query"]}"#;
const TABLE: &str = r#"{"type":"object","properties":{"table_name":{"type":"string","description":"The name of the table; it may be quoted as in SQL."}},"required":["table_name"]}"#;
const INSIGHT: &str = r#"{"type":"object","properties":{"insight":{"type":"string","description":"One finding, in a sentence or two."}},"required":["insight"]}"#;
const NOTHING: &str = r#"{"type":"object","properties":{}}"#;
const ROWS: &str = r#"{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object"}},"truncated":{"type":"boolean"},"error":{"type":"string"}},"required":["rows","truncated"]}"#;

fn with_rows(tool: Tool, hint: [bool; 4]) -> Tool {
    tool.with_output_schema(schema(ROWS)).with_annotations(hints(hint.map(Some)))
}

fn reading(database: &Database) -> ToolEntry {
    let about = "Runs one SELECT statement and returns its rows. It cannot change anything.";
    let definition = with_rows(definition("read_query", about, QUERY), [true, false, true, false]);
    running(definition, database, |database, Query { query }, abandoned| {
        if !beginning(&query).starts_with("SELECT") {
            return Err(Failed::Argument("Only SELECT queries are allowed for read_query"));
        }
        database.read(&query, abandoned).map_err(Failed::Database)
    })
}

fn writing(database: &Database) -> ToolEntry {
    let about =
        "Runs one INSERT, UPDATE, DELETE, CREATE, DROP or ALTER statement and returns how many rows it changed.";
    let definition = with_rows(definition("write_query", about, QUERY), [false, true, false, false]);
    running(definition, database, |database, Query { query }, abandoned| {
        if beginning(&query).starts_with("SELECT") {
            return Err(Failed::Argument("SELECT queries are not allowed for write_query"));
        }
        database.write(&query, abandoned).map_err(Failed::Database)
    })
}

fn listing(database: &Database) -> ToolEntry {
    let definition = definition("list_tables", "Lists the names of all tables.", NOTHING);
    let definition = with_rows(definition, [true, false, true, false]);
    running(definition, database, |database, Nothing {}, abandoned| {
        database.tables(abandoned).map_err(Failed::Database)
    })
}

fn describing(database: &Database) -> ToolEntry {
    let about =
        "Returns the columns of a table: name, type, whether it may be NULL, default and place in the primary key.";
    let definition = with_rows(definition("describe_table", about, TABLE), [true, false, true, false]);
    running(definition, database, |database, Table { table_name }, abandoned| {
        database.columns(&table_name, abandoned).map_err(Failed::Database)
    })
}

fn creating(database: &Database) -> ToolEntry {
    let definition = definition("create_table", "Runs one CREATE TABLE statement.", QUERY).with_annotations(hints([
        Some(false),
        Some(false),
        Some(false),
        Some(false),
    ]));
    let database = database.clone();
    answers::tool(tool(definition, move |Query { query }: Query, _| {
        let database = database.clone();
        async move {
            if !beginning(&query).starts_with("CREATE TABLE") {
                return CallToolResult::text("Error: Only CREATE TABLE statements are allowed");
            }
            match beside(move |abandoned| database.write(&query, abandoned)).await {
                Ok(_) => CallToolResult::text("Table created successfully"),
                Err(error) => CallToolResult::text(format!("Database error: {error}")),
            }
        }
    }))
}

fn noting(memo: &Arc<Memo>) -> ToolEntry {
    let definition = definition("append_insight", "Adds a finding to the memo at memo://insights.", INSIGHT)
        .with_annotations(hints([Some(false), Some(false), Some(false), Some(false)]));
    let memo = memo.clone();
    answers::tool(tool(definition, move |Insight { insight }: Insight, cx: Cx| {
        let memo = memo.clone();
        async move {
            match memo.add(insight) {
                Ok(()) => {
                    notify(&cx);
                    CallToolResult::text("Insight added to memo")
                }
                Err(error) => CallToolResult::text(format!("Error: {error}")),
            }
        }
    }))
}

/// Makes a tool that returns rows.
fn running<A, F>(definition: Tool, database: &Database, run: F) -> ToolEntry
where
    A: serde::de::DeserializeOwned + Send + 'static,
    F: Fn(&Database, A, &Abandoned) -> Result<Rows, Failed> + Clone + Send + Sync + 'static,
{
    let database = database.clone();
    answers::tool(tool(definition, move |arguments: A, _| {
        let (database, run) = (database.clone(), run.clone());
        async move { shown(beside(move |abandoned| run(&database, arguments, abandoned)).await) }
    }))
}

/// Runs a statement beside the protocol loop. It ends early if the call does.
async fn beside<T, E>(run: impl FnOnce(&Abandoned) -> Result<T, E> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: Send + 'static,
{
    let abandoned = Abandoned::default();
    let _guard = AbandonOnDrop(abandoned.clone());
    match tokio::task::spawn_blocking(move || run(&abandoned)).await {
        Ok(outcome) => outcome,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime shuts down, and the call ends with it.
            Err(_) => std::future::pending().await,
        },
    }
}

/// Turns rows into a result. What they say is data of others.
fn shown(outcome: Result<Rows, Failed>) -> Result<CallToolResult, String> {
    let rows = match outcome {
        Ok(rows) => rows,
        Err(failed) => {
            let text = match failed {
                Failed::Database(message) => format!("Database error: {message}"),
                Failed::Argument(message) => format!("Error: {message}"),
            };
            let data = serde_json::json!({"rows": [], "truncated": false, "error": text});
            return Ok(CallToolResult::text(text).with_structured(structured(&data)?));
        }
    };
    let note = rows.truncated.clone();
    let (text, json) = rows.finish();
    let blocks = [Some(text), note].into_iter().flatten().map(ContentBlock::text);
    let json = RawJson::from_text(json).map_err(|error| error.to_string())?;
    Ok(untrusted::marked(CallToolResult::new(blocks.collect::<Vec<_>>()).with_structured(json)))
}

/// Says that the memo has changed: to those who subscribed, and to the caller, who gets to know it from the original without that.
fn notify(cx: &Cx) {
    cx.notify_resource_updated(MEMO);
    if cx.session().is_some_and(|session| !session.is_subscribed(MEMO)) {
        // A client that has gone, or does not read, misses nothing that it cannot read.
        cx.client().try_notify(ResourceUpdatedParams::new(MEMO)).ok();
    }
}

fn memo_resource(memo: &Arc<Memo>) -> ResourceEntry {
    let listed = Resource::new(MEMO, "Business Insights Memo")
        .with_description("Findings that were noted with append_insight")
        .with_mime_type("text/plain");
    let memo = memo.clone();
    ResourceEntry::new(Address::Static(listed), move |Reading { uri, .. }: Reading, _: Variables, _: Cx| {
        let contents = ResourceContents::text(uri, memo.text()).with_mime_type("text/plain");
        Work::Ready(Ok(Outcome::Complete(ReadResourceResult::new(vec![contents]))))
    })
}

/// Says of a resource that there is none, in the words of the original.
async fn other_resource(uri: String, _: Cx) -> Option<jackfield::server::Done<ReadResourceResult>> {
    let shown: String = uri.chars().take(200).collect();
    let message = match shown.split_once("://") {
        Some(("memo", path)) => format!("Unknown resource path: {path}"),
        Some((scheme, _)) => format!("Unsupported URI scheme: {scheme}"),
        None => format!("Unsupported URI scheme: {}", shown.split(':').next().unwrap_or_default()),
    };
    Some(Err(ErrorObject::invalid_params(message)))
}

fn demo_prompt() -> PromptEntry {
    let mut topic = PromptArgument::new("topic");
    topic.description = Some("What the demonstration is about".to_owned());
    topic.required = Some(true);
    let mut listed = Prompt::new(PROMPT);
    listed.description = Some("A guided demonstration of this server on a topic of your choice".to_owned());
    listed.arguments = Some(vec![topic]);
    PromptEntry::new(listed, |arguments: std::collections::BTreeMap<String, String>, _: Cx| {
        let topic = arguments.get("topic").map(String::as_str).unwrap_or_default();
        let message = PromptMessage::new(Role::User, ContentBlock::text(demonstration(topic)));
        let mut result = GetPromptResult::new(vec![message]);
        result.description = Some(format!("Demo template for {topic}"));
        Work::Ready(Ok(Outcome::Complete(result)))
    })
}
