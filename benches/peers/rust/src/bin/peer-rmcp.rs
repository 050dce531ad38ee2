//! `bench_server` on the crate `rmcp`.

use std::sync::{Arc, LazyLock};

use bench_peers::{Echo, Pair, Search, Sum, document, http_address};
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::tool::schema_for_type;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{
    CallToolResult, ContentBlock, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ResourceContents, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt, tool, tool_handler, tool_router};

static DOCUMENT: LazyLock<String> = LazyLock::new(document);

#[derive(Clone)]
struct Bench {
    tools: ToolRouter<Self>,
}

#[tool_router]
impl Bench {
    fn new() -> Self {
        let mut tools = Self::tool_router();
        for number in 2..50 {
            let description = format!("Look something up in collection {number}.");
            let tool = Tool::new(format!("tool_{number:02}"), description, schema_for_type::<Search>());
            tools.add_route(ToolRoute::new_dyn(tool, |_| {
                Box::pin(async { Ok(CallToolResult::success(vec![ContentBlock::text("nothing found")]).into()) })
            }));
        }
        Self { tools }
    }

    #[tool(description = "Answer with the same text.")]
    fn echo(&self, Parameters(Echo { message }): Parameters<Echo>) -> String {
        message
    }

    #[tool(description = "Add two integers.")]
    fn add(&self, Parameters(Pair { a, b }): Parameters<Pair>) -> Json<Sum> {
        Json(Sum { sum: a + b })
    }
}

#[tool_handler(router = self.tools)]
impl ServerHandler for Bench {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_resources().build())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(ReadResourceResult::new(vec![ResourceContents::text(DOCUMENT.as_str(), request.uri)]).into())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    match http_address() {
        Some(address) => {
            let manager = Arc::new(LocalSessionManager::default());
            let config = StreamableHttpServerConfig::default().with_json_response(true);
            let service = StreamableHttpService::new(|| Ok(Bench::new()), manager, config);
            let router = axum::Router::new().nest_service("/mcp", service);
            axum::serve(tokio::net::TcpListener::bind(address).await?, router).await?;
        }
        None => {
            Bench::new().serve((tokio::io::stdin(), tokio::io::stdout())).await?.waiting().await?;
        }
    }
    Ok(())
}
