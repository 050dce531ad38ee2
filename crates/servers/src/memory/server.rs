//! The tools and the graph as a resource.

use std::path::PathBuf;
use std::sync::Arc;

use jackfield::protocol::{CallToolResult, ErrorObject, ReadResourceResult, Resource, ResourceContents, Tool};
use jackfield::server::{Address, Reading, ResourceEntry, ToolEntry, Variables, Work};
use jackfield::{Cx, Outcome as Answer, Server};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::change::{Change, Outcome};
use super::entity::{Added, Addition, Deletion, Entity, Relation, Selection};
use super::graph::Graph;
use super::store::Store;
use super::{extra, listings};
use crate::tool::{definition, hints, schema, structured, tool};
use crate::typescript;

/// How the memory server behaves.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The file of the graph.
    pub path: PathBuf,
    /// Whether there are tools for looking at a large graph part by part.
    pub extra_tools: bool,
}

impl Options {
    /// The graph in a file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), extra_tools: false }
    }
}

/// The directory of the graph cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenError(pub String);

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the memory file cannot be used: {}", self.0)
    }
}

impl std::error::Error for OpenError {}

const GRAPH_URI: &str = "memory://knowledge-graph";
/// The longest text of an answer; the same is repeated as structured content.
const LONGEST: usize = 16 << 20;

/// Makes the memory server. The directory of the file is made if there is none; the file itself is read with the first call.
///
/// # Errors
/// The directory cannot be made.
pub fn server(options: Options) -> Result<Server, OpenError> {
    let store = Store::open(&options.path).map_err(|error| OpenError(error.to_string()))?;
    let store = Arc::new(store);
    let server = typescript::server("memory-server").version("0.6.3");
    let server = changing(server, &store);
    let mut server = reading(server, &store);
    if options.extra_tools {
        server = extra::add(server, &store);
    }
    let closing = store.clone();
    let server = server.lifespan(
        move || std::future::ready(Open(closing.clone())),
        |open| async move { drop(tokio::task::spawn_blocking(move || open.0.close()).await) },
    );
    Ok(server.resource(graph_resource(store)))
}

/// The store, while the server serves.
struct Open(Arc<Store>);

fn changing(server: Server, store: &Arc<Store>) -> Server {
    let creates = [false, false, false];
    let deletes = [false, true, true];
    let about = "Adds entities to the knowledge graph. Those whose names are known are left out.";
    let entities =
        listed("create_entities", "Create Entities", about, creates, [listings::ENTITIES, listings::CREATED_ENTITIES]);
    let about = "Adds relations between entities to the knowledge graph, in the active voice. Known ones are left out.";
    let relations = listed(
        "create_relations",
        "Create Relations",
        about,
        creates,
        [listings::RELATIONS, listings::CREATED_RELATIONS],
    );
    let about =
        "Adds observations to entities of the knowledge graph. Known ones are left out; an unknown entity is an error.";
    let observations =
        listed("add_observations", "Add Observations", about, creates, [listings::ADDITIONS, listings::ADDED]);
    let about = "Removes entities from the knowledge graph, with all relations that they are part of.";
    let delete_entities =
        listed("delete_entities", "Delete Entities", about, deletes, [listings::NAMES_TO_DELETE, listings::DELETED]);
    let about = "Removes observations from entities of the knowledge graph.";
    let delete_observations =
        listed("delete_observations", "Delete Observations", about, deletes, [listings::DELETIONS, listings::DELETED]);
    let about = "Removes relations from the knowledge graph.";
    let delete_relations =
        listed("delete_relations", "Delete Relations", about, deletes, [listings::RELATIONS, listings::DELETED]);
    server
        .tool(change(entities, store, |Entities { entities }| Change::CreateEntities { entities }))
        .tool(change(relations, store, |Relations { relations }| Change::CreateRelations { relations }))
        .tool(change(observations, store, |Additions { observations }| Change::AddObservations { observations }))
        .tool(change(delete_entities, store, |EntityNames { names }| Change::DeleteEntities { names }))
        .tool(change(delete_observations, store, |Deletions { deletions }| Change::DeleteObservations { deletions }))
        .tool(change(delete_relations, store, |Relations { relations }| Change::DeleteRelations { relations }))
}

fn reading(server: Server, store: &Arc<Store>) -> Server {
    let hint = [true, false, true];
    let whole = listed(
        "read_graph",
        "Read Graph",
        "Returns the whole knowledge graph.",
        hint,
        [listings::NOTHING, listings::GRAPH],
    );
    let about = "Finds entities of the knowledge graph by a text in their name, type or observations, and returns them with their relations.";
    let search = listed("search_nodes", "Search Nodes", about, hint, [listings::QUERY, listings::GRAPH]);
    let about = "Returns entities of the knowledge graph by their exact names, with their relations.";
    let open = listed("open_nodes", "Open Nodes", about, hint, [listings::NAMES, listings::GRAPH]);
    server
        .tool(read(whole, store, |graph, Nothing {}| selected(&graph.all())))
        .tool(read(search, store, |graph, Query { query }| selected(&graph.search(&query))))
        .tool(read(open, store, |graph, Names { names }| selected(&graph.open(&names))))
}

#[derive(Deserialize)]
struct Entities {
    entities: Vec<Entity>,
}

