//! Changes of a graph, as the journal keeps them.

use serde::{Deserialize, Serialize};

use super::entity::{Added, Addition, Deletion, Entity, Relation};
use super::graph::Graph;

/// A call that changes a graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub(super) enum Change {
    CreateEntities { entities: Vec<Entity> },
    CreateRelations { relations: Vec<Relation> },
    AddObservations { observations: Vec<Addition> },
    DeleteEntities { names: Vec<String> },
    DeleteObservations { deletions: Vec<Deletion> },
    DeleteRelations { relations: Vec<Relation> },
}

/// What came of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Entities(Vec<Entity>),
    Relations(Vec<Relation>),
    Observations(Vec<Added>),
    Deleted,
}

impl Change {
    /// Changes a graph.
    ///
    /// # Errors
    /// The graph does not have what is to be changed; it stays as it is.
    pub(super) fn apply(&self, graph: &mut Graph) -> Result<Outcome, String> {
        match self {
            Self::AddObservations { observations } => graph.add_observations(observations).map(Outcome::Observations),
            change => Ok(change.replay(graph)),
        }
    }

    /// Makes a change that has been made before, on a graph that somebody else may have changed meanwhile. What is gone stays away.
    pub(super) fn replay(&self, graph: &mut Graph) -> Outcome {
        match self {
            Self::CreateEntities { entities } => return Outcome::Entities(graph.create_entities(entities)),
            Self::CreateRelations { relations } => return Outcome::Relations(graph.create_relations(relations)),
            Self::AddObservations { observations } => {
                return Outcome::Observations(graph.add_known_observations(observations));
            }
            Self::DeleteEntities { names } => graph.delete_entities(names),
            Self::DeleteObservations { deletions } => graph.delete_observations(deletions),
            Self::DeleteRelations { relations } => graph.delete_relations(relations),
        }
        Outcome::Deleted
    }
}
