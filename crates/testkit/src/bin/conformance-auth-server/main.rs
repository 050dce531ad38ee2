//! The authorization server that the official conformance suite talks to: `conformance-auth-server 127.0.0.1:8000`.
//!
//! Its user is `ann` with the password `correct horse battery`; the suite's client is `conformance`, without a secret.

use std::sync::Arc;

use jackfield::Server;
use jackfield::auth::Secret;
use jackfield::auth::server::{AuthorizationServer, Client, Registration, Resource, Users};
use jackfield::http::HttpConfig;
use jackfield::http::fetch::{Fetch, FetchError, FetchFuture, FetchRequest};

#[tokio::main(flavor = "current_thread")]
async fn main() -> jackfield::Result {
    let address =
        std::env::args().nth(1).ok_or_else(|| std::io::Error::other("the address to listen on is missing"))?;
    let issuer = format!("http://{address}");
    let resource = format!("{issuer}/mcp");
    let users = Users::new()?;
    users.add_user("ann", &Secret::new("correct horse battery"))?;
    let authorization = AuthorizationServer::builder(issuer)
        .resource(Resource::new(resource.clone()).scope("mcp", "Use the server"))
        .users(users)
        // Any port on this machine will do, as for every program there.
        .client(Client::public("conformance", ["http://127.0.0.1/callback"]).name("Conformance suite"))
        .registration(Registration::default())
        .client_documents(Arc::new(Nowhere))
        .build()?;
    let door = authorization.protect(&resource)?.build()?;
    let config = HttpConfig::default().with_authenticator(door).with_routes(authorization);
    Server::new("conformance-auth-server").serve_http_with(address, config).await
}

/// The suite has no documents to fetch.
#[derive(Debug)]
struct Nowhere;

impl Fetch for Nowhere {
    fn fetch(&self, _: FetchRequest) -> FetchFuture<'_> {
        Box::pin(std::future::ready(Err(FetchError::Refused("nothing is fetched in the conformance fixture"))))
    }
}
