//! The server that the official conformance suite is run against: `conformance-server ADDRESS [--store URL]` serves HTTP, at `/mcp` and the
//! paths of HTTP+SSE; `conformance-server --stdio` serves the standard streams.
//!
//! It is written with the public interface of `jackfield` alone, as a user would.

mod content;
mod headers;
mod input_required;
mod media;
mod prompts;
mod questions;
mod resources;
mod schema;
mod skills;
mod stateless;
mod streams;
mod tasks;

use jackfield::{Error, Result, Server};

#[tokio::main]
async fn main() -> Result {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--stdio"] => server()?.serve_stdio().await,
        [address] if !address.starts_with('-') => server()?.serve_http(*address).await,
        [address, "--store", url] if !address.starts_with('-') => {
            let stores = jackfield::store::open(url).map_err(|error| Error::new(error.to_string()))?;
            server()?.store(stores).serve_http(*address).await
        }
        _ => Err(Error::new("usage: conformance-server ADDRESS [--store URL] | --stdio")),
    }
}

/// The whole fixture. The suite probes the first tool and the first resource, so their order matters.
fn server() -> Result<Server> {
    let server = Server::new("jackfield-conformance").title("Jackfield conformance fixture");
    let server = content::add(server);
    let server = streams::add(server);
    let server = questions::add(server);
    let server = headers::add(schema::add(server)?);
    let server = stateless::add(server);
    let server = input_required::add(server);
    let server = tasks::add(server);
    let server = prompts::add(resources::add(server));
    skills::add(server)
}
