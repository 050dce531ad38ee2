//! Our client logs in: `interop-login URL SUBJECT`, at any authorization server that the server at the URL names. Prints one line of
//! JSON for each check.
//!
//! The client is told what time it is, so that nobody waits for the end of a token.

mod person;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use jackfield::auth::Clock;
use jackfield::auth::client::{AuthEvent, Login, OAuth};
use jackfield::client::{Client, Http};
use jackfield::{Value, json, serde_json};

use person::Person;

/// Longer than the tokens of any of the authorization servers live.
const LONG: u64 = 3600;
const PATIENCE: Duration = Duration::from_secs(60);

/// Our client, and what happened to it.
struct Visitor {
    client: Client,
    login: Arc<Login>,
    clock: Clock,
    visits: Arc<AtomicUsize>,
    events: Arc<Mutex<Vec<AuthEvent>>>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let (url, subject) = words.next().zip(words.next()).context("the address and the name of the user are missing")?;
    tokio::time::timeout(PATIENCE, run(&url, &subject)).await.context("it took too long")?
}

async fn run(url: &str, subject: &str) -> Result<()> {
    let visitor = Visitor::connect(url).await;
    let visitor = match visitor {
        Ok(visitor) => visitor,
        Err(error) => {
            report("connect", &Err(error));
            return Ok(());
        }
    };
    let revision = visitor.client.revision().map_or_else(String::new, |revision| revision.to_string());
    report("connect", &Ok(revision));
    report("login", &visitor.logged_in().await);
    let first = visitor.whoami().await;
    report("call", &called(&first, subject));
    report("refresh", &visitor.refresh(first.as_ref().ok()).await);
    report("step up", &visitor.step_up().await);
    report("logout", &visitor.log_out().await);
    visitor.client.close().await;
    Ok(())
}

fn called(answer: &Result<Value>, subject: &str) -> Result<String> {
    let answer = answer.as_ref().map_err(|error| anyhow::anyhow!("{error:#}"))?;
    ensure!(answer["subject"] == subject && answer["scopes"] == "mcp", "the token says {answer}");
    Ok(answer.to_string())
}

impl Visitor {
    async fn connect(url: &str) -> Result<Self> {
        let clock = Clock::manual(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs());
        let (visits, events) = (Arc::<AtomicUsize>::default(), Arc::<Mutex<Vec<AuthEvent>>>::default());
        let heard = events.clone();
        let oauth = OAuth::new("Jackfield")
            .clock(clock.clone())
            .interaction(Person::new(visits.clone()))
            .observer(move |event| heard.lock().unwrap_or_else(PoisonError::into_inner).push(event.clone()));
        let login = oauth.server(url)?;
        let client = Client::builder().connect(Http::new(url).authorizer(login.clone())).await?;
        Ok(Self { client, login, clock, visits, events })
    }

    fn has_visited(&self, times: usize) -> Result<()> {
        let visits = self.visits.load(Ordering::Relaxed);
        ensure!(visits == times, "the user was sent away {visits} times, not {times}");
        Ok(())
    }

    fn count(&self, event: &AuthEvent) -> usize {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.iter().filter(|one| *one == event).count()
    }

    async fn logged_in(&self) -> Result<String> {
        self.has_visited(1)?;
        let account = self.login.account().await?.context("nobody is logged in")?;
        ensure!(account.is_renewable, "the login cannot be renewed");
        Ok(format!("{} by {}", account.client_id, account.issuer))
    }

    async fn whoami(&self) -> Result<Value> {
        Ok(serde_json::from_str(&self.client.call("whoami", ()).await?.text())?)
    }

    /// At the end of the token there is another one, and the user hears nothing of it.
    async fn refresh(&self, first: Option<&Value>) -> Result<String> {
        let first = first.context("there was no first token")?;
        for times in 1..=2 {
            self.clock.advance(LONG);
            let next = self.whoami().await?;
            ensure!(next["token"] != first["token"] && next["subject"] == first["subject"], "the token says {next}");
            ensure!(self.count(&AuthEvent::Renewed) == times, "it was not renewed");
        }
        self.has_visited(1)?;
        Ok(String::new())
    }

    /// A tool that takes more than the token allows sends the user away once more.
    async fn step_up(&self) -> Result<String> {
        let pearl = self.client.call("open_safe", ()).await?.text();
        ensure!(pearl == "a pearl", "the safe holds {pearl}");
        self.has_visited(2)?;
        Ok(pearl)
    }

    /// The tokens are given back, and the next call begins anew.
    async fn log_out(&self) -> Result<String> {
        ensure!(self.login.logout().await?, "nobody was logged in");
        ensure!(self.count(&AuthEvent::LoggedOut { is_revoked: true }) == 1, "the tokens were not revoked");
        self.whoami().await?;
        self.has_visited(3)?;
        Ok(String::new())
    }
}

/// Prints how a check went.
fn report(check: &str, outcome: &Result<String>) {
    let detail = outcome.as_ref().map_or_else(|error| format!("{error:#}"), String::clone);
    let line = json!({ "check": check, "ok": outcome.is_ok(), "detail": detail });
    #[expect(clippy::print_stdout, reason = "the reports are what this program is for")]
    {
        println!("{line}");
    }
}
