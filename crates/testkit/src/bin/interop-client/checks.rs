//! What is checked about a server: everything that it says it offers.

use std::collections::BTreeMap;
use std::future::Future;

use anyhow::{Context, Result, ensure};
use jackfield::client::Client;
use jackfield::{LoggingLevel, Reference, Value, json};

use crate::{report, texts};

/// Runs all checks.
pub(crate) async fn run_all(client: &Client, calls: &[(String, Value, String)]) {
    let Some(server) = client.server() else { return report("tools", Some(false), "the server is gone") };
    let offers = &server.capabilities;
    check("ping", true, async { Ok(client.ping().await.map(|()| String::new())?) }).await;
    check("tools", offers.tools.is_some(), tools(client, calls)).await;
    check("calls", !calls.is_empty(), make(client, calls)).await;
    check("parallel", !calls.is_empty(), parallel(client, calls)).await;
    check("error", offers.tools.is_some(), unknown_tool(client)).await;
    check("resources", offers.resources.is_some(), resources(client)).await;
    check("templates", offers.resources.is_some(), async {
        Ok(format!("{} templates", client.resource_templates().all().await?.len()))
    })
    .await;
    check("prompts", offers.prompts.is_some(), prompts(client)).await;
    check("complete", offers.completions.is_some(), complete(client)).await;
    check("logging", offers.logging.is_some(), async {
        client.set_log_level(LoggingLevel::Debug).await?;
        Ok(String::new())
    })
    .await;
    let notices = offers.tools.as_ref().is_some_and(|tools| tools.list_changed == Some(true));
    check("subscribe", notices, subscribe(client)).await;
}

async fn check(name: &str, offered: bool, what: impl Future<Output = Result<String>>) {
    if !offered {
        return report(name, None, "");
    }
    match what.await {
        Ok(detail) => report(name, Some(true), &detail),
        Err(error) => report(name, Some(false), &format!("{error:#}")),
    }
}

async fn tools(client: &Client, calls: &[(String, Value, String)]) -> Result<String> {
    let tools = client.tools().all().await?;
    for (name, ..) in calls {
        ensure!(tools.iter().any(|tool| tool.name == *name), "there is no tool {name}");
    }
    Ok(format!("{} tools", tools.len()))
}

async fn make(client: &Client, calls: &[(String, Value, String)]) -> Result<String> {
    for (name, arguments, wanted) in calls {
        let output =
            client.call(name, arguments).on_progress(|_| {}).await.with_context(|| format!("calling {name}"))?;
        let text = format!("{} {}", texts(&output.content), json!(output.structured_content));
        ensure!(text.contains(wanted), "{name} answered {text}");
    }
    Ok(format!("{} calls", calls.len()))
}

/// The first call, many times at once.
async fn parallel(client: &Client, calls: &[(String, Value, String)]) -> Result<String> {
    let (name, arguments, wanted) = calls.first().context("there is no call")?;
    let mut under_way = tokio::task::JoinSet::new();
    for _ in 0..50 {
        under_way.spawn(client.call(name, arguments).into_future());
    }
    while let Some(output) = under_way.join_next().await {
        let text = texts(&output??.content);
        ensure!(text.contains(wanted), "{name} answered {text}");
    }
    Ok(String::new())
}

/// An unknown tool is an error of the protocol, or a result that says so.
async fn unknown_tool(client: &Client) -> Result<String> {
    match client.call("no-such-tool", json!({})).await {
        Ok(output) => {
            ensure!(output.is_failure(), "a tool that does not exist was called");
            Ok("a failed result".to_owned())
        }
        Err(error) => {
            let code = error.server_error().context("no error of the server")?.code;
            Ok(code.to_string())
        }
    }
}

async fn resources(client: &Client) -> Result<String> {
    let resources = client.resources().all().await?;
    for resource in resources.iter().take(3) {
        let read = client.read(&resource.uri).await.with_context(|| format!("reading {}", resource.uri))?;
        ensure!(!read.contents.is_empty(), "{} is empty", resource.uri);
    }
    Ok(format!("{} resources", resources.len()))
}

async fn prompts(client: &Client) -> Result<String> {
    let prompts = client.prompts().all().await?;
    for prompt in &prompts {
        let arguments =
            prompt.arguments.iter().flatten().map(|argument| (argument.name.as_str(), value(&argument.name)));
        let got = client.prompt(&prompt.name, arguments).await.with_context(|| format!("getting {}", prompt.name))?;
        ensure!(!got.messages.is_empty(), "{} is empty", prompt.name);
    }
    Ok(format!("{} prompts", prompts.len()))
}

/// A value for an argument of a prompt; numbers and kinds are what the reference server asks for.
fn value(name: &str) -> &'static str {
    match name {
        "resourceType" => "Text",
        "resourceId" => "1",
        "department" => "Engineering",
        "name" => "Alice",
        _ => "x",
    }
}

async fn complete(client: &Client) -> Result<String> {
    let prompts = client.prompts().all().await.unwrap_or_default();
    let argument = prompts.iter().find_map(|prompt| Some((prompt, prompt.arguments.as_ref()?.first()?)));
    let (prompt, argument) = argument.context("no prompt has an argument")?;
    let what = Reference::prompt(prompt.name.clone());
    let proposals = client.complete(what, &argument.name, "", BTreeMap::new()).await?;
    Ok(format!("{} proposals", proposals.completion.values.len()))
}

async fn subscribe(client: &Client) -> Result<String> {
    let subscription = client.subscribe().tools().await?;
    Ok(format!("{:?}", subscription.acknowledged().tools_list_changed))
}
