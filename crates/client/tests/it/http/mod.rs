//! Servers over HTTP: the three forms, and those that misbehave.

mod authorization;
mod forms;
mod hostile;
mod site;
