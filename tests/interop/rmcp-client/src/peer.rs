//! A connection of `rmcp`, with answers as plain JSON and notifications to look at.

#![expect(deprecated, reason = "what the newest revision deprecates is what the older ones are made of")]

use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, bail};
use rmcp::model::{
    CallToolRequestParams, ClientConfig, CompleteRequestParams, CreateMessageRequestParams, CreateMessageResult,
    ElicitRequestParams, ElicitResult, ErrorData, GetPromptRequestParams, ListRootsResult,
    LoggingMessageNotificationParam, ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams,
    ResourceUpdatedNotificationParam, ServerNotification, SetLevelRequestParams, SubscribeRequestParams,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, RunningService};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::Notify;

/// Which half of the protocol's history to speak.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Era {
    Legacy,
    Modern,
}

/// The notifications that arrived, in their order.
#[derive(Default)]
pub struct Seen {
    all: Mutex<Vec<(&'static str, Value)>>,
    arrived: Notify,
}

impl Seen {
    fn note(&self, method: &'static str, params: &impl Serialize) {
        let params = serde_json::to_value(params).unwrap_or_default();
        self.all.lock().expect("no check panics while it looks").push((method, params));
        self.arrived.notify_waiters();
    }

    /// Returns all notifications of a method behind the first `since` that were seen.
    pub fn of(&self, method: &str, since: usize) -> Vec<Value> {
        let all = self.all.lock().expect("no check panics while it looks");
        all.iter().skip(since).filter(|(seen, _)| *seen == method).map(|(_, params)| params.clone()).collect()
    }

    pub fn len(&self) -> usize {
        self.all.lock().expect("no check panics while it looks").len()
    }

    /// Waits for a notification behind the first `since`; the caller sets the limit.
    pub async fn wait_for(&self, method: &str, since: usize) -> Value {
        loop {
            let arrived = self.arrived.notified();
            if let Some(found) = self.of(method, since).into_iter().next() {
                return found;
            }
            arrived.await;
        }
    }
}

#[derive(Clone)]
struct Handler {
    seen: Arc<Seen>,
    era: Era,
}

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("the value is written for this type")
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let revision =
            if self.era == Era::Modern { ProtocolVersion::LATEST } else { ProtocolVersion::LATEST_WITH_INITIALIZE };
        let mut config = ClientConfig::default();
        config.protocol_version = revision;
        config.capabilities = read(json!({ "sampling": {}, "elicitation": {}, "roots": { "listChanged": true } }));
        config
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let content = json!({ "type": "text", "text": crate::checks::ANSWER });
        Ok(read(json!({ "role": "assistant", "content": content, "model": "interop", "stopReason": "endTurn" })))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(read(json!({ "roots": [{ "uri": crate::checks::ROOT, "name": "interop" }] })))
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(read(json!({ "action": "accept", "content": { "name": "Ada", "check": true } })))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.seen.note("notifications/progress", &params);
    }

    async fn on_logging_message(&self, params: LoggingMessageNotificationParam, _: NotificationContext<RoleClient>) {
        self.seen.note("notifications/message", &params);
    }

    async fn on_resource_updated(&self, params: ResourceUpdatedNotificationParam, _: NotificationContext<RoleClient>) {
        self.seen.note("notifications/resources/updated", &params);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.seen.note("notifications/resources/list_changed", &json!({}));
    }
}

/// A connected client.
pub struct Peer {
    running: RunningService<RoleClient, Handler>,
    pub era: Era,
    pub seen: Arc<Seen>,
}

