//! What a knowledge graph is made of.

use serde::{Deserialize, Serialize};

/// Something that is known, and what is known about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entity {
    pub(super) name: String,
    #[serde(default)]
    pub(super) entity_type: String,
    #[serde(default)]
    pub(super) observations: Vec<String>,
}

/// How one entity relates to another. Neither has to exist.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Relation {
    pub(super) from: String,
    pub(super) to: String,
    #[serde(default)]
    pub(super) relation_type: String,
}

/// A part of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Selection {
    pub(super) entities: Vec<Entity>,
    pub(super) relations: Vec<Relation>,
}

/// Observations to add to an entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Addition {
    pub(super) entity_name: String,
    pub(super) contents: Vec<String>,
}

/// The observations that an entity did not have before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Added {
    pub(super) entity_name: String,
    pub(super) added_observations: Vec<String>,
}

/// Observations to remove from an entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Deletion {
    pub(super) entity_name: String,
    pub(super) observations: Vec<String>,
}
