//! A protected server that real clients log in to: `interop-auth-server ADDRESS own`, with an authorization server of ours;
//! `… upstream ISSUER`, where that sends users to another provider; `… resource ISSUER`, which takes the tokens of another.
//!
//! The user of ours is `ann` with the password `correct horse battery`. Everybody needs the scope `mcp`, the tool `open_safe` needs
//! `safe` too. Tokens of ours live for two seconds, so that clients have to renew them.

mod loopback;

use std::io;
use std::sync::Arc;

use jackfield::auth::jose::RemoteKeys;
use jackfield::auth::resource::{JwtVerifier, ResourceServer, ScopeRules};
use jackfield::auth::server::{AuthorizationServer, Registration, Resource, Upstream, Users};
use jackfield::auth::{AuthContext as _, Protect as _, Secret};
use jackfield::http::HttpConfig;
use jackfield::http::fetch::Fetch;
use jackfield::{Cx, Server, Value, json, tool, tools};

use loopback::Loopback;

/// Says what the token of the call says.
#[tool]
fn whoami(cx: &Cx) -> String {
    let Some(authorized) = cx.authorized() else { return "nobody".to_owned() };
    let token = authorized.token();
    json!({ "issuer": token.issuer, "subject": token.subject, "client": token.client_id, "scopes": token.scopes.to_string(),
        "token": token.claim::<Value>("jti"), "login": token.claim::<Value>("sid") })
    .to_string()
}

/// Opens the safe.
#[tool]
fn open_safe() -> String {
    "a pearl".to_owned()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> jackfield::Result {
    let mut words = std::env::args().skip(1);
    let address = words.next().ok_or_else(|| io::Error::other("the address to listen on is missing"))?;
    let (kind, issuer) = (words.next(), words.next());
    let config = match (kind.as_deref(), issuer) {
        (Some("own"), None) => embedded(&address, None)?,
        (Some("upstream"), Some(issuer)) => embedded(&address, Some(issuer))?,
        (Some("resource"), Some(issuer)) => resource(&address, &issuer)?,
        _ => return Err(io::Error::other("say own, upstream ISSUER or resource ISSUER").into()),
    };
    let server = Server::new("interop-auth-server").tools(tools![whoami, open_safe]);
    let server = server.protect(ScopeRules::new().tool("open_safe", "mcp safe"));
    server.serve_http_with(address, config).await
}

/// An authorization server of ours beside the protected one.
fn embedded(address: &str, upstream: Option<String>) -> jackfield::Result<HttpConfig> {
    let issuer = format!("http://{address}");
    let url = format!("{issuer}/mcp");
    let resource =
        Resource::new(&url).scope("mcp", "Use the server").scope("safe", "Open the safe").default_scopes("mcp");
    let builder = AuthorizationServer::builder(issuer)
        .resource(resource)
        .registration(Registration::default())
        .lifetimes(|life| life.access = 2);
    let builder = match upstream {
        Some(upstream) => {
            let fetch: Arc<dyn Fetch> = Arc::new(Loopback::default());
            builder.upstream(Upstream::new(upstream, "jackfield", "the secret of jackfield".into(), fetch))
        }
        None => {
            let users = Users::new()?;
            users.add_user("ann", &Secret::new("correct horse battery"))?;
            builder.users(users)
        }
    };
    let authorization = builder.build()?;
    let door = authorization.protect(&url)?.require("mcp").leeway(0).build()?;
    Ok(HttpConfig::default().with_authenticator(door).with_routes(authorization))
}

/// A server that takes tokens of another authorization server, by the keys it publishes.
fn resource(address: &str, issuer: &str) -> jackfield::Result<HttpConfig> {
    if !issuer.starts_with("http://127.0.0.1:") {
        return Err(io::Error::other("the issuer has to be on loopback").into());
    }
    let keys = RemoteKeys::of(issuer, Arc::new(Loopback::default()));
    let verifier = JwtVerifier::new(issuer, Arc::new(keys));
    let door = ResourceServer::builder(format!("http://{address}/mcp"))
        .issuer(issuer, verifier)
        .require("mcp")
        .scopes_supported("mcp safe")
        .build()?;
    Ok(HttpConfig::default().with_authenticator(door))
}
