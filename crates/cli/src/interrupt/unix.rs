//! Signals.

use tokio::signal::unix::{SignalKind, signal};

use crate::failure::Class;

/// Waits until the process is asked to stop, and says how.
pub(crate) async fn interrupted() -> Class {
    let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        // Without handlers, signals end the process at once.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => Class::Interrupted,
        _ = terminate.recv() => Class::Terminated,
    }
}
