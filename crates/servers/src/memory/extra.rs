//! Tools for looking at a large graph part by part: names first, in pages, with filters.

use std::collections::BTreeMap;
use std::sync::Arc;

use jackfield::Server;
use jackfield::protocol::CallToolResult;
use serde::{Deserialize, Serialize};

use super::entity::Relation;
use super::graph::Graph;
use super::search::contains;
use super::server::{listed, read};
use super::store::Store;
use crate::tool::pretty;

pub(super) fn add(server: Server, store: &Arc<Store>) -> Server {
    let hint = [true, false, true];
    let about = "Says how large the knowledge graph is, and which types of entities and relations it has.";
    let summary = listed("summarize_graph", "Summarize Graph", about, hint, [NOTHING, SUMMARY]);
    let about = "Lists names and types of entities of the knowledge graph, page by page, without their observations.";
    let entities = listed("list_entities", "List Entities", about, hint, [ENTITY_PAGE, ENTITIES]);
    let about = "Lists relations of the knowledge graph, page by page.";
    let relations = listed("list_relations", "List Relations", about, hint, [RELATION_PAGE, RELATIONS]);
    server
        .tool(read(summary, store, |graph, _: serde_json::Value| summarize(graph)))
        .tool(read(entities, store, |graph, page: EntityPage| list_entities(graph, &page)))
        .tool(read(relations, store, |graph, page: RelationPage| list_relations(graph, &page)))
}

const NOTHING: &str = r#"{"type":"object","properties":{}}"#;
const SUMMARY: &str = r#"{"type":"object","properties":{"entities":{"type":"number"},"relations":{"type":"number"},"observations":{"type":"number"},"entityTypes":{"type":"object","additionalProperties":{"type":"number"}},"relationTypes":{"type":"object","additionalProperties":{"type":"number"}}},"required":["entities","relations","observations","entityTypes","relationTypes"],"additionalProperties":false}"#;
const ENTITY_PAGE: &str = r#"{"type":"object","properties":{"entityType":{"type":"string","description":"Only entities of exactly this type."},"nameContains":{"type":"string","description":"Only entities whose names contain this text; upper and lower case are the same."},"offset":{"type":"integer","minimum":0,"maximum":9007199254740991,"default":0,"description":"How many to skip: nextOffset of the page before."},"limit":{"type":"integer","minimum":1,"maximum":1000,"default":100,"description":"How many to return."}}}"#;
const ENTITIES: &str = r#"{"type":"object","properties":{"total":{"type":"number"},"nextOffset":{"type":"number"},"entities":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"entityType":{"type":"string"},"observationCount":{"type":"number"}},"required":["name","entityType","observationCount"],"additionalProperties":false}}},"required":["total","entities"],"additionalProperties":false}"#;
const RELATION_PAGE: &str = r#"{"type":"object","properties":{"from":{"type":"string","description":"Only relations from the entity with exactly this name."},"to":{"type":"string","description":"Only relations to the entity with exactly this name."},"relationType":{"type":"string","description":"Only relations of exactly this type."},"offset":{"type":"integer","minimum":0,"maximum":9007199254740991,"default":0,"description":"How many to skip: nextOffset of the page before."},"limit":{"type":"integer","minimum":1,"maximum":1000,"default":100,"description":"How many to return."}}}"#;
const RELATIONS: &str = r#"{"type":"object","properties":{"total":{"type":"number"},"nextOffset":{"type":"number"},"relations":{"type":"array","items":{"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string"},"relationType":{"type":"string"}},"required":["from","to","relationType"],"additionalProperties":false}}},"required":["total","relations"],"additionalProperties":false}"#;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct EntityPage {
    entity_type: Option<String>,
    name_contains: Option<String>,
    offset: f64,
    limit: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RelationPage {
    from: Option<String>,
    to: Option<String>,
    relation_type: Option<String>,
    offset: f64,
    limit: f64,
}

impl Default for EntityPage {
    fn default() -> Self {
        Self { entity_type: None, name_contains: None, offset: 0.0, limit: 100.0 }
    }
}

impl Default for RelationPage {
    fn default() -> Self {
        Self { from: None, to: None, relation_type: None, offset: 0.0, limit: 100.0 }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    entities: usize,
    relations: usize,
    observations: usize,
    entity_types: BTreeMap<String, usize>,
    relation_types: BTreeMap<String, usize>,
}

fn summarize(graph: &Graph) -> Result<CallToolResult, String> {
    let (mut entity_types, mut relation_types) = (BTreeMap::new(), BTreeMap::new());
    let (mut entities, mut relations, mut observations) = (0, 0, 0);
    for entity in graph.entities() {
        (entities, observations) = (entities + 1, observations + entity.observations.len());
        *entity_types.entry(entity.entity_type).or_insert(0) += 1;
    }
    for relation in graph.relations() {
        relations += 1;
        *relation_types.entry(relation.relation_type).or_insert(0) += 1;
    }
    pretty(&Summary { entities, relations, observations, entity_types, relation_types })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    name: String,
    entity_type: String,
    observation_count: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EntityNames {
    total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    entities: Vec<Named>,
}

fn list_entities(graph: &Graph, page: &EntityPage) -> Result<CallToolResult, String> {
    let part = page.name_contains.as_deref().map(str::to_lowercase);
    let wanted = graph.entities().filter(|entity| {
        page.entity_type.as_ref().is_none_or(|wanted| entity.entity_type == *wanted)
            && part.as_deref().is_none_or(|part| contains(&entity.name, part))
    });
    let named = wanted.map(|entity| Named {
        name: entity.name,
        entity_type: entity.entity_type,
        observation_count: entity.observations.len(),
    });
    let (total, next_offset, entities) = cut(named, page.offset, page.limit);
    pretty(&EntityNames { total, next_offset, entities })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FoundRelations {
    total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    relations: Vec<Relation>,
}

fn list_relations(graph: &Graph, page: &RelationPage) -> Result<CallToolResult, String> {
    let is = |wanted: &Option<String>, text: &str| wanted.as_deref().is_none_or(|wanted| wanted == text);
    let wanted = graph.relations().filter(|relation| {
        is(&page.from, &relation.from) && is(&page.to, &relation.to) && is(&page.relation_type, &relation.relation_type)
    });
    let (total, next_offset, relations) = cut(wanted, page.offset, page.limit);
    pretty(&FoundRelations { total, next_offset, relations })
}

/// Cuts a page out of a list. Returns how long the list is, where the next page begins, and the page.
fn cut<T>(items: impl Iterator<Item = T>, offset: f64, limit: f64) -> (usize, Option<usize>, Vec<T>) {
    let (offset, limit) = (offset as usize, limit as usize);
    let (mut total, mut page) = (0, Vec::new());
    for item in items {
        if total >= offset && page.len() < limit {
            page.push(item);
        }
        total += 1;
    }
    let end = offset.saturating_add(page.len());
    (total, (end < total).then_some(end), page)
}
