//! Tools that say something before they answer, or let go of their connection.

use std::time::Duration;

use jackfield::{Cx, Server, tool, tools};
use tokio::time::sleep;

pub(crate) fn add(server: Server) -> Server {
    server.tools(tools![test_tool_with_logging, test_tool_with_progress, test_reconnection])
}

/// The time between two messages, so that each travels by itself.
const PAUSE: Duration = Duration::from_millis(50);

/// Logs three messages, then answers.
#[tool]
async fn test_tool_with_logging(cx: &Cx) -> &'static str {
    cx.info("Tool execution started");
    sleep(PAUSE).await;
    cx.info("Tool processing data");
    sleep(PAUSE).await;
    cx.info("Tool execution completed");
    "Tool with logging executed successfully"
}

/// Reports progress three times, then answers.
#[tool]
async fn test_tool_with_progress(cx: &Cx) -> &'static str {
    for done in [0, 50, 100] {
        if done > 0 {
            sleep(PAUSE).await;
        }
        cx.progress(done, 100.0, None);
    }
    "Tool with progress executed successfully"
}

/// Lets go of its connection before it answers, so that the client comes back for the answer.
#[tool]
async fn test_reconnection(cx: &Cx) -> &'static str {
    if cx.release(Duration::from_millis(500)) {
        sleep(2 * PAUSE).await;
    }
    "Reconnection test completed successfully. If you received this, the client properly reconnected after stream closure."
}
