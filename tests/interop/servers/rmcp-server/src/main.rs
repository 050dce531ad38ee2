//! A server on `rmcp`: `interop-rmcp-server stdio` or `interop-rmcp-server http PORT`.

use std::sync::Arc;

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt, tool, tool_handler, tool_router};

#[derive(Clone)]
struct Demo {
    tool_router: ToolRouter<Self>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    message: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Sum {
    a: i64,
    b: i64,
}

#[tool_router]
impl Demo {
    fn new() -> Self {
        Self { tool_router: Self::tool_router() }
    }

    #[tool(description = "Echo")]
    fn echo(&self, Parameters(Echo { message }): Parameters<Echo>) -> String {
        format!("Echo: {message}")
    }

    #[tool(description = "Add")]
    fn add(&self, Parameters(Sum { a, b }): Parameters<Sum>) -> String {
        (a + b).to_string()
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Demo {}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [kind, port] if kind == "http" => {
            let manager = Arc::new(LocalSessionManager::default());
            let config = StreamableHttpServerConfig::default();
            let service = StreamableHttpService::new(|| Ok(Demo::new()), manager, config);
            let router = axum::Router::new().nest_service("/mcp", service);
            let listener = tokio::net::TcpListener::bind(("127.0.0.1", port.parse()?)).await?;
            axum::serve(listener, router).await?;
        }
        _ => {
            Demo::new().serve((tokio::io::stdin(), tokio::io::stdout())).await?.waiting().await?;
        }
    }
    Ok(())
}
