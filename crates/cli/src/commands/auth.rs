//! `jackfield auth`: logins that are kept, what a server wants, and users of the authorization server inside.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, Subcommand};
use jackfield::auth::Secret;
use jackfield::auth::client::{Account, AuthEvent};
use jackfield::auth::server::Users;
use serde_json::{Value, json};

use crate::failure::{Class, Failure, chain};
use crate::show::{Screen, one_line};
use crate::{login, password};

/// The arguments of `jackfield auth`.
#[derive(Debug, Args)]
pub(crate) struct Auth {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the logins that are kept
    List(List),
    /// Walk through what a login at a server takes, show each step, and say where it fails
    Explain(Explain),
    /// Add a user to a file for `serve --auth`, or give one a new password
    AddUser(AddUser),
}

#[derive(Debug, Args)]
struct List {
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Explain {
    /// The URL of the server
    #[arg(value_name = "URL")]
    url: String,
}

#[derive(Debug, Args)]
#[command(after_help = "The password is asked for on the terminal, or read from standard input.\n\n\
Example:\n  jackfield auth add-user users.json ann\n  jackfield serve everything --http 127.0.0.1:8000 --auth users.json")]
struct AddUser {
    /// The file; it is made if it is not there
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The name of the user
    #[arg(value_name = "NAME")]
    name: String,
}

impl Auth {
    pub(crate) async fn run(self, screen: &mut Screen) -> Result<ExitCode, Failure> {
        match self.command {
            Command::List(list) => list.run(screen).await?,
            Command::Explain(explain) => explain.run(screen).await?,
            Command::AddUser(user) => user.run(screen).await?,
        }
        screen.flush()?;
        Ok(ExitCode::SUCCESS)
    }
}

impl List {
    async fn run(self, screen: &mut Screen) -> Result<(), Failure> {
        let failed = |error| login::failure(&error, "URL");
        let (mut accounts, mut unreadable) = (Vec::new(), Vec::new());
        for account in login::oauth().map_err(failed)?.accounts().await.map_err(failed)? {
            match account {
                Ok(account) => accounts.push(account),
                Err(error) => unreadable.push(error),
            }
        }
        if self.json {
            screen.json(&accounts.iter().map(account_json).collect::<Vec<_>>())?;
        } else if accounts.is_empty() && unreadable.is_empty() {
            eprintln!("note: nobody is logged in anywhere");
        } else {
            accounts.iter().try_for_each(|account| screen.page(&format!("{}\n", account_line(account))))?;
        }
        screen.flush()?;
        if unreadable.is_empty() {
            return Ok(());
        }
        let failure = Failure::new(Class::Failed, "some of what is kept cannot be read, and is not listed");
        Err(unreadable.iter().fold(failure, |failure, error| failure.why(chain(error))))
    }
}

impl Explain {
    async fn run(self, screen: &mut Screen) -> Result<(), Failure> {
        let failed = |error| login::failure(&error, &self.url);
        let heard: Arc<Mutex<Vec<AuthEvent>>> = Arc::default();
        let hears = heard.clone();
        let oauth = login::oauth().map_err(failed)?;
        let oauth =
            oauth.observer(move |event| hears.lock().unwrap_or_else(PoisonError::into_inner).push(event.clone()));
        let server = oauth.server(&self.url).map_err(failed)?;
        let explained = server.explain().await;
        let events = std::mem::take(&mut *heard.lock().unwrap_or_else(PoisonError::into_inner));
        for event in &events {
            let mark = match event {
                AuthEvent::Looked { failure: Some(_), .. } | AuthEvent::Unchallenged { .. } => "-",
                _ => "ok",
            };
            screen.page(&format!("{mark:<3}{}\n", one_line(&login::told(event))))?;
        }
        screen.flush()?;
        explained.map_err(failed)?;
        match server.account().await.map_err(failed)? {
            Some(account) => screen.page(&format!("ok logged in: {}\n", account_line(&account)))?,
            None => {
                screen.page(&format!("   nobody is logged in; a login should work: jackfield login {}\n", self.url))?
            }
        }
        Ok(())
    }
}

impl AddUser {
    async fn run(self, screen: &mut Screen) -> Result<(), Failure> {
        let unusable = |error: &dyn std::error::Error| {
            Failure::new(Class::Failed, format!("the user cannot be added to {}", self.file.display()))
                .why(chain(error))
        };
        let users = Users::open(&self.file).map_err(|error| unusable(&error))?;
        let password = password::read(format!("Password of {}: ", one_line(&self.name))).await?;
        users.add_user(&self.name, &Secret::new(password)).map_err(|error| unusable(&error))?;
        // Servers read the file when they start.
        let what = "can log in; a server that is running has to be started again to know it";
        screen.page(&format!("{} {what}\n", one_line(&self.name)))
    }
}

/// A login in a line.
pub(crate) fn account_line(account: &Account) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let life = match account.expires_at {
        None => "no end known".to_owned(),
        Some(at) if at <= now => "expired".to_owned(),
        Some(at) => format!("valid for {} s", at.saturating_sub(now)),
    };
    let renewable = if account.is_renewable { ", renewable" } else { "" };
    let bound = if account.is_bound { ", bound to a key" } else { "" };
    let scopes = if account.scopes.is_empty() { String::new() } else { format!(", scopes \"{}\"", account.scopes) };
    let line = format!("{} by {}{scopes}, {life}{renewable}{bound}", account.server, account.issuer);
    one_line(&line).into_owned()
}

pub(crate) fn account_json(account: &Account) -> Value {
    json!({
        "server": account.server,
        "issuer": account.issuer,
        "clientId": account.client_id,
        "scopes": account.scopes.iter().collect::<Vec<_>>(),
        "expiresAt": account.expires_at,
        "renewable": account.is_renewable,
        "bound": account.is_bound,
    })
}
