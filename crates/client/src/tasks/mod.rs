//! Calls that became tasks of the server.

mod follow;
mod stored_id;

pub(crate) use stored_id::StoredTaskId;
