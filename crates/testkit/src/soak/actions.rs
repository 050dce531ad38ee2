//! What workers do with a server, and what they expect of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use jackfield::client::{Client, Error, Output};
use jackfield::json;
use jackfield::protocol::Revision;
use jackfield_wire::Numbers;
use tokio::task::JoinSet;

/// One thing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Echo,
    Sum,
    List,
    Read,
    Prompt,
    /// A call with progress.
    Progress,
    /// A call that is given up in the middle.
    Abandon,
    /// A call that asks.
    Question,
    /// Several calls at once.
    Many,
    /// A subscription that ends soon.
    Subscribe,
}

/// How it went, if it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Good,
    Wrong(String),
}

const RESOURCE: &str = "demo://resource/static/document/features.md";
const LONG: &str = "trigger-long-running-operation";

impl Action {
    /// Chooses something; calls that are quick come more often.
    pub(super) fn any(numbers: &mut Numbers, revision: Revision) -> Self {
        match numbers.below(40) {
            0..15 => Self::Echo,
            15..20 => Self::Sum,
            20..24 => Self::List,
            24..28 => Self::Read,
            28..31 => Self::Prompt,
            31..33 => Self::Progress,
            33..35 => Self::Abandon,
            35..37 if revision.has_elicitation() => Self::Question,
            37 => Self::Subscribe,
            _ => Self::Many,
        }
    }

    pub(super) async fn run(self, client: &Client, numbers: &mut Numbers) -> Result<Outcome, Error> {
        Ok(match self {
            Self::Echo => echo(client, numbers.any()).await?,
            Self::Sum => {
                let (a, b) = (numbers.below(1000), numbers.below(1000));
                let said = client.call("get-sum", json!({ "a": a, "b": b })).await?;
                says(&said, &format!("The sum of {a} and {b} is {}.", a + b))
            }
            Self::List => expect(client.tools().fresh().all().await?.len() > 5, "there are fewer tools than before"),
            Self::Read => expect(!client.read(RESOURCE).await?.contents.is_empty(), "the resource is empty"),
            Self::Prompt => {
                let none: [(String, String); 0] = [];
                expect(!client.prompt("simple-prompt", none).await?.messages.is_empty(), "the prompt is empty")
            }
            Self::Progress => progress(client).await?,
            Self::Abandon => {
                let call = client.call(LONG, json!({ "duration": 5, "steps": 5 }));
                match tokio::time::timeout(Duration::from_millis(30), call.into_future()).await {
                    Err(_) => Outcome::Good,
                    Ok(Err(error)) => return Err(error),
                    Ok(Ok(_)) => Outcome::Wrong("it ended before its time".to_owned()),
                }
            }
            Self::Question => {
                let said = client.call("trigger-elicitation-request", json!({})).await?;
                expect(!said.is_failure(), "the question failed")
            }
            Self::Many => many(client, numbers).await?,
            Self::Subscribe => {
                drop(client.subscribe().tools().resource(RESOURCE).await?);
                Outcome::Good
            }
        })
    }
}

async fn echo(client: &Client, number: u64) -> Result<Outcome, Error> {
    let said = client.call("echo", json!({ "message": number.to_string() })).await?;
    Ok(says(&said, &format!("Echo: {number}")))
}

async fn progress(client: &Client) -> Result<Outcome, Error> {
    let heard = Arc::new(AtomicUsize::new(0));
    let hearing = heard.clone();
    let call = client.call(LONG, json!({ "duration": 0.2, "steps": 4 }));
    let said = call
        .on_progress(move |_| {
            hearing.fetch_add(1, Ordering::Relaxed);
        })
        .await?;
    let heard = heard.load(Ordering::Relaxed);
    Ok(expect(!said.is_failure() && heard <= 4, "a call with progress failed, or told too much"))
}

async fn many(client: &Client, numbers: &mut Numbers) -> Result<Outcome, Error> {
    let mut calls = JoinSet::new();
    for _ in 0..8 {
        let (client, number) = (client.clone(), numbers.any());
        calls.spawn(async move { echo(&client, number).await });
    }
    let mut all = Ok(Outcome::Good);
    while let Some(ended) = calls.join_next().await {
        match ended {
            Ok(Ok(Outcome::Good)) => {}
            Ok(other) => all = other,
            Err(_) => return Ok(Outcome::Wrong("the client panicked".to_owned())),
        }
    }
    all
}

fn says(output: &Output, expected: &str) -> Outcome {
    let said = output.text();
    if !output.is_failure() && said == expected {
        return Outcome::Good;
    }
    Outcome::Wrong(format!("{said:?} instead of {expected:?}"))
}

fn expect(holds: bool, what: &str) -> Outcome {
    if holds { Outcome::Good } else { Outcome::Wrong(what.to_owned()) }
}
