//! The same as our client in `benches/client`, on the crate `rmcp`: calls `echo`, one call after the other.
//!
//! `bench-rmcp-client COUNT legacy|modern COMMAND [ARGUMENTS]`

use anyhow::{Context, Result, bail};
use rmcp::model::{CallToolRequestParams, ClientConfig, ProtocolVersion};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt};
use serde_json::json;

#[derive(Clone)]
struct Handler {
    is_legacy: bool,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut config = ClientConfig::default();
        config.protocol_version =
            if self.is_legacy { ProtocolVersion::LATEST_WITH_INITIALIZE } else { ProtocolVersion::LATEST };
        config
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let count: u64 = words.next().context("how many calls?")?.parse()?;
    let is_legacy = words.next().as_deref() == Some("legacy");
    let mut command = tokio::process::Command::new(words.next().context("which server?")?);
    command.args(words);
    let lifecycle = match is_legacy {
        true => ClientLifecycleMode::Initialize,
        false => ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::LATEST] },
    };
    let running = Handler { is_legacy }.serve_with_lifecycle(TokioChildProcess::new(command)?, lifecycle).await?;
    for _ in 0..count {
        let params: CallToolRequestParams =
            serde_json::from_value(json!({ "name": "echo", "arguments": { "message": "The quick brown fox" } }))?;
        let result = running.call_tool(params).await?;
        if result.content.is_empty() {
            bail!("the server answered something else");
        }
    }
    running.cancel().await?;
    Ok(())
}
