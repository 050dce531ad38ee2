//! A server with one tool, to measure the transport: `echo_http 127.0.0.1:8000`.

use std::sync::Arc;

use jackfield_http::HttpServer;
use jackfield_peer::{Answering, Handler, Incoming, Shutdown};
use jackfield_protocol::envelope::MethodName;
use jackfield_protocol::{CallToolResult, ContentBlock, ErrorObject, Method, Outcome, Revision};
use serde::Deserialize;

struct Echo;

#[derive(Deserialize)]
struct Arguments {
    message: String,
}

impl Handler for Echo {
    fn handle(&self, incoming: Incoming) -> Answering {
        let revision = incoming.caller.revision;
        match incoming.method {
            MethodName::Known(Method::CallTool) => {
                let arguments = incoming.params.member::<Arguments>("arguments").ok().flatten();
                let text = arguments.map_or_else(String::new, |arguments| arguments.message);
                let result = CallToolResult::new(vec![ContentBlock::text(text)]);
                Answering::ready(Ok(Outcome::Complete(result.into())))
            }
            MethodName::Known(Method::Initialize) => {
                let result = serde_json::json!({
                    "protocolVersion": revision, "capabilities": {}, "serverInfo": { "name": "echo", "version": "1" } });
                Answering::ready(Ok(Outcome::Complete(result.into())))
            }
            _ => Answering::ready(Err(ErrorObject::method_not_found(incoming.method.as_str()))),
        }
    }

    fn identity(&self, _: Revision) -> Option<&[u8]> {
        Some(br#"{"name":"echo","version":"1"}"#)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), jackfield_http::Error> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8000".to_owned());
    let (_trigger, shutdown) = Shutdown::new();
    HttpServer::new(Arc::new(Echo)).bind(address).await?.serve(shutdown).await
}