impl Peer {
    pub async fn connect(era: Era, transport: &str, target: &[String]) -> Result<Self> {
        let seen = Arc::new(Seen::default());
        let handler = Handler { seen: Arc::clone(&seen), era };
        let lifecycle = match era {
            Era::Modern => ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::LATEST] },
            Era::Legacy => ClientLifecycleMode::Initialize,
        };
        let (first, rest) = target.split_first().context("there is no target")?;
        let running = match transport {
            "stdio" => {
                let mut command = tokio::process::Command::new(first);
                command.args(rest);
                handler.serve_with_lifecycle(TokioChildProcess::new(command)?, lifecycle).await?
            }
            "http" => {
                let transport = StreamableHttpClientTransport::from_uri(first.as_str());
                handler.serve_with_lifecycle(transport, lifecycle).await?
            }
            other => bail!("there is no transport {other}"),
        };
        Ok(Self { running, era, seen })
    }

    pub fn revision(&self) -> String {
        self.running.peer_info().map(|info| info.protocol_version.to_string()).unwrap_or_default()
    }

    pub async fn list(&self, what: &str) -> Result<Vec<Value>> {
        let items = match what {
            "tools" => serde_json::to_value(self.running.list_all_tools().await?),
            "resources" => serde_json::to_value(self.running.list_all_resources().await?),
            "templates" => serde_json::to_value(self.running.list_all_resource_templates().await?),
            _ => serde_json::to_value(self.running.list_all_prompts().await?),
        };
        Ok(read(items?))
    }

    pub async fn call(&self, name: &str, arguments: Value) -> Result<Value> {
        let mut params = json!({ "name": name, "arguments": arguments });
        if self.era == Era::Modern {
            params["_meta"] = json!({ "io.modelcontextprotocol/logLevel": "debug" });
        }
        let result = self.running.call_tool(read::<CallToolRequestParams>(params)).await?;
        Ok(serde_json::to_value(result)?)
    }

    pub async fn read(&self, uri: &str) -> Result<Value> {
        let result = self.running.read_resource(read::<ReadResourceRequestParams>(json!({ "uri": uri }))).await?;
        Ok(serde_json::to_value(result)?["contents"].take())
    }

    pub async fn prompt(&self, name: &str, arguments: Value) -> Result<Value> {
        let params = json!({ "name": name, "arguments": arguments });
        let result = self.running.get_prompt(read::<GetPromptRequestParams>(params)).await?;
        Ok(serde_json::to_value(result)?["messages"].take())
    }

    pub async fn complete(&self, prompt: &str, argument: &str, value: &str) -> Result<Vec<String>> {
        let reference = json!({ "type": "ref/prompt", "name": prompt });
        let params = json!({ "ref": reference, "argument": { "name": argument, "value": value } });
        let result = self.running.complete(read::<CompleteRequestParams>(params)).await?;
        Ok(result.completion.values)
    }

    /// Listens as the modern era does; what comes is noted until the task is aborted.
    pub async fn listen(&self, filter: Value) -> Result<tokio::task::JoinHandle<()>> {
        let mut subscription = self.running.listen(read(filter)).await?;
        let seen = Arc::clone(&self.seen);
        Ok(tokio::spawn(async move {
            while let Ok(Some(notification)) = subscription.next().await {
                match notification {
                    ServerNotification::ResourceUpdatedNotification(update) => {
                        seen.note("notifications/resources/updated", &update.params);
                    }
                    ServerNotification::ResourceListChangedNotification(_) => {
                        seen.note("notifications/resources/list_changed", &json!({}));
                    }
                    _ => {}
                }
            }
        }))
    }

    pub async fn subscribe(&self, uri: &str) -> Result<()> {
        Ok(self.running.subscribe(read::<SubscribeRequestParams>(json!({ "uri": uri }))).await?)
    }

    pub async fn unsubscribe(&self, uri: &str) -> Result<()> {
        Ok(self.running.unsubscribe(read::<UnsubscribeRequestParams>(json!({ "uri": uri }))).await?)
    }

    pub async fn set_level(&self, level: &str) -> Result<()> {
        Ok(self.running.set_level(read::<SetLevelRequestParams>(json!({ "level": level }))).await?)
    }

    pub async fn ping(&self) -> Result<()> {
        let request = rmcp::model::ClientRequest::PingRequest(rmcp::model::PingRequest::default());
        self.running.send_request(request).await?;
        Ok(())
    }

    pub async fn close(self) -> Result<()> {
        self.running.cancel().await?;
        Ok(())
    }
}
