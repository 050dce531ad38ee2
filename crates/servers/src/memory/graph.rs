//! A knowledge graph in memory.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use super::arena::Arena;
use super::entity::{Added, Addition, Deletion, Entity, Relation, Selection};
use super::record::Record;
use super::search::Needle;

/// Entities and relations in the order of the file, and an index of names.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// Makes the hashes that follow; nobody outside can foresee them.
    hasher: RandomState,
    arena: Arena,
    entities: Vec<Record>,
    relations: Vec<RelationRecord>,
    /// Entities by the hashes of their names. Names may be there twice, and two names may have one hash.
    by_name: Index,
    /// Relations by the hashes of all three fields.
    by_fields: Index,
}

#[derive(Clone, Copy, Debug)]
struct RelationRecord {
    record: Record,
    from: u64,
    to: u64,
}

/// Places by hashes: mostly one for each hash.
#[derive(Debug, Default)]
struct Index {
    first: HashMap<u64, u32, BuildHasherDefault<Identity>>,
    others: HashMap<u64, Vec<u32>, BuildHasherDefault<Identity>>,
}

/// Hashes of hashes are the hashes themselves.
#[derive(Debug, Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Index {
    fn add(&mut self, hash: u64, place: usize) {
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        match self.first.entry(hash) {
            std::collections::hash_map::Entry::Vacant(vacant) => drop(vacant.insert(place)),
            std::collections::hash_map::Entry::Occupied(_) => self.others.entry(hash).or_default().push(place),
        }
    }

    /// Returns the places, in the order in which they were added.
    fn get(&self, hash: u64) -> impl Iterator<Item = usize> + '_ {
        let others = if self.others.is_empty() { None } else { self.others.get(&hash) };
        self.first.get(&hash).into_iter().chain(others.into_iter().flatten()).map(|place| *place as usize)
    }
}

/// Reading.
impl Graph {
    /// Returns every entity and relation.
    pub(super) fn all(&self) -> Selection {
        Selection { entities: self.entities().collect(), relations: self.relations().collect() }
    }

    pub(super) fn entities(&self) -> impl Iterator<Item = Entity> + '_ {
        self.entities.iter().filter(|record| !record.is_removed()).map(|record| record.entity(&self.arena))
    }

    pub(super) fn relations(&self) -> impl Iterator<Item = Relation> + '_ {
        let alive = self.relations.iter().filter(|relation| !relation.record.is_removed());
        alive.map(|relation| relation.record.relation(&self.arena))
    }

    /// Returns the entities that a text occurs in, and their relations.
    pub(super) fn search(&self, query: &str) -> Selection {
        let needle = Needle::new(query);
        let found = self.entities.iter().filter(|record| needle.is_in(record, &self.arena));
        self.select(found.map(|record| record.entity(&self.arena)).collect())
    }

    /// Returns the entities with these names, in the order of the file, and their relations.
    pub(super) fn open(&self, names: &[String]) -> Selection {
        let mut places: Vec<usize> = names.iter().flat_map(|name| self.places(name)).collect();
        places.sort_unstable();
        places.dedup();
        self.select(places.into_iter().map(|place| self.entities[place].entity(&self.arena)).collect())
    }

    /// Adds the relations that have at least one end among the entities.
    fn select(&self, entities: Vec<Entity>) -> Selection {
        let names: HashMap<u64, Vec<&str>, BuildHasherDefault<Identity>> = {
            let mut names: HashMap<_, Vec<&str>, _> = HashMap::default();
            for entity in &entities {
                names.entry(self.hash(&entity.name)).or_default().push(&entity.name);
            }
            names
        };
        let has = |hash: u64, name: &str| names.get(&hash).is_some_and(|names| names.contains(&name));
        let candidates = self.relations.iter().filter(|relation| {
            !relation.record.is_removed() && (names.contains_key(&relation.from) || names.contains_key(&relation.to))
        });
        let relations = candidates
            .map(|candidate| (candidate, candidate.record.relation(&self.arena)))
            .filter(|(candidate, relation)| has(candidate.from, &relation.from) || has(candidate.to, &relation.to))
            .map(|(_, relation)| relation)
            .collect();
        drop(names);
        Selection { entities, relations }
    }

    /// Whether a graph that is read anew would take much less memory.
    pub(super) fn is_wasteful(&self) -> bool {
        self.arena.is_wasteful()
    }

    fn hash(&self, name: &str) -> u64 {
        self.hasher.hash_one(name)
    }

    fn places(&self, name: &str) -> Vec<usize> {
        let alive = |place: &usize| {
            let record = &self.entities[*place];
            !record.is_removed() && record.entity(&self.arena).name == name
        };
        self.by_name.get(self.hash(name)).filter(alive).collect()
    }
}

