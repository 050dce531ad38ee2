//! The server over real connections, for every revision.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod demo;
mod talk;

mod basics;
mod building;
mod client_handle;
mod handles;
#[cfg(feature = "http")]
mod http;
mod kept_subscriptions;
mod lists;
mod pages;
mod param_headers;
mod progress;
mod prompts;
mod questions;
mod rates;
mod resources;
mod roots;
mod sampling;
#[cfg(feature = "skills")]
mod skills;
mod state;
mod subscription_model;
mod subscriptions;
mod tasks;
mod tools;
mod unanswered;
mod visits;
