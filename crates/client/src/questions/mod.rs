//! Questions of the server, and their answers: by the client's handlers, as requests of the legacy era, and as tasks.

mod handlers;
mod model_choice;
mod received_tasks;
mod server_requests;
mod visited_pages;

pub use model_choice::RatedModel;
pub use server_requests::TimeoutPause;

pub(crate) use handlers::{Handlers, check_root};
pub(crate) use received_tasks::{ReceivedTasks, take_wish};
pub(crate) use server_requests::Connection;
pub(crate) use visited_pages::VisitedPages;
