//! Tapes: recorded traffic, one line of JSON for each message.
//!
//! A [`Tape`] is written by connections while they go on with their work, and read by a [`Reader`]. The format is the same for all
//! transports and both sides; `docs/tape.md` of the project describes it. What says that it is secret is not recorded; see
//! [`redacted`](crate::redacted).
//!
//! ```
//! use jackfield_peer::tape::{Content, Entry, Reader, Recorder, Side, Tape};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("jackfield-tape-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let path = folder.join("example.tape");
//! let tape = Tape::append(&path)?;
//! Recorder::new(&tape, "stream").record(Side::Client, br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
//! tape.close()?;
//!
//! for entry in Reader::open(&path)? {
//!     if let Entry::Record(record) = entry? {
//!         assert!(matches!(record.content, Content::Message { .. }));
//!     }
//! }
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(())
//! # }
//! ```

mod entry;
mod reader;
mod recorder;
mod scribe;
mod writer;

pub use entry::{Content, Entry, Record, Side, VERSION};
pub use reader::{ReadError, Reader};
pub use recorder::Recorder;
pub use writer::{Note, Tape};
