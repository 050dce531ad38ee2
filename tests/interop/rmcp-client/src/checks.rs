//! The checks, as in the scripts for Python and TypeScript.

use std::time::Duration;

use anyhow::{Error, Result, bail, ensure};
use serde_json::{Value, json};

use crate::peer::{Era, Peer};

pub const ROOT: &str = "file:///interop";
pub const ANSWER: &str = "an answer from the model";
/// How long a client waits for something that must come.
pub const PATIENCE: Duration = Duration::from_secs(6);

const TEXT_RESOURCE: &str = "demo://resource/dynamic/text/1";
const BLOB_RESOURCE: &str = "demo://resource/dynamic/blob/1";
const CHECKS: &[&str] = &[
    "tools",
    "resources",
    "templates",
    "prompts",
    "text",
    "structured",
    "failure",
    "error",
    "content",
    "links",
    "progress",
    "read text",
    "read blob",
    "prompt",
    "complete",
    "subscribe",
    "list changed",
    "logging",
    "elicit",
    "sample",
    "roots",
    "parallel",
    "cancel",
    "ping",
];

/// The client, or the revision it speaks, does not have the feature.
#[derive(Debug)]
struct NotInThisClient(&'static str);

impl std::fmt::Display for NotInThisClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for NotInThisClient {}

pub async fn run_all(peer: &Peer, report: impl Fn(&str, Option<bool>, &str)) {
    for name in CHECKS {
        match tokio::time::timeout(3 * PATIENCE, run(name, peer)).await {
            Ok(Ok(detail)) => report(name, Some(true), &detail),
            Ok(Err(error)) if error.is::<NotInThisClient>() => report(name, None, &error.to_string()),
            Ok(Err(error)) => report(name, Some(false), &format!("{error:#}")),
            Err(_) => report(name, Some(false), "not done in time"),
        }
    }
}

async fn run(name: &str, c: &Peer) -> Result<String> {
    let done = |()| String::new();
    match name {
        "tools" => among(&c.list("tools").await?, "name", "echo"),
        "resources" => among(&c.list("resources").await?, "uri", "demo://resource/static/document/features.md"),
        "templates" => among(&c.list("templates").await?, "uriTemplate", "demo://resource/dynamic/text/{resourceId}"),
        "prompts" => among(&c.list("prompts").await?, "name", "args-prompt"),
        "text" => text(c).await.map(done),
        "structured" => structured(c).await.map(done),
        "failure" => failure(c).await.map(done),
        "error" => error(c).await,
        "content" => content(c).await.map(done),
        "links" => links(c).await.map(done),
        "progress" => progress(c).await.map(done),
        "read text" => {
            let contents = c.read(TEXT_RESOURCE).await?;
            ensure!(contents[0]["text"].as_str().is_some_and(|text| text.contains("plaintext resource")), "{contents}");
            Ok(String::new())
        }
        "read blob" => {
            let contents = c.read(BLOB_RESOURCE).await?;
            ensure!(contents[0]["blob"].is_string(), "{contents}");
            Ok(String::new())
        }
        "prompt" => prompt(c).await.map(done),
        "complete" => {
            let mut values = c.complete("completable-prompt", "department", "S").await?;
            values.sort();
            ensure!(values == ["Sales", "Support"], "{values:?}");
            Ok(String::new())
        }
        "subscribe" => subscribe(c).await.map(done),
        "list changed" => list_changed(c).await.map(done),
        "logging" => logging(c).await,
        "elicit" => says(c, "trigger-elicitation-request", json!({}), "Ada").await.map(done),
        "sample" => {
            let arguments = json!({ "prompt": "hello", "maxTokens": 10 });
            says(c, "trigger-sampling-request", arguments, ANSWER).await.map(done)
        }
        "roots" => says(c, "get-roots-list", json!({}), ROOT).await.map(done),
        "parallel" => parallel(c).await.map(done),
        "cancel" => cancel(c).await.map(done),
        "ping" if c.era == Era::Modern => Err(NotInThisClient("ping ended with 2025-11-25").into()),
        "ping" => c.ping().await.map(done),
        other => bail!("there is no check {other}"),
    }
}

fn among(items: &[Value], key: &str, wanted: &str) -> Result<String> {
    ensure!(items.iter().any(|item| item[key] == wanted), "{wanted} is not in the list of {}", items.len());
    Ok(items.len().to_string())
}

fn blocks(result: &Value) -> &[Value] {
    result["content"].as_array().map_or(&[], Vec::as_slice)
}

fn text_of(result: &Value) -> String {
    let texts: Vec<&str> = blocks(result).iter().filter_map(|block| block["text"].as_str()).collect();
    texts.join("\n")
}

async fn says(c: &Peer, tool: &str, arguments: Value, wanted: &str) -> Result<()> {
    let result = c.call(tool, arguments).await?;
    ensure!(text_of(&result).contains(wanted), "{result}");
    Ok(())
}

async fn text(c: &Peer) -> Result<()> {
    let result = c.call("echo", json!({ "message": "grüße, 世界 🎛" })).await?;
    ensure!(text_of(&result) == "Echo: grüße, 世界 🎛" && result["isError"] != true, "{result}");
    Ok(())
}

async fn structured(c: &Peer) -> Result<()> {
    let result = c.call("get-structured-content", json!({ "location": "Chicago" })).await?;
    ensure!(result["structuredContent"]["temperature"] == 36, "{result}");
    Ok(())
}

async fn failure(c: &Peer) -> Result<()> {
    let result = c.call("get-resource-reference", json!({ "resourceType": "Text", "resourceId": -1 })).await?;
    ensure!(result["isError"] == true && text_of(&result).contains("resourceId"), "{result}");
    Ok(())
}

async fn error(c: &Peer) -> Result<String> {
    match c.read("demo://resource/no/such/thing").await {
        Ok(contents) => bail!("an unknown resource was read: {contents}"),
        Err(error) => match error.downcast_ref::<rmcp::ServiceError>() {
            Some(rmcp::ServiceError::McpError(refused)) => Ok(format!("{} {}", refused.code.0, refused.message)),
            _ => Err(error),
        },
    }
}

async fn content(c: &Peer) -> Result<()> {
    let image = c.call("get-tiny-image", json!({})).await?;
    ensure!(blocks(&image).iter().any(|block| block["type"] == "image"), "{image}");
    let embedded = c.call("get-resource-reference", json!({ "resourceType": "Blob", "resourceId": 1 })).await?;
    ensure!(blocks(&embedded).iter().any(|block| block["resource"]["blob"].is_string()), "{embedded}");
    let arguments = json!({ "messageType": "error", "includeImage": true });
    says(c, "get-annotated-message", arguments, "Operation failed").await
}

async fn links(c: &Peer) -> Result<()> {
    let result = c.call("get-resource-links", json!({ "count": 2 })).await?;
    let links = blocks(&result).iter().filter(|block| block["type"] == "resource_link").count();
    ensure!(links == 2, "{result}");
    Ok(())
}

async fn progress(c: &Peer) -> Result<()> {
    let since = c.seen.len();
    says(c, "trigger-long-running-operation", json!({ "duration": 0.4, "steps": 4 }), "completed").await?;
    // An answer may overtake the notification before it in this client.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let seen = c.seen.of("notifications/progress", since);
    let steps: Vec<f64> = seen.iter().filter_map(|params| params["progress"].as_f64()).collect();
    ensure!(steps == [1.0, 2.0, 3.0, 4.0], "progress was {steps:?}");
    Ok(())
}

async fn prompt(c: &Peer) -> Result<()> {
    let messages = c.prompt("args-prompt", json!({ "city": "Ulm" })).await?;
    ensure!(messages.to_string().contains("Ulm"), "{messages}");
    let embedded = c.prompt("resource-prompt", json!({ "resourceType": "Text", "resourceId": "1" })).await?;
    let has_resource = embedded.as_array().is_some_and(|all| all.iter().any(|m| m["content"]["type"] == "resource"));
    ensure!(has_resource, "{embedded}");
    Ok(())
}

/// Flips a switch of the server until it stands as wanted; without sessions others may flip it too.
async fn toggle(c: &Peer, tool: &str, wanted: &str) -> Result<()> {
    for _ in 0..3 {
        if text_of(&c.call(tool, json!({})).await?).starts_with(wanted) {
            return Ok(());
        }
    }
    bail!("{tool} never said {wanted}")
}

async fn arrives(c: &Peer, method: &str, since: usize) -> Result<Value> {
    let arrived = tokio::time::timeout(PATIENCE, c.seen.wait_for(method, since)).await;
    arrived.map_err(|_| Error::msg(format!("no {method} in time")))
}

async fn subscribe(c: &Peer) -> Result<()> {
    let listening = match c.era {
        Era::Modern => Some(c.listen(json!({ "resourceSubscriptions": [TEXT_RESOURCE] })).await?),
        Era::Legacy => {
            c.subscribe(TEXT_RESOURCE).await?;
            None
        }
    };
    let since = c.seen.len();
    toggle(c, "toggle-subscriber-updates", "Started").await?;
    let update = arrives(c, "notifications/resources/updated", since).await;
    toggle(c, "toggle-subscriber-updates", "Stopped").await?;
    match listening {
        Some(task) => task.abort(),
        None => c.unsubscribe(TEXT_RESOURCE).await?,
    }
    let update = update?;
    ensure!(update["uri"] == TEXT_RESOURCE, "{update}");
    Ok(())
}

async fn list_changed(c: &Peer) -> Result<()> {
    let listening = match c.era {
        Era::Modern => Some(c.listen(json!({ "resourcesListChanged": true })).await?),
        Era::Legacy => None,
    };
    let since = c.seen.len();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_nanos();
    let name = format!("interop-{now}.gz");
    let arguments = json!({ "name": name, "data": "data:text/plain,hello", "outputType": "resource" });
    c.call("gzip-file-as-resource", arguments).await?;
    let changed = arrives(c, "notifications/resources/list_changed", since).await;
    if let Some(task) = listening {
        task.abort();
    }
    changed.map(|_| ())
}

async fn logging(c: &Peer) -> Result<String> {
    // In the modern era the level goes with each call.
    if c.era == Era::Legacy {
        c.set_level("debug").await?;
    }
    let since = c.seen.len();
    toggle(c, "toggle-simulated-logging", "Started").await?;
    let message = arrives(c, "notifications/message", since).await;
    toggle(c, "toggle-simulated-logging", "Stopped").await?;
    Ok(message?["level"].to_string())
}

async fn parallel(c: &Peer) -> Result<()> {
    let calls = (0..40).map(|number| async move {
        let result = c.call("get-sum", json!({ "a": number, "b": 1000 })).await?;
        ensure!(text_of(&result).contains(&format!(" {}", number + 1000)), "{result}");
        Ok(())
    });
    futures::future::try_join_all(calls).await.map(|_| ())
}

async fn cancel(c: &Peer) -> Result<()> {
    let since = c.seen.len();
    let call = c.call("trigger-long-running-operation", json!({ "duration": 20, "steps": 100 }));
    tokio::select! {
        answer = call => bail!("the call was answered before it was cancelled: {answer:?}"),
        started = arrives(c, "notifications/progress", since) => { started?; }
    }
    // The call is dropped here, which cancels it; what was on its way may still arrive.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let before = c.seen.of("notifications/progress", since).len();
    tokio::time::sleep(Duration::from_millis(700)).await;
    let late = c.seen.of("notifications/progress", since).len() - before;
    ensure!(late == 0, "{late} progress notifications after the call was cancelled");
    says(c, "echo", json!({ "message": "still here" }), "Echo: still here").await
}
