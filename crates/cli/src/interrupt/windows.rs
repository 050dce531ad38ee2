//! Ctrl-C.

use crate::failure::Class;

/// Waits until the process is asked to stop, and says how.
pub(crate) async fn interrupted() -> Class {
    match tokio::signal::ctrl_c().await {
        Ok(()) => Class::Interrupted,
        Err(_) => std::future::pending().await,
    }
}
