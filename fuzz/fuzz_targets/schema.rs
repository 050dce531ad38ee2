//! Any schema for any arguments: a tool is refused or it can be called, in bounded time and without panic.
#![no_main]

use jackfield_protocol::{Schema, Tool};
use jackfield_server::testing::TestClient;
use jackfield_server::{Call, Cx, Server};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let Some(cut) = data.iter().position(|byte| *byte == b'\n') else { return };
    let (schema, arguments) = data.split_at(cut);
    let (Ok(schema), Ok(arguments)) =
        (serde_json::from_slice::<Value>(schema), serde_json::from_slice::<Value>(arguments))
    else {
        return;
    };
    let Ok(schema) = Schema::new(&schema) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(async {
        let server = Server::new("fuzz");
        let inserted = server.registry().tools().insert(Tool::new("any", schema), |_: Call, _: Cx| async { "called" });
        let Ok(handle) = inserted else { return };
        handle.keep();
        // Whether the arguments fit is for the schema to say; an answer there is in any case.
        let _ = TestClient::of(server).call_tool("any", arguments).await;
    });
});
