//! `jackfield login` and `jackfield logout`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use jackfield::auth::Secret;
use jackfield::auth::client::{GivenClient, Loopback, OAuth};

use super::auth::{account_json, account_line};
use crate::failure::{Class, Failure};
use crate::interrupt::interrupted;
use crate::login::{self, Credentials};
use crate::show::{Screen, one_line};

/// The arguments of `jackfield login`.
#[derive(Debug, Args)]
#[command(after_help = "The other commands use the login by themselves, and renew it.\n\n\
Examples:\n  jackfield login https://example.com/mcp\n  jackfield login https://example.com/mcp --scope 'files:read files:write'\n  \
jackfield login https://example.com/mcp --headless")]
pub(crate) struct Login {
    /// The URL of the server
    #[arg(value_name = "URL")]
    url: String,
    /// Ask for these scopes, besides those that the server asks for; can be given several times
    #[arg(long, value_name = "SCOPES")]
    scope: Vec<String>,
    /// The id of a client that somebody registered at the authorization server
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,
    /// A file with the secret of that client
    #[arg(long, value_name = "FILE", requires = "client_id")]
    client_secret_file: Option<PathBuf>,
    /// The authorization server that knows that client; without it, the first that the client is used with
    #[arg(long, value_name = "URL", requires = "client_id")]
    issuer: Option<String>,
    /// The URL of a client metadata document, for authorization servers that take such
    #[arg(long, value_name = "URL", conflicts_with = "client_id")]
    client_document: Option<String>,
    /// Where the browser comes back to, if the client is registered for one address only
    #[arg(long, value_name = "URI")]
    redirect_uri: Option<String>,
    /// Where to keep the login; by default with the keyring of the platform if there is one, otherwise in a file that only you can read
    #[arg(long, value_name = "PLACE", value_enum)]
    credentials: Option<Credentials>,
    /// Show the address of the login page instead of opening it, and read the answer from standard input
    #[arg(long)]
    headless: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
    /// Show each step
    #[arg(long, short)]
    verbose: bool,
}

impl Login {
    pub(crate) async fn run(self, screen: &mut Screen) -> Result<ExitCode, Failure> {
        let failed = |error| login::failure(&error, &self.url);
        let oauth = self.oauth().await?;
        let server = oauth.server(&self.url).map_err(failed)?;
        let account = tokio::select! {
            account = server.login() => account.map_err(failed)?,
            class = interrupted() => return Err(Failure::new(class, "")),
        };
        if self.json {
            screen.json(&account_json(&account))?;
        } else {
            screen.page(&format!("logged in: {}\n", account_line(&account)))?;
        }
        screen.flush()?;
        Ok(ExitCode::SUCCESS)
    }

    async fn oauth(&self) -> Result<OAuth, Failure> {
        let failed = |error| login::failure(&error, &self.url);
        let mut oauth =
            login::oauth_keeping(self.credentials).await.map_err(failed)?.scopes(self.scope.join(" ").as_str());
        if let Some(id) = &self.client_id {
            let mut client = GivenClient::new(id);
            if let Some(file) = &self.client_secret_file {
                let text = std::fs::read_to_string(file).map_err(|error| {
                    Failure::usage(format!("{} cannot be read", file.display())).why(error.to_string())
                })?;
                client = client.secret(Secret::new(text.trim()));
            }
            if let Some(issuer) = &self.issuer {
                client = client.issuer(issuer);
            }
            oauth = oauth.client(client);
        }
        if let Some(document) = &self.client_document {
            oauth = oauth.client_document(document).map_err(failed)?;
        }
        if let Some(uri) = &self.redirect_uri {
            oauth = oauth.redirect_uri(uri);
        }
        if self.verbose {
            oauth = oauth.observer(|event| eprintln!("- {}", one_line(&login::told(event))));
        }
        let way = if self.headless { Loopback::headless() } else { Loopback::new(login::Browser) };
        Ok(oauth.interaction(way))
    }
}

/// The arguments of `jackfield logout`.
#[derive(Debug, Args)]
pub(crate) struct Logout {
    /// The URL of the server
    #[arg(value_name = "URL")]
    url: String,
}

impl Logout {
    pub(crate) async fn run(self, screen: &mut Screen) -> Result<ExitCode, Failure> {
        let failed = |error| login::failure(&error, &self.url);
        let oauth = login::oauth().map_err(failed)?;
        let oauth = oauth.observer(|event| eprintln!("note: {}", one_line(&login::told(event))));
        if !oauth.server(&self.url).map_err(failed)?.logout().await.map_err(failed)? {
            let failure = Failure::new(Class::Failed, format!("nobody is logged in at {}", self.url));
            return Err(failure.hint("see all logins with: jackfield auth list"));
        }
        screen.page(&format!("logged out of {}\n", one_line(&self.url)))?;
        screen.flush()?;
        Ok(ExitCode::SUCCESS)
    }
}