#[derive(Deserialize)]
struct Relations {
    relations: Vec<Relation>,
}

#[derive(Deserialize)]
struct Additions {
    observations: Vec<Addition>,
}

#[derive(Deserialize)]
struct EntityNames {
    #[serde(rename = "entityNames")]
    names: Vec<String>,
}

#[derive(Deserialize)]
struct Deletions {
    deletions: Vec<Deletion>,
}

#[derive(Deserialize)]
struct Nothing {}

#[derive(Deserialize)]
struct Query {
    query: String,
}

#[derive(Deserialize)]
struct Names {
    names: Vec<String>,
}

/// Makes a definition; the hints are readOnly, destructive and idempotent.
pub(super) fn listed(name: &str, title: &str, about: &str, hint: [bool; 3], [input, output]: [&str; 2]) -> Tool {
    let [read_only, destructive, idempotent] = hint.map(Some);
    definition(name, about, input).with_title(title).with_output_schema(schema(output)).with_annotations(hints([
        read_only,
        destructive,
        idempotent,
        Some(false),
    ]))
}

/// Makes a tool that looks at the graph.
pub(super) fn read<A, F>(definition: Tool, store: &Arc<Store>, look: F) -> ToolEntry
where
    A: DeserializeOwned + Send + 'static,
    F: Fn(&Graph, A) -> Result<CallToolResult, String> + Clone + Send + Sync + 'static,
{
    let store = store.clone();
    typescript::tool(tool(definition, move |arguments: A, _| {
        let (store, look) = (store.clone(), look.clone());
        beside(move || store.read(|graph| look(graph, arguments))?)
    }))
}

/// Makes a tool that changes the graph.
fn change<A: DeserializeOwned + Send + 'static>(
    definition: Tool,
    store: &Arc<Store>,
    read: fn(A) -> Change,
) -> ToolEntry {
    let store = store.clone();
    typescript::tool(tool(definition, move |arguments: A, cx: Cx| {
        let store = store.clone();
        async move {
            let changed = beside(move || {
                let change = read(arguments);
                changed(&change, store.change(&change)?)
            });
            let result = changed.await?;
            cx.notify_resource_updated(GRAPH_URI);
            Ok::<_, String>(result)
        }
    }))
}

/// Uses the disk beside the protocol loop. A change goes on to its end, whatever becomes of its call.
async fn beside<T: Send + 'static>(work: impl FnOnce() -> Result<T, String> + Send + 'static) -> Result<T, String> {
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err("the server is shutting down".to_owned()),
        },
    }
}

fn changed(change: &Change, outcome: Outcome) -> Result<CallToolResult, String> {
    let message = match (change, &outcome) {
        (_, Outcome::Entities(entities)) => return listing(entities, &Created::Entities(entities)),
        (_, Outcome::Relations(relations)) => return listing(relations, &Created::Relations(relations)),
        (_, Outcome::Observations(added)) => return listing(added, &Created::Results(added)),
        (Change::DeleteObservations { .. }, Outcome::Deleted) => "Observations deleted successfully",
        (Change::DeleteRelations { .. }, Outcome::Deleted) => "Relations deleted successfully",
        (_, Outcome::Deleted) => "Entities deleted successfully",
    };
    Ok(CallToolResult::text(message).with_structured(structured(&Deleted { success: true, message })?))
}

/// What came of a change, as an object with one member.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Created<'a> {
    Entities(&'a [Entity]),
    Relations(&'a [Relation]),
    Results(&'a [Added]),
}

#[derive(Serialize)]
struct Deleted {
    success: bool,
    message: &'static str,
}

fn listing(items: &impl Serialize, data: &Created<'_>) -> Result<CallToolResult, String> {
    let text = serde_json::to_string_pretty(items).map_err(|error| error.to_string())?;
    Ok(CallToolResult::text(text).with_structured(structured(data)?))
}

fn selected(selection: &Selection) -> Result<CallToolResult, String> {
    Ok(CallToolResult::text(pretty(selection)?).with_structured(structured(selection)?))
}

/// Writes a part of the graph, if it is not too large for one answer.
fn pretty(selection: &Selection) -> Result<String, String> {
    let text = serde_json::to_string_pretty(selection).map_err(|error| error.to_string())?;
    if text.len() > LONGEST {
        let (entities, relations) = (selection.entities.len(), selection.relations.len());
        return Err(format!(
            "{entities} entities and {relations} relations are too much for one answer, which has at most {LONGEST} bytes; use \
             search_nodes or open_nodes for a part of them"
        ));
    }
    Ok(text)
}

fn graph_resource(store: Arc<Store>) -> ResourceEntry {
    let listed = Resource::new(GRAPH_URI, "knowledge-graph")
        .with_title("Knowledge Graph")
        .with_description("All entities and relations")
        .with_mime_type("application/json");
    ResourceEntry::new(Address::Static(listed), move |Reading { uri, .. }: Reading, _: Variables, _: Cx| {
        let store = store.clone();
        Work::later(async move {
            let text = beside(move || store.read(|graph| pretty(&graph.all()))?).await;
            let text = text.map_err(ErrorObject::internal)?;
            let contents = ResourceContents::text(uri, text).with_mime_type("application/json");
            Ok(Answer::Complete(ReadResourceResult::new(vec![contents])))
        })
    })
}
