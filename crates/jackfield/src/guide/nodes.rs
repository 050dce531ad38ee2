//! One server in several processes.
//!
//! Clients of the newest revision need nothing of the kind: each of their requests speaks for itself, and any process answers it. What is left
//! are the sessions of older revisions with their streams, tasks, subscriptions, and the keys that seal what travels through clients.
//! Processes that share a store share all of that, behind a load balancer of any kind: no request has to find "its" process.
//!
//! ```text
//! my-server --http 127.0.0.1:8001 --store redis://localhost
//! my-server --http 127.0.0.1:8002 --store redis://localhost
//! ```
//!
//! [`Server::run_cli`](crate::Server::run_cli) reads `--store`; [`Server::store`](crate::Server::store) takes stores that you opened yourself.
//!
//! | address | feature | for |
//! | --- | --- | --- |
//! | `memory:` | | one process; the default |
//! | `sqlite:PATH` | `sqlite` | processes of one machine; what is kept survives a restart |
//! | `redis://HOST` | `redis` | any number of machines |
//!
//! ```
//! use jackfield::Server;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let stores = jackfield::store::open("memory:")?;
//! assert!(!stores.is_shared());
//! let server = Server::new("demo").store(stores).build()?;
//! # drop(server);
//! # Ok(())
//! # }
//! ```
//!
//! # What you can rely on
//!
//! - A session that was opened at one node is served by all, for the user who opened it. A client may come back to a cut stream at any of
//!   them, answer a question or cancel a call through any, and hear of changes that any of them told, also of those that came while no
//!   node served its session.
//! - An event is stored before it is sent, so that whatever a client has seen is there for good. When a node dies in the middle of a call, the
//!   client gets an error for it (code 503, "try again") where it comes back, once and within two seconds.
//! - A call that needs no store asks it nothing: every call of the newest revision, and those of a session that the node knows as long as
//!   they are answered by plain JSON. Tokens are another matter: whether one was revoked, and whether a DPoP proof was shown before, is in
//!   the store, if the nodes share it for that.
//! - While the store is away, such calls go on. Others get status 503 with `Retry-After`; a session is never said to be over because nobody
//!   could look. When the store is back, so is everything else within a few seconds.
//!
//! # Logins
//!
//! The authorization server of the feature `auth` keeps its state in the same place, if it is told to: codes, refresh tokens, clients,
//! consent and who is logged in, how often something was tried, DPoP proofs that were shown, and also the keys that sign. So a code of one
//! node is redeemed at another, once, and a restart ends no login. A server that is protected by tokens of somebody else shares the proofs
//! by `ResourceServerBuilder::share_proofs`.
//!
//! ```
//! # #[cfg(all(feature = "auth", feature = "sqlite"))]
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use jackfield::auth::server::{AuthorizationServer, Resource, SharedStore};
//! # use std::sync::Arc;
//!
//! let stores = jackfield::store::open("memory:")?;
//! let authorization = AuthorizationServer::builder("https://mcp.example.com")
//!     .resource(Resource::new("https://mcp.example.com/mcp"))
//!     .store(Arc::new(SharedStore::new(stores.kv().clone())))
//!     .build_shared()
//!     .await?;
//! # Ok(())
//! # }
//! ```
//!
//! All nodes have one issuer, the address under which clients reach them. Each check of a token asks the store whether it was revoked.
//!
//! # What you have to see to
//!
//! All nodes of a store are the same server: same name, same tools, same users. What handlers keep in memory stays in their process; keep it
//! where all find it. Two servers need two stores (`redis://HOST/1`). Whoever can read the store can read what clients and servers say to
//! each other, and sign tokens unless the keys are sealed (`sealing_key`).
