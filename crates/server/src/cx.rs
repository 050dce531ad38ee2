//! What a handler knows about its call, and what it can do meanwhile.

use std::sync::Arc;

use jackfield_peer::Incoming;

/// What a handler knows about its call, and what it can do meanwhile. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Cx {
    incoming: Arc<Incoming>,
}

impl Cx {
    /// Makes the context of a request.
    #[must_use]
    pub fn new(incoming: Incoming) -> Self {
        Self { incoming: Arc::new(incoming) }
    }

    /// Returns who is calling.
    #[must_use]
    pub fn caller(&self) -> &jackfield_peer::Caller {
        &self.incoming.caller
    }
}