/// Changing.
impl Graph {
    /// Adds an entity, whatever is there already.
    pub(super) fn push_entity(&mut self, entity: &Entity) {
        self.by_name.add(self.hash(&entity.name), self.entities.len());
        self.entities.push(Record::of_entity(&mut self.arena, entity));
    }

    /// Adds a relation, whatever is there already.
    pub(super) fn push_relation(&mut self, relation: &Relation) {
        self.by_fields.add(self.hash_of(relation), self.relations.len());
        let (from, to) = (self.hash(&relation.from), self.hash(&relation.to));
        self.relations.push(RelationRecord { record: Record::of_relation(&mut self.arena, relation), from, to });
    }

    /// Adds the entities whose names are not known, and returns them. Two of one name are both added.
    pub(super) fn create_entities(&mut self, entities: &[Entity]) -> Vec<Entity> {
        let new: Vec<Entity> = entities.iter().filter(|entity| self.places(&entity.name).is_empty()).cloned().collect();
        new.iter().for_each(|entity| self.push_entity(entity));
        new
    }

    /// Adds the relations that are not known, and returns them. Two that are equal are both added.
    pub(super) fn create_relations(&mut self, relations: &[Relation]) -> Vec<Relation> {
        let new: Vec<Relation> =
            relations.iter().filter(|relation| self.relation_places(relation).is_empty()).cloned().collect();
        new.iter().for_each(|relation| self.push_relation(relation));
        new
    }

    /// Adds the observations that are not known, and returns them.
    ///
    /// # Errors
    /// An entity is not known; nothing is added then.
    pub(super) fn add_observations(&mut self, additions: &[Addition]) -> Result<Vec<Added>, String> {
        if let Some(unknown) = additions.iter().find(|addition| self.places(&addition.entity_name).is_empty()) {
            return Err(format!("Entity with name {} not found", unknown.entity_name));
        }
        Ok(self.add_known_observations(additions))
    }

    /// The same, but additions to unknown entities are left out.
    pub(super) fn add_known_observations(&mut self, additions: &[Addition]) -> Vec<Added> {
        let mut added = Vec::new();
        for addition in additions {
            let Some(place) = self.places(&addition.entity_name).first().copied() else { continue };
            let mut entity = self.entities[place].entity(&self.arena);
            let is_new = |content: &&String| !entity.observations.contains(content);
            let new: Vec<String> = addition.contents.iter().filter(is_new).cloned().collect();
            if !new.is_empty() {
                entity.observations.extend(new.iter().cloned());
                self.replace(place, &entity);
            }
            added.push(Added { entity_name: addition.entity_name.clone(), added_observations: new });
        }
        added
    }

    /// Removes entities, and all relations that have one of them at either end.
    pub(super) fn delete_entities(&mut self, names: &[String]) {
        for name in names {
            for place in self.places(name) {
                self.entities[place].remove(&mut self.arena);
            }
        }
        let hashes: HashMap<u64, (), BuildHasherDefault<Identity>> =
            names.iter().map(|name| (self.hash(name), ())).collect();
        for relation in &mut self.relations {
            let may_go = hashes.contains_key(&relation.from) || hashes.contains_key(&relation.to);
            if may_go && !relation.record.is_removed() {
                let Relation { from, to, .. } = relation.record.relation(&self.arena);
                if names.contains(&from) || names.contains(&to) {
                    relation.record.remove(&mut self.arena);
                }
            }
        }
    }

    /// Removes observations; those that are not known are ignored.
    pub(super) fn delete_observations(&mut self, deletions: &[Deletion]) {
        for deletion in deletions {
            let Some(place) = self.places(&deletion.entity_name).first().copied() else { continue };
            let mut entity = self.entities[place].entity(&self.arena);
            let count = entity.observations.len();
            entity.observations.retain(|known| !deletion.observations.contains(known));
            if entity.observations.len() < count {
                self.replace(place, &entity);
            }
        }
    }

