//! A server for those who log in, with an authorization server in the same process.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use jackfield::Server;
use jackfield::auth::Protect as _;
use jackfield::auth::resource::ScopeRules;
use jackfield::auth::server::{AuthorizationServer, Registration, Resource, SharedStore, Users};
use jackfield::http::HttpConfig;
use jackfield::http::fetch::HttpFetch;
use jackfield::store::Stores;
use url::Url;

/// What tokens of a server are for: all of it, but for tools that take a permission of their own.
#[derive(Debug)]
pub(crate) struct Permissions {
    /// The server's name; `NAME:use` is the permission to use it.
    pub(crate) server: &'static str,
    /// Tools with a permission of their own: the tool, the permission after `NAME:`, and what it means.
    pub(crate) tools: &'static [(&'static str, &'static str, &'static str)],
}

impl Permissions {
    fn scope(&self, name: &str) -> String {
        format!("{}:{name}", self.server)
    }

    fn rules(&self) -> ScopeRules {
        let rules = self.tools.iter();
        rules.fold(ScopeRules::new(), |rules, (tool, name, _)| rules.tool(tool, self.scope(name).as_str()))
    }

    fn resource(&self, resource: &str) -> Resource {
        let used = Resource::new(resource).scope(self.scope("use"), format!("Use the {} server", self.server));
        let resource =
            self.tools.iter().fold(used, |resource, (_, name, meaning)| resource.scope(self.scope(name), *meaning));
        resource.default_scopes(self.scope("use").as_str())
    }
}

/// How a server is protected.
#[derive(Debug)]
pub(crate) struct Protected {
    /// The file of the users.
    pub(crate) users: PathBuf,
    /// Where clients reach the server, if not where it listens.
    pub(crate) public_url: Option<String>,
    /// How long tokens are valid, in seconds.
    pub(crate) token_life: u64,
    /// Where logins are kept; in memory if nowhere else.
    pub(crate) stores: Option<Stores>,
    /// What may be permitted.
    pub(crate) permissions: Permissions,
}

impl Protected {
    /// Serves only users of the file.
    pub(crate) async fn serve(self, server: Server, address: &str) -> anyhow::Result<()> {
        // The names of the two servers contain the port, so it has to be known before they are made.
        let address = tokio::net::TcpListener::bind(address).await.and_then(|listener| listener.local_addr());
        let address = address.context("the address cannot be listened on")?;
        let base = match &self.public_url {
            Some(url) => base(url)?,
            None => Url::parse(&format!("http://{address}"))?,
        };
        let issuer = base.as_str().trim_end_matches('/');
        let resource = format!("{issuer}/mcp");
        let authorization = self.authorization(issuer, &resource).await?;
        let door = authorization.protect(&resource)?.build()?;
        let config = HttpConfig::default().with_authenticator(door).with_routes(authorization);
        let config = config.allow_host(base.host_str().unwrap_or_default());
        let server = server.protect(self.permissions.rules());
        server.serve_http_with(address, config).await.map_err(|error| anyhow::anyhow!("{error:#}"))
    }

    async fn authorization(&self, issuer: &str, resource: &str) -> anyhow::Result<AuthorizationServer> {
        let users = Users::open(&self.users);
        let users = users.with_context(|| format!("the users of {} cannot be read", self.users.display()))?;
        if users.names().is_empty() {
            anyhow::bail!("there are no users; add one with `jackfield auth add-user`");
        }
        let builder = AuthorizationServer::builder(issuer)
            .resource(self.permissions.resource(resource))
            .users(users)
            .registration(Registration::default())
            .client_documents(Arc::new(HttpFetch::public()))
            .lifetimes(|life| life.access = self.token_life);
        match &self.stores {
            Some(stores) => {
                let builder = builder.store(Arc::new(SharedStore::new(stores.kv().clone())));
                builder.build_shared().await.context("see whether the store runs, and whether its address is right")
            }
            None => Ok(builder.build()?),
        }
    }
}

/// Reads where clients reach the server. Its paths are ours, so there can be none in it.
fn base(text: &str) -> anyhow::Result<Url> {
    let url = Url::parse(text).with_context(|| format!("--public-url must be a URL, not {text:?}"))?;
    if url.path() != "/" || url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() {
        anyhow::bail!("--public-url must be a scheme and a host only, such as https://mcp.example.com, not {text:?}");
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_url_is_an_origin() {
        for good in ["https://mcp.example.com", "https://mcp.example.com/", "http://127.0.0.1:8000"] {
            assert_eq!(base(good).unwrap().as_str().trim_end_matches('/'), good.trim_end_matches('/'));
        }
        for bad in ["mcp.example.com", "https://a.example/mcp", "https://a.example/?x", "https://me@a.example"] {
            assert!(base(bad).is_err(), "{bad}");
        }
    }
}
