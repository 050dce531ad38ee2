//! A tool with an argument that clients repeat in a header.

use jackfield::{Server, tool, tools};

pub(crate) fn add(server: Server) -> Server {
    server.tools(tools![test_x_mcp_header])
}

/// Says which region it was called for.
#[tool]
fn test_x_mcp_header(
    /** The region; proxies route by it. */
    #[arg(header = "Region")]
    region: Option<String>,
) -> String {
    format!("Region: {}", region.as_deref().unwrap_or("none"))
}
