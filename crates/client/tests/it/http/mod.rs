//! Servers over HTTP: the three forms, and those that misbehave.

mod authorization;
mod forms;
mod hostile;
#[cfg(unix)]
mod killed;
mod site;
mod streams;
#[cfg(feature = "tls")]
mod tls;
