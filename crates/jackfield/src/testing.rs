//! Testing a server in memory, for every revision. The [guide](crate::guide::testing) shows how.

pub use jackfield_server::testing::{Notification, TestClient};
