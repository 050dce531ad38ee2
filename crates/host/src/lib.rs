//! The servers that a person has configured: the `mcp.json` files of editors and assistants, read and changed.
//!
//! ```
//! use std::path::Path;
//!
//! use jackfield_host::{ConfigFile, Reach, Variables};
//!
//! let text = r#"{"mcpServers": {
//!     "files": {"command": "file-server", "args": ["${workspaceFolder}/docs"]}, // comments are fine
//! }}"#;
//! let file = ConfigFile::parse(text)?;
//! let environment = |name: &str| std::env::var(name).ok();
//! let variables = Variables { environment: &environment, folder: Path::new("/project") };
//! let Some(Reach::Command(command)) = file.reach("files", &variables).transpose()? else { panic!() };
//! assert_eq!(command.line(), "file-server /project/docs");
//! # Ok::<(), jackfield_host::ConfigError>(())
//! ```
//!
//! All forms that are in use are read: those of Claude, Cursor and others, of VS Code, and of settings that hold one of them. Nothing is
//! started or connected to here, and nothing but an `envFile` and the file of [`Approvals`] is opened.

mod approvals;
mod config;
mod document;
mod edit;
mod entry;
mod env_file;
mod error;
mod jsonc;
mod reach;
mod variables;

pub use approvals::{Approvals, EntryDigest};
pub use config::{ConfigFile, EntrySummary, project_folder};
pub use edit::{with_server, without_server};
pub use error::ConfigError;
pub use reach::{CommandTarget, Header, Reach, UrlTarget, quoted};
pub use variables::Variables;
