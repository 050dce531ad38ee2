//! State of a server: one value of each type, which handlers find by the type.

use std::any::{Any, TypeId, type_name};
use std::sync::Arc;

use crate::Requirements;

/// A value of a type that only whoever asks for it knows.
pub(crate) type AnyState = Arc<dyn Any + Send + Sync>;

/// A type of state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateType {
    pub(crate) id: TypeId,
    /// The name, for messages.
    pub(crate) name: &'static str,
}

impl StateType {
    pub(crate) fn of<T: 'static>() -> Self {
        Self { id: TypeId::of::<T>(), name: type_name::<T>() }
    }
}

/// Says what is missing of what an entry requires, one sentence each. `entry` names it: "tool `add`".
pub(crate) fn missing(entry: &str, requirements: &Requirements, provided: &[StateType]) -> Vec<String> {
    let has = |id| provided.iter().any(|kind| kind.id == id);
    let missing = requirements.states().iter().filter(|required| !has(required.type_id));
    missing
        .map(|required| {
            let name = required.type_name;
            let hint = match has(required.shared) {
                true => format!("; there is an `Arc<{name}>`: pass the value without `Arc`, handlers share it anyway"),
                false => String::new(),
            };
            format!(
                "{entry} takes state of type `{name}`, which nobody provides: write `.state(value)` or a lifespan{hint}"
            )
        })
        .collect()
}

/// Says which types of state are provided twice, one sentence each.
pub(crate) fn twice(provided: &[StateType]) -> impl Iterator<Item = String> {
    let is_second = |at: usize, kind: &StateType| provided.iter().take(at).any(|earlier| earlier.id == kind.id);
    provided.iter().enumerate().filter(move |(at, kind)| is_second(*at, kind)).map(|(_, kind)| {
        let name = kind.name;
        format!(
            "there are two values of state of type `{name}`, of which handlers would find one: give one of them a type of \
             its own"
        )
    })
}

/// Values of state by their type. There are few, which are found faster in a row than by a hash.
#[derive(Default)]
pub(crate) struct StateMap(Vec<(TypeId, AnyState)>);

impl StateMap {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn insert(&mut self, id: TypeId, value: AnyState) {
        self.0.push((id, value));
    }

    /// Takes over the values of another whose types are not there.
    pub(crate) fn inherit(&mut self, other: &Self) {
        for (id, value) in &other.0 {
            if self.find(*id).is_none() {
                self.0.push((*id, value.clone()));
            }
        }
    }

    pub(crate) fn get<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.find(TypeId::of::<T>())?.clone().downcast().ok()
    }

    fn find(&self, id: TypeId) -> Option<&AnyState> {
        self.0.iter().find(|(known, _)| *known == id).map(|(_, value)| value)
    }
}
