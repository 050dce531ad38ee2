//! Where a server listens.
//!
//! - [`Server::run`](crate::Server::run) serves the standard streams. They belong to the protocol from then on: what your code prints goes to
//!   standard error instead. It ends when the client closes the stream, or after `Ctrl-C` or SIGTERM.
//! - [`Server::run_cli`](crate::Server::run_cli) does what the command line of your program says: the standard streams, or `--http ADDRESS`;
//!   `--store URL` stores sessions and tasks, `--tape FILE` records every message (see [`Server::tape`](crate::Server::tape)). It answers
//!   `--help` and `--version`, and refuses everything else. A program with options of its own reads them itself and calls one of the others.
//! - [`Server::serve_stream`](crate::Server::serve_stream) serves any byte stream with one message per line.
//! - `Server::serve_http` (feature `http`) listens for HTTP: Streamable HTTP of every revision at `/mcp`, HTTP+SSE of 2024-11-05 at
//!   `/sse`, and `/healthz` for load balancers. `RunningServer::http_service` is the same as a `tower` service for an application of your own.
//!   By default it lets in only what comes from this machine; `HttpConfig` says who else may come. The features `tls` and
//!   `telemetry` add what a server in public needs. A `SharedToken` as authenticator keeps out other processes of the same machine.
//!
//! A [`Server`](crate::Server) is a builder, and all of these build it, start it, serve and stop it. To serve it in several ways at once, or in a
//! program of your own, do it by steps: [`build`](crate::Server::build) checks it, [`start`](crate::server::BuiltServer::start) opens its lifespans, and
//! the [`RunningServer`](crate::RunningServer) serves any number of streams and HTTP requests until it is
//! [stopped](crate::RunningServer::stop).
//!
//! [`CallLimits`](crate::transport::CallLimits), set with [`Server::limits`](crate::Server::limits), hold over every transport: how many requests may be under
//! way, how long a handler may take, how often one caller may call tools, ask for completions and be sent
//! log messages. The rates are far above what anyone needs; a server whose tools cost money sets them lower.
//!
//! ```
//! use jackfield::transport::ByteStream;
//! use jackfield::Server;
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
