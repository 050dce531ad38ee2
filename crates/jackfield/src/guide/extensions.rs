//! Extensions of the protocol: which there are here, and what happens where only one side has them.
//!
//! An extension is used only if both sides say that they have it, with each request or at the handshake, and only since the revision that has
//! extensions. None is switched on by itself. Nothing is lost on a peer that has not: this is what it gets instead.
//!
//! | extension | feature | switched on by | without it at the other side |
//! | --- | --- | --- | --- |
//! | `io.modelcontextprotocol/tasks` | – | `#[tool(task)]`, `Server::tasks`; `client::Builder::tasks` | The call is not answered with a task: it waits for its result, as any call does. A tool that must run as a task (`#[tool(task = "required")]`) refuses the call with -32021, which names the extension. Clients of 2025-11-25 have the tasks of that revision. |
//! | `io.modelcontextprotocol/skills` | `skills` | `Server::skills` | Each file of a skill is a resource, which every client can list and read; `skills/list` is then an unknown method. |
//! | `io.modelcontextprotocol/oauth-client-credentials` | `auth` | client credentials as the way to a token | The authorization server decides by its own metadata, whatever is declared; a client that is refused ends with an error that says so. |
//! | `io.modelcontextprotocol/enterprise-managed-authorization` | `auth` | the identity provider of an organization as the way to a token | The same; the person can log in by the usual way instead. |
//!
//! Whoever writes an extension of their own declares it with `Server::extension` or `client::Builder::extension`, looks at
//! `Caller::capabilities` before using it, and does the same for its readers: a tool whose result has more for clients that know the extension
//! still has a text for all others.