    /// Removes relations; those that are not known are ignored.
    pub(super) fn delete_relations(&mut self, relations: &[Relation]) {
        for relation in relations {
            for place in self.relation_places(relation) {
                self.relations[place].record.remove(&mut self.arena);
            }
        }
    }

    fn replace(&mut self, place: usize, entity: &Entity) {
        self.arena.give_up(self.entities[place].place);
        self.entities[place] = Record::of_entity(&mut self.arena, entity);
    }

    fn hash_of(&self, relation: &Relation) -> u64 {
        self.hasher.hash_one((&relation.from, &relation.to, &relation.relation_type))
    }

    fn relation_places(&self, relation: &Relation) -> Vec<usize> {
        let alive = |place: &usize| {
            let record = &self.relations[*place].record;
            !record.is_removed() && record.relation(&self.arena) == *relation
        };
        self.by_fields.get(self.hash_of(relation)).filter(alive).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(name: &str, observations: &[&str]) -> Entity {
        let observations = observations.iter().map(|text| (*text).to_owned()).collect();
        Entity { name: name.to_owned(), entity_type: "t".to_owned(), observations }
    }

    fn relation(from: &str, to: &str) -> Relation {
        Relation { from: from.to_owned(), to: to.to_owned(), relation_type: "r".to_owned() }
    }

    fn names(selection: &Selection) -> Vec<&str> {
        selection.entities.iter().map(|entity| entity.name.as_str()).collect()
    }

    fn texts(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn known_names_are_left_out_and_equal_ones_of_one_call_are_both_added() {
        let mut graph = Graph::default();
        assert_eq!(graph.create_entities(&[entity("a", &["1"]), entity("a", &["2"])]).len(), 2);
        assert_eq!(graph.create_entities(&[entity("a", &[]), entity("__proto__", &[])]).len(), 1);
        assert_eq!(names(&graph.open(&texts(&["__proto__", "a", "a", "none"]))), ["a", "a", "__proto__"]);
        assert_eq!(graph.create_relations(&[relation("a", "x"), relation("a", "x")]).len(), 2);
        assert_eq!(graph.create_relations(&[relation("a", "x")]).len(), 0);
        graph.delete_relations(&[relation("a", "x")]);
        assert_eq!(graph.all().relations.len(), 0);
        assert_eq!(graph.create_relations(&[relation("a", "x")]).len(), 1);
    }

    #[test]
    fn observations_come_and_go() {
        let mut graph = Graph::default();
        graph.create_entities(&[entity("a", &["x"]), entity("b", &[])]);
        let add = |name: &str, contents: &[&str]| Addition { entity_name: name.to_owned(), contents: texts(contents) };
        let added = graph.add_observations(&[add("a", &["x", "y", "y"]), add("a", &["y", "z"])]).unwrap();
        assert_eq!(added[0].added_observations, ["y", "y"]);
        assert_eq!(added[1].added_observations, ["z"]);
        let missing = graph.add_observations(&[add("b", &["half"]), add("c", &["w"])]);
        assert_eq!(missing.unwrap_err(), "Entity with name c not found");
        assert_eq!(graph.open(&texts(&["b"])).entities, [entity("b", &[])]);
        graph.delete_observations(&[Deletion { entity_name: "a".to_owned(), observations: texts(&["y", "none"]) }]);
        assert_eq!(graph.open(&texts(&["a"])).entities, [entity("a", &["x", "z"])]);
    }

    #[test]
    fn an_entity_goes_with_its_relations_and_may_come_back() {
        let mut graph = Graph::default();
        graph.create_entities(&[entity("a", &[]), entity("b", &["in b"])]);
        graph.create_relations(&[relation("a", "b"), relation("b", "c"), relation("c", "a"), relation("c", "d")]);
        assert_eq!(graph.search("IN B").relations, [relation("a", "b"), relation("b", "c")]);
        graph.delete_entities(&texts(&["a", "unknown"]));
        assert_eq!(names(&graph.all()), ["b"]);
        assert_eq!(graph.all().relations, [relation("b", "c"), relation("c", "d")]);
        graph.create_entities(&[entity("a", &[])]);
        assert_eq!(names(&graph.search("")), ["b", "a"]);
    }
}
