//! Where a server listens.
//!
//! - [`Server::run`](crate::Server::run) does what the command line of your program says: the standard streams, or `--http ADDRESS`;
//!   `--tape FILE` records every message (see [`Server::tape`](crate::Server::tape)).
//! - [`Server::serve_stdio`](crate::Server::serve_stdio) serves the standard streams. They belong to the protocol from then on: what your code
//!   prints goes to standard error instead. It ends when the client closes the stream, or after `Ctrl-C` or SIGTERM.
//! - [`Server::serve_stream`](crate::Server::serve_stream) serves any byte stream with one message per line.
//! - `Server::serve_http` (feature `http`) listens for HTTP: Streamable HTTP of every revision at `/mcp`, HTTP+SSE of 2024-11-05 at
//!   `/sse`, and `/healthz` for load balancers. `BuiltServer::http_service` is the same as a `tower` service for an application of your own.
//!   By default it lets in only what comes from this machine; `HttpConfig` says who else may come. The features `tls`, `metrics` and
//!   `opentelemetry` add what a server in public needs. A `SharedToken` as authenticator keeps out other processes of the same machine.
//!
//! [`Limits`](crate::Limits) says how much one connection may hold and how often one caller may call tools, ask for completions and be sent
//! log messages. The rates are far above what anyone needs; a server whose tools cost money sets them lower.
//!
//! ```
//! use jackfield::{ByteStream, Server};
//! use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! // Two ends in memory; `ByteStream::both(socket)` takes a socket.
//! let (ours, theirs) = ByteStream::pair(64 * 1024);
//! let serving = Server::new("demo").serve_stream(theirs);
//! let asking = async {
//!     let (reader, mut writer) = ours.into_parts();
//!     writer.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"nothing\"}\n").await?;
//!     let mut answer = String::new();
//!     BufReader::new(reader).read_line(&mut answer).await?;
//!     Ok::<String, std::io::Error>(answer)
//! };
//! let (_, answer) = tokio::join!(serving, asking);
//! assert!(answer?.contains("-32601"));
//! # Ok(())
//! # }
//! ```
