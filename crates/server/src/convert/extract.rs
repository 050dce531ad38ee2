//! Parameters of handlers that come from the context instead of the caller.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use jackfield_protocol::ErrorObject;

use super::Requirements;
use crate::Cx;

/// What can be a parameter marked with `#[extract]`: made from the context of the call.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made from the context of a call",
    label = "does not implement `FromCx`",
    note = "implement `jackfield::server::FromCx` for `{Self}`, or take `State<{Self}>` if it is state of the server"
)]
pub trait FromCx: Sized {
    /// Makes it, or says why not.
    ///
    /// # Errors
    /// What the request is answered with.
    fn from_cx(cx: &Cx) -> Result<Self, ErrorObject>;

    /// Says what it needs the server to have; nothing, unless told otherwise.
    fn requires(requirements: &mut Requirements) {
        let _ = requirements;
    }
}

impl FromCx for Cx {
    fn from_cx(cx: &Cx) -> Result<Self, ErrorObject> {
        Ok(cx.clone())
    }
}

impl<T: FromCx> FromCx for Option<T> {
    fn from_cx(cx: &Cx) -> Result<Self, ErrorObject> {
        Ok(T::from_cx(cx).ok())
    }
}

/// State of the server, shared by all calls.
pub struct State<T>(pub Arc<T>);

impl<T: Send + Sync + 'static> FromCx for State<T> {
    fn from_cx(cx: &Cx) -> Result<Self, ErrorObject> {
        cx.state::<T>().map(Self).map_err(|missing| ErrorObject::internal(missing.to_string()))
    }

    fn requires(requirements: &mut Requirements) {
        requirements.state::<T>();
    }
}

impl<T> Deref for State<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Clone for State<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: fmt::Debug> fmt::Debug for State<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("State").field(&self.0).finish()
    }
}
