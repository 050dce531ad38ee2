//! What the parameters of a handler need the server to have.

use std::any::{TypeId, type_name};
use std::sync::Arc;

/// What the parameters of a handler need the server to have, so that a missing part is found when the server is built and not
/// during a call. Extractors fill it in [`FromCx::requires`](crate::FromCx::requires).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirements {
    state: Vec<RequiredState>,
}

/// A type of state that a handler takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequiredState {
    /// The type, as [`Server::state`](crate::Server::state) and lifespans provide it.
    pub type_id: TypeId,
    /// The name of the type, for messages.
    pub type_name: &'static str,
    /// `Arc` of the type, which is easily provided by mistake.
    pub(crate) shared: TypeId,
}

impl Requirements {
    /// Requires state of a type.
    pub fn state<T: 'static>(&mut self) {
        let (type_id, shared) = (TypeId::of::<T>(), TypeId::of::<Arc<T>>());
        let required = RequiredState { type_id, type_name: type_name::<T>(), shared };
        if !self.state.contains(&required) {
            self.state.push(required);
        }
    }

    /// Returns the required types of state, each once.
    #[must_use]
    pub fn states(&self) -> &[RequiredState] {
        &self.state
    }
}
