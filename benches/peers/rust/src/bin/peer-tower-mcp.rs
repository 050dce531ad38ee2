//! `bench_server` on the crate `tower-mcp`.

use bench_peers::{Echo, Pair, Search, Sum, document, http_address};
use tower_mcp::{
    BoxError, CallToolResult, HttpTransport, McpRouter, ResourceBuilder, StdioTransport, ToolBuilder,
};

fn router() -> McpRouter {
    let echo = ToolBuilder::new("echo")
        .description("Answer with the same text.")
        .handler(|given: Echo| async move { Ok(CallToolResult::text(given.message)) })
        .build();
    let add = ToolBuilder::new("add")
        .description("Add two integers.")
        .handler(|given: Pair| async move { CallToolResult::from_serialize(&Sum { sum: given.a + given.b }) })
        .build();
    let document = ResourceBuilder::new("bench://doc").name("document").mime_type("text/plain").text(document());
    let mut router = McpRouter::new().server_info("bench", "1").tool(echo).tool(add).resource(document);
    for number in 2..50 {
        let tool = ToolBuilder::new(format!("tool_{number:02}"))
            .description(format!("Look something up in collection {number}."))
            .handler(|_: Search| async move { Ok(CallToolResult::text("nothing found")) })
            .build();
        router = router.tool(tool);
    }
    router
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    match http_address() {
        Some(address) => {
            let service = HttpTransport::new(router()).into_router_at("/mcp");
            axum::serve(tokio::net::TcpListener::bind(address).await?, service).await?;
        }
        None => StdioTransport::new(router()).run().await?,
    }
    Ok(())
}
