//! Standard streams on Windows, through the runtime's own threads.

use std::io;

use crate::ByteStream;

#[expect(
    clippy::disallowed_methods,
    reason = "Windows has no non-blocking standard streams; this is the one place that takes them"
)]
pub(super) fn open() -> io::Result<ByteStream> {
    Ok(ByteStream::new(tokio::io::stdin(), tokio::io::stdout()))
}
