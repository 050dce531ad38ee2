//! Values of any type that travel with a request.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

/// At most one value of each type, put there by a transport or a middleware and found by a handler.
#[derive(Clone, Default)]
pub struct Extensions {
    // A request carries a few at most, which are found faster in a row than by a hash.
    values: Vec<(TypeId, Arc<dyn Any + Send + Sync>)>,
}

impl Extensions {
    /// Adds a value, in place of an earlier one of the same type.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        self.insert_shared(Arc::new(value));
    }

    /// Adds a value that is shared with others, in place of an earlier one of the same type.
    pub fn insert_shared<T: Send + Sync + 'static>(&mut self, value: Arc<T>) {
        let key = TypeId::of::<T>();
        match self.values.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = value,
            None => self.values.push((key, value)),
        }
    }

    /// Borrows the value of a type.
    #[must_use]
    pub fn get_ref<T: Send + Sync + 'static>(&self) -> Option<&T> {
        let key = TypeId::of::<T>();
        self.values.iter().find(|(known, _)| *known == key)?.1.downcast_ref()
    }

    /// Finds the value of a type.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let key = TypeId::of::<T>();
        self.values.iter().find(|(known, _)| *known == key)?.1.clone().downcast().ok()
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Extensions({})", self.values.len())
    }
}
