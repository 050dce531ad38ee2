//! Our client against a server of others: `interop-client CALLS COMMAND…` or `interop-client CALLS URL`. It uses everything that the
//! server says it offers, makes the given calls, and prints one line of JSON for each check.
//!
//! CALLS is JSON, `[[tool, arguments, text that the answer holds], …]`.

mod checks;

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use jackfield::client::{Builder, Client, Command};
use jackfield::protocol::{ContentBlock, Role, SamplingContentBlock};
use jackfield::protocol::{CreateMessageResult, Root};
use jackfield::{ElicitAction, ElicitResult, Value, json, serde_json};

/// A server should be gone by then.
const KILLED_AFTER: Duration = Duration::from_secs(5);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let calls: Vec<(String, Value, String)> = serde_json::from_str(&words.next().context("the calls are missing")?)?;
    let target: Vec<String> = words.collect();
    let client = match connect(&target).await {
        Ok(client) => client,
        Err(error) => {
            report("connect", Some(false), &format!("{error:#}"));
            return Ok(());
        }
    };
    let revision = client.revision().map_or_else(String::new, |revision| revision.to_string());
    report("connect", Some(true), &revision);
    checks::run_all(&client, &calls).await;
    let leaving = Instant::now();
    client.close().await;
    report("shutdown", Some(leaving.elapsed() < KILLED_AFTER), &format!("{:.1} s", leaving.elapsed().as_secs_f64()));
    Ok(())
}

async fn connect(target: &[String]) -> Result<Client> {
    let builder = builder();
    match target {
        [url] if url.starts_with("http") => Ok(builder.connect(url).await?),
        [program, arguments @ ..] => Ok(builder.spawn(Command::new(program).args(arguments)).await?),
        [] => anyhow::bail!("the server is missing"),
    }
}

/// A client that can answer everything a server may ask.
fn builder() -> Builder {
    Client::builder()
        .tasks()
        .on_form(|form| async move {
            let mut content = jackfield::protocol::JsonObject::new();
            let schema = json!(form.requested_schema);
            for (name, field) in schema["properties"].as_object().into_iter().flatten() {
                if let Some(default) = field.get("default") {
                    content.insert(name.clone(), default.clone());
                }
            }
            for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                if !content.contains_key(name) {
                    return Ok(ElicitResult::new(ElicitAction::Decline));
                }
            }
            Ok(ElicitResult::new(ElicitAction::Accept).with_content(content))
        })
        .on_sampling(|_| async {
            let text = SamplingContentBlock::text("a sampled text");
            Ok(CreateMessageResult::new(Role::Assistant, text, "fixture"))
        })
        .roots([Root::new("file:///tmp/interop-root")])
        .on_log(|_| {})
}

/// Prints how a check went; `None` means that the server does not offer it.
fn report(check: &str, ok: Option<bool>, detail: &str) {
    let first_line: String = detail.lines().next().unwrap_or_default().chars().take(200).collect();
    let line = json!({"check": check, "ok": ok, "detail": first_line});
    #[expect(clippy::print_stdout, reason = "the reports are what this program is for")]
    {
        println!("{line}");
    }
}

/// Returns all text of a tool's output.
fn texts(content: &[ContentBlock]) -> String {
    json!(content).to_string()
}
