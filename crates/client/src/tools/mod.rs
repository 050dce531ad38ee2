//! Calling tools: the call, its output, and what is known of the tools from their list.

mod audit;
mod call;
mod output;
#[cfg(feature = "validation")]
mod output_check;
mod tool_catalog;

pub use call::Call;
pub use output::Output;

pub(crate) use audit::Audit;
#[cfg(feature = "validation")]
pub(crate) use output_check::OutputCheck;
#[cfg(feature = "validation")]
pub(crate) use tool_catalog::KnownTool;
pub(crate) use tool_catalog::{CatalogVersion, ToolCatalog};
