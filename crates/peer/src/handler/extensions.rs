//! Values of any type that travel with a request.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

/// At most one value of each type, put there by a transport or a middleware and found by a handler.
#[derive(Clone, Default)]
pub struct Extensions {
    // Most requests carry one value: what their transport knows of them. It needs no allocation.
    first: Option<Value>,
    // There are a few more at most, which are found faster in a row than by a hash.
    more: Vec<Value>,
}

type Value = (TypeId, Arc<dyn Any + Send + Sync>);

impl Extensions {
    /// Adds a value, in place of an earlier one of the same type.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        self.insert_shared(Arc::new(value));
    }

    /// Adds a value that is shared with others, in place of an earlier one of the same type.
    pub fn insert_shared<T: Send + Sync + 'static>(&mut self, value: Arc<T>) {
        let key = TypeId::of::<T>();
        if let Some((_, known)) = self.first.iter_mut().chain(&mut self.more).find(|(known, _)| *known == key) {
            *known = value;
        } else if self.first.is_none() {
            self.first = Some((key, value));
        } else {
            self.more.push((key, value));
        }
    }

    /// Borrows the value of a type.
    #[must_use]
    pub fn get_ref<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.find::<T>()?.downcast_ref()
    }

    /// Finds the value of a type.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.find::<T>()?.clone().downcast().ok()
    }

    fn find<T: 'static>(&self) -> Option<&Arc<dyn Any + Send + Sync>> {
        let key = TypeId::of::<T>();
        self.first.iter().chain(&self.more).find(|(known, _)| *known == key).map(|(_, value)| value)
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Extensions({})", self.first.iter().len().saturating_add(self.more.len()))
    }
}
