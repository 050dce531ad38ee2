//! Values of any type that travel with a request.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// At most one value of each type, put there by a transport or a middleware and found by a handler.
#[derive(Clone, Default)]
pub struct Extensions {
    #[expect(clippy::box_collection, reason = "most requests carry none; those pay for one pointer")]
    values: Option<Box<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>>,
}

impl Extensions {
    /// Adds a value, in place of an earlier one of the same type.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        self.insert_shared(Arc::new(value));
    }

    /// Adds a value that is shared with others, in place of an earlier one of the same type.
    pub fn insert_shared<T: Send + Sync + 'static>(&mut self, value: Arc<T>) {
        self.values.get_or_insert_default().insert(TypeId::of::<T>(), value);
    }

    /// Finds the value of a type.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.values.as_ref()?.get(&TypeId::of::<T>())?.clone().downcast().ok()
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.values.as_ref().map_or(0, |values| values.len());
        write!(f, "Extensions({count})")
    }
}
